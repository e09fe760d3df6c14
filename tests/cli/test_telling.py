"""How commands end that were asked for something they cannot do: exit 2 and one line; a traceback only of somebody's own module."""

from collections.abc import Callable
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from handrail.cli import app as commands
from handrail.cli.telling import BROUGHT, told
from handrail.errors import Bug


def handrail(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def raising(error: BaseException) -> Callable[[], None]:
    def command() -> None:
        with told():
            raise error

    return command


def ended(command: Callable[[], None]) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [])


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("from json import no_such_name", "ImportError"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("raise RuntimeError('no luck')", "RuntimeError"),
        ("def (:", "SyntaxError"),
        ("raise SystemExit(1)", "SystemExit"),
    ],
)
@pytest.mark.parametrize("command", [("check",), ("check", "--json"), ("graph",), ("replay", "talk.jsonl", "--app")])
def test_a_file_that_raises_is_exit_2_with_its_traceback(command: tuple[str, ...], source: str, raised: str, tmp_path: Path) -> None:
    file = tmp_path / "bad_for_telling.py"
    file.write_text(f"\n{source}\n")
    arguments = [str(tmp_path / part) if part.endswith(".jsonl") else part for part in command]
    (tmp_path / "talk.jsonl").touch()
    result = handrail(*arguments, f"{file}:agent")
    assert result.exit_code == 2 and result.stdout == ""
    assert f'File "{file}", line 2' in result.stderr
    assert result.stderr.splitlines()[-1] == f"handrail: {file} cannot be loaded: it raised {raised}"


@pytest.mark.parametrize(
    ("module", "extra"), [("uvicorn", "service"), ("sqlalchemy.ext.asyncio", "service"), ("psycopg", "postgres"), ("agents", "agents")]
)
def test_a_module_that_an_extra_brings_is_told_in_one_line(module: str, extra: str) -> None:
    result = ended(raising(ModuleNotFoundError(f"No module named {module!r}", name=module)))
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr == f"handrail: this needs the module {module!r}, which is not there: install handrail[{extra}]\n"


@pytest.mark.parametrize("error", [ModuleNotFoundError("x", name="handrail.gone"), ModuleNotFoundError("x"), Bug("x"), ValueError("x")])
def test_what_is_a_bug_keeps_its_traceback(error: Exception) -> None:
    assert ended(raising(error)).exception is error


def test_every_package_of_an_extra_is_known_by_its_modules() -> None:
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(name.lower().replace("_", "-"), set()).add(module)
    wanted = [line.split("extra ==")[1].strip(" '\"") for line in requires("handrail") or [] if "extra ==" in line]
    assert set(wanted) == set(BROUGHT)
    for name in ("fastapi", "sqlalchemy", "uvicorn", "pydantic-settings", "aiosqlite", "alembic"):
        assert modules[name] <= set(BROUGHT["service"])


@pytest.mark.parametrize("command", ["serve", "rehearse"])
@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_no_machine_has_is_exit_2(command: str, port: str) -> None:
    result = handrail(command, "--port", port)
    assert result.exit_code == 2 and result.stdout == "" and "Error" in result.stderr
