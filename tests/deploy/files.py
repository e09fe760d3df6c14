"""What is in `deploy/`, read strictly: the instructions of the Dockerfile, the services of compose.yaml, the commands that both name."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]  # its stubs are a package of their own, for these tests alone
from typer.testing import CliRunner

from handrail.apps.foodfight.settings import FoodFightSettings
from handrail.cli import app as commands
from handrail.service.settings import SECRETS_DIR, Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
OF_THE_CLIENT = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
OF_OPENTELEMETRY = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_SERVICE_NAME",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
)
VARIABLES = {
    SECRETS_DIR,
    *OF_THE_CLIENT,
    *OF_OPENTELEMETRY,
    *(f"{kind.model_config.get('env_prefix')}{name.upper()}" for kind in (Settings, FoodFightSettings) for name in kind.model_fields),
}
"""Every variable that something of ours, or a library for us, reads."""


class Instruction(msgspec.Struct, frozen=True):
    """One of a Dockerfile's: its word, and the rest of it on one line."""

    word: str
    rest: str

    @property
    def listed(self) -> list[str]:
        """What is written as a JSON list, such as a command that no shell starts."""
        found: list[str] = json.loads(self.rest[self.rest.index("[") :])
        return found


class NoDuplicates(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
    """Refuses a key that is there twice: YAML lets the last one win without a word."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [each.value for each, _ in node.value if each.tag != "tag:yaml.org,2002:merge"]
        assert len(names) == len(set(names)), f"a key is there twice among {names}"
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def dockerfile() -> list[Instruction]:
    """The instructions, without comments."""
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#")).replace("\\\n", " ")
    return [Instruction(*line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, beginning with its FROM."""
    found: list[list[Instruction]] = []
    for instruction in dockerfile():
        if instruction.word == "FROM":
            found.append([])
        if found:
            found[-1].append(instruction)
    return found


def compose() -> dict[str, Any]:
    """The whole of compose.yaml."""
    loaded: dict[str, Any] = yaml.load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"), NoDuplicates)
    return loaded


def ours() -> dict[str, dict[str, Any]]:
    """The services of compose.yaml that run our image."""
    return {name: service for name, service in compose()["services"].items() if service["image"] == "handrail"}


def is_command(arguments: Sequence[str]) -> bool:
    """Whether there is such a command with such options: its help is asked for, so that nothing is run."""
    return CliRunner().invoke(commands, [*arguments, "--help"]).exit_code == 0


def in_readme() -> Iterator[list[str]]:
    """Every `handrail` command of README.md: what follows `compose run … migrate` or the image's name."""
    for line in (DEPLOY / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("$") and "docker" in line and " run " in line:
            words = shlex.split(line.replace("$(", " ").replace(")", " "), comments=True)
            yield words[words.index("migrate" if "compose" in words else "handrail") + 1 :]
