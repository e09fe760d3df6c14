"""The image: pinned, without rights, and with commands and variables that exist. There is no Docker where the tests run."""

import json
import re
import tomllib
from fnmatch import fnmatch

import pytest

from handrail.service.pages import STATIC
from tests.deploy.files import ROOT, VARIABLES, Instruction, dockerfile, in_readme, is_command, stages

PAGES, BUILD, FINAL = stages()
WORDS = {"ARG", "FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def _of(stage: list[Instruction], word: str) -> list[str]:
    return [each.rest for each in stage if each.word == word]


def _variables(stage: list[Instruction]) -> dict[str, str]:
    return dict(pair.split("=", 1) for rest in _of(stage, "ENV") for pair in rest.split())


def test_every_instruction_is_one_that_a_dockerfile_has() -> None:
    assert {each.word for each in dockerfile()} <= WORDS


def test_pages_are_made_by_a_slim_node_and_both_others_are_the_same_slim_python() -> None:
    assert [stage[0].rest for stage in stages()] == [
        "node:${NODE}-slim AS pages",
        "python:${PYTHON}-slim AS build",
        "python:${PYTHON}-slim",
    ]
    assert dockerfile()[:2] == [Instruction("ARG", "PYTHON=3.11"), Instruction("ARG", "NODE=20")]


def test_the_pages_are_built_from_pinned_packages_and_packed_from_where_they_are_written() -> None:
    scripts = json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))["scripts"]
    written = re.search(r'outDir: fileURLToPath\(new URL\("\.\./(.+?)"', (ROOT / "web/vite.config.ts").read_text(encoding="utf-8"))
    assert scripts["build"] == "vite build" and written is not None
    assert _of(PAGES, "WORKDIR") == ["/build/web"] and _of(BUILD, "WORKDIR") == ["/build"]
    assert [rest.split()[:3] for rest in _of(PAGES, "RUN")] == [["npm", "ci", "--no-progress"], ["npm", "run", "build"]]
    assert f"--from=pages /build/{written[1]} {written[1]}" in _of(BUILD, "COPY")
    assert (ROOT / written[1]).resolve() == STATIC


def test_what_the_build_of_the_wheel_runs_is_copied() -> None:
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["hooks"]["custom"]["path"]
    assert f"{hook} scripts/" in _of(BUILD, "COPY")


def test_what_is_installed_is_held_to_hashes() -> None:
    steps = [step.strip() for rest in _of(BUILD, "RUN") for step in rest.split("&&")]
    installing = [step for step in steps if "pip install" in step or "uv build" in step]
    loose = [step for step in installing if "--require-hashes" not in step]
    assert len(installing) == 4
    assert loose == ["uv pip install --python /opt/handrail --no-deps wheels/*.whl"]
    assert not [rest for rest in _of(FINAL, "RUN") if "install" in rest]


def test_the_extras_of_the_image_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    default = next(rest.partition("=")[2].strip('"').split() for rest in _of(BUILD, "ARG") if rest.startswith("EXTRAS="))
    assert {"service", "postgres", "mcp", "telemetry", "search"} <= set(default) <= set(project["optional-dependencies"])


def test_what_is_copied_is_there_and_is_let_in() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in lines if line.startswith("!")}
    rests = [rest for stage in (PAGES, BUILD) for rest in _of(stage, "COPY") if not rest.startswith("--from=")]
    copied = [source for rest in rests for source in rest.split()[:-1]]
    assert "*" in lines and copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert let_in & {source, source.split("/")[0]}, source
    assert all(any(source == line or source.startswith(f"{line}/") for source in copied) for line in let_in)
    assert {"src/handrail/service/static", "**/node_modules"} <= set(lines), "what was built here before is not what is built there"
    assert not [line for line in let_in if fnmatch(line, "deploy*") or fnmatch(line, ".*")]


def test_it_runs_as_somebody_without_rights_and_has_no_secret_in_it() -> None:
    assert _of(FINAL, "USER") == ["10001"]
    assert "useradd --system --uid 10001" in _of(FINAL, "RUN")[0]
    own = {name for name in _variables(FINAL) if name.startswith(("HANDRAIL_", "OPENAI_"))}
    assert own == {"HANDRAIL_HOST", "HANDRAIL_PORT"} and own <= VARIABLES


def test_the_port_that_is_exposed_is_the_one_that_is_listened_on() -> None:
    assert _of(FINAL, "EXPOSE") == [_variables(FINAL)["HANDRAIL_PORT"]]


def test_what_it_does_is_a_command_of_ours() -> None:
    (entry,) = [each for each in FINAL if each.word == "ENTRYPOINT"]
    (default,) = [each for each in FINAL if each.word == "CMD"]
    assert entry.listed == ["handrail"]  # a list: no shell stands between the process and SIGTERM
    assert is_command(default.listed)


def test_the_commands_of_the_readme_are_commands_of_ours() -> None:
    found = [arguments for arguments in in_readme() if arguments]
    assert ["seed", "foodfight"] in found and ["serve", "--app", "foodfight"] in found
    assert [arguments for arguments in found if not is_command(arguments)] == []


@pytest.mark.parametrize("arguments", [["serv"], ["serve", "--ap", "orders"], ["keys", "make"], ["seed", "--app", "orders"]])
def test_a_command_that_does_not_exist_would_be_noticed(arguments: list[str]) -> None:
    assert not is_command(arguments)
