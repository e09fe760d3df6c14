"""`handrail check`: one screen and exit 0, the story and exit 1, or what was asked wrongly and exit 2."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from handrail.cli import check

SOURCE = """
from handrail import Agent, tool
from handrail.guards import Approval, CallLimit, Prerequisite, TurnLimit, guard

@tool(effect="read")
async def search(text: str) -> str:
    "Look something up."
    return text

@tool(effect="write")
async def submit(text: str) -> str:
    "Hand in."
    return text

@guard
def house_rule(state, call):
    "What only the house knows."

def agent(*guards, invariants=()):
    return Agent(name="mine", instructions="", model="m", tools=[search, submit], submit="submit", guards=guards, invariants=invariants,
                 land=lambda ledger: {})

def no_end(state, event):
    return "it ends" if type(event).__name__ == "RunFinished" else None

sound = agent(Prerequisite("submit", of="search"), Approval("submit"), TurnLimit(9))
assumed = agent(house_rule, TurnLimit(9))
dead_end = agent(Prerequisite("submit", of="search"), CallLimit("search", 1), TurnLimit(9))
unreachable = agent(Prerequisite("search", of="submit"), TurnLimit(9))
broken = agent(TurnLimit(9), invariants=[no_end])
unbounded = agent()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine_for_check.py"
    path.write_text(SOURCE)
    return path


def _run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(check.command)
    return CliRunner().invoke(app, arguments)


def _json(*arguments: str) -> Any:
    return json.loads(_run(*arguments, "--json").stdout)


def test_a_ring_that_holds_is_one_screen_and_exit_0(file: Path) -> None:
    result = _run(f"{file}:sound")
    assert result.exit_code == 0
    assert result.stdout.startswith("mine: the ring holds\n")
    for words in ("states in", "search, submit can be reached", "9 turns (TurnLimit(9))", "no held call runs without its yes"):
        assert words in result.stdout
    assert len(result.stdout.splitlines()) < 24


def test_what_is_assumed_is_said(file: Path) -> None:
    result = _run(f"{file}:assumed")
    assert result.exit_code == 0
    assert "the ring holds, as far as what is assumed is true" in result.stdout
    assert "assumed     house_rule: it does not say what it looks at" in result.stdout


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("dead_end", "dead end"),
        ("unreachable", "unreachable tool"),
        ("broken", "broken invariant"),
        ("unbounded", "unbounded run"),
    ],
)
def test_each_planted_fault_is_a_numbered_story_and_exit_1(file: Path, name: str, fault: str) -> None:
    result = _run(f"{file}:{name}")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"mine: {fault}\n")
    assert f"\n{fault}: " in result.stdout
    assert "\n  1. The user asks: " in result.stdout


def test_json_has_what_programs_need(file: Path) -> None:
    good, bad = _json(f"{file}:sound"), _json(f"{file}:dead_end")
    assert {"ok", "states", "seconds", "assumes", "counterexample"} <= good.keys()
    assert good["ok"] is True and good["counterexample"] is None and good["assumes"] == [] and good["states"] > 10
    assert bad["ok"] is False and bad["counterexample"]["fault"] == "dead end"
    assert bad["counterexample"]["story"][0].startswith("The user asks: ")
    assert isinstance(bad["seconds"], float)


def test_json_has_the_same_exit_status(file: Path) -> None:
    assert _run(f"{file}:sound", "--json").exit_code == 0
    assert _run(f"{file}:dead_end", "--json").exit_code == 1


def test_pairs_of_calls_are_said(file: Path) -> None:
    single, pairs = _run(f"{file}:sound"), _run(f"{file}:sound", "--batch", "2")
    assert "with one call a reply" in single.stdout
    assert pairs.exit_code == 0 and "with up to 2 calls a reply" in pairs.stdout


def test_a_walk_that_is_given_up_is_not_passed(file: Path) -> None:
    result = _run(f"{file}:sound", "--most-states", "5")
    assert result.exit_code == 1
    assert "Nothing is proven" in result.stdout


@pytest.mark.parametrize("arguments", [["no_such_app"], ["nowhere.py:agent"], [], ["orders", "--batch", "3"]])
def test_what_is_asked_wrongly_is_exit_2(arguments: list[str]) -> None:
    result = _run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_guard_that_reads_more_than_it_declares_is_exit_2_and_says_so(file: Path) -> None:
    sly = "guard(looks=())(lambda state, call: str(state.ok('search')))"
    file.write_text(f"{SOURCE}\nsly = agent({sly}, TurnLimit(9))\n")
    result = _run(f"{file}:sly")
    assert result.exit_code == 2
    assert "declare Lens('ok', 'search')" in result.output


@pytest.mark.slow
@pytest.mark.parametrize("app", ["orders", "trips"])
def test_the_ring_of_an_app_holds(app: str) -> None:
    found = _json(app)
    assert found["ok"], found["counterexample"]
