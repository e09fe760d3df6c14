"""compose.yaml: names that lead somewhere, an order of starting that holds, commands and variables that exist, and no secret in it."""

from typing import Any

import pytest

from tests.deploy.files import DEPLOY, VARIABLES, compose, is_command, ours

SERVICES: dict[str, dict[str, Any]] = compose()["services"]
KEYS = {
    "build", "cap_drop", "command", "depends_on", "deploy", "environment", "healthcheck", "image", "init", "ports", "read_only", "restart",
    "secrets", "security_opt", "shm_size", "stop_grace_period", "tmpfs", "volumes",
}  # fmt: skip
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
OF_POSTGRES = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE"}


def test_there_are_a_database_one_that_migrates_a_service_and_two_workers() -> None:
    assert set(compose()) == {"name", "x-handrail", "services", "volumes", "secrets"}
    assert {name: service.get("deploy", {}).get("replicas", 1) for name, service in SERVICES.items()} == {
        "database": 1, "migrate": 1, "service": 1, "worker": 2,
    }  # fmt: skip


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_only_keys_that_compose_knows(name: str) -> None:
    assert set(SERVICES[name]) <= KEYS


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_names_is_declared(name: str) -> None:
    service, whole = SERVICES[name], compose()
    assert set(service.get("secrets", ())) <= set(whole["secrets"])
    assert {volume.partition(":")[0] for volume in service.get("volumes", ())} <= set(whole["volumes"])
    for other, on in service.get("depends_on", {}).items():
        assert other in SERVICES and set(on) == {"condition"} and on["condition"] in CONDITIONS


def test_every_secret_is_a_file_in_the_folder_that_git_and_docker_leave_out() -> None:
    assert {secret["file"].rpartition("/")[0] for secret in compose()["secrets"].values()} == {"secrets"}
    assert "secrets/" in (DEPLOY / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_nothing_begins_before_the_tables_are_there() -> None:
    for name in ("service", "worker"):
        assert SERVICES[name]["depends_on"] == {
            "database": {"condition": "service_healthy"}, "migrate": {"condition": "service_completed_successfully"},
        }  # fmt: skip
    assert SERVICES["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert "pg_isready" in SERVICES["database"]["healthcheck"]["test"]


def test_what_serves_comes_back_and_what_migrates_ends() -> None:
    assert {name: service["restart"] for name, service in SERVICES.items()} == {
        "database": "unless-stopped", "migrate": "no", "service": "unless-stopped", "worker": "unless-stopped",
    }  # fmt: skip
    # The image's health check asks for HTTP, which only the service speaks.
    assert [name for name, service in ours().items() if service.get("healthcheck") != {"disable": True}] == ["service"]


def test_workers_serve_the_apps_that_the_service_takes_messages_for() -> None:
    assert ours()["worker"]["command"][1:] == ours()["service"]["command"][1:]


@pytest.mark.parametrize("name", ours())
def test_a_command_and_its_variables_exist(name: str) -> None:
    assert is_command(ours()[name]["command"])
    assert set(ours()[name]["environment"]) <= VARIABLES


def test_only_what_is_no_secret_has_a_value() -> None:
    given = {name: value for service in ours().values() for name, value in service["environment"].items() if value is not None}
    assert given == {"HANDRAIL_SECRETS_DIR": "/run/secrets"}
    assert set(SERVICES["database"]["environment"]) == OF_POSTGRES
    assert not {name for name in compose()["secrets"] if name.startswith("handrail_") and name.upper() not in VARIABLES}


def test_nothing_is_reachable_from_elsewhere() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {"service": ["127.0.0.1:8000:8000"]}


@pytest.mark.parametrize("name", ours())
def test_what_runs_our_image_has_no_rights(name: str) -> None:
    service = ours()[name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
