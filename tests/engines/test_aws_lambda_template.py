"""The template of a deployment on AWS: it is valid, and says what the code relies on."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import decode  # type: ignore[import-untyped]  # it has no types of its own

TEMPLATE = Path(__file__).parents[2] / "deploy" / "lambda" / "template.yaml"


@pytest.fixture(scope="module")
def resources() -> dict[str, dict[str, Any]]:
    template, wrong = decode(str(TEMPLATE))
    assert template is not None and not wrong
    return {name: {"Type": each["Type"], **each["Properties"]} for name, each in template["Resources"].items()}


@pytest.mark.slow
def test_the_template_passes_cfn_lint() -> None:
    done = subprocess.run([Path(sys.executable).with_name("cfn-lint"), TEMPLATE], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_each_function_has_its_handler_and_its_time(resources: dict[str, dict[str, Any]]) -> None:
    found = {name: (each["Handler"], each["Timeout"]) for name, each in resources.items() if each["Type"] == "AWS::Serverless::Function"}
    assert found == {
        "ApiFunction": ("handrail.engines.aws_lambda.api_handler", 5),
        "RunnerFunction": ("handrail.engines.aws_lambda.runner_handler", 900),
        "OperatorFunction": ("handrail.service.aws_lambda.operator_handler", 300),
    }


def test_a_lost_invocation_is_told_and_not_repeated(resources: dict[str, dict[str, Any]]) -> None:
    runner = resources["RunnerFunction"]
    assert runner["EventInvokeConfig"]["MaximumRetryAttempts"] == 0
    assert runner["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
    assert runner["Events"]["Sweep"]["Properties"]["Input"] == '{"sweep": true}'


def test_the_database_may_sleep_and_has_no_proxy(resources: dict[str, dict[str, Any]]) -> None:
    assert resources["Cluster"]["ServerlessV2ScalingConfiguration"]["MinCapacity"] == 0
    assert not [name for name, each in resources.items() if "DBProxy" in each["Type"]]


def test_the_gateway_asks_for_a_key_and_no_secret_is_in_the_template(resources: dict[str, dict[str, Any]]) -> None:
    assert resources["Api"]["Auth"]["ApiKeyRequired"] is True
    text = TEMPLATE.read_text(encoding="utf-8")
    assert "handrail@${Cluster.Endpoint.Address}" in text, "the URL carries a user, and no password"
    assert text.count("{{resolve:secretsmanager:") == 1, "the database's own password; functions read theirs when they start"
