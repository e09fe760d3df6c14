"""`handrail replay`: a journal as a run wrote it, judged again from the command line."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from handrail import Outcome, run
from handrail.cli import replay
from handrail.cli.loading import load_agent
from handrail.stores.journals import FileJournal
from handrail.testing import ScriptedModel, calls, says

SOURCE = """
from handrail import Agent, tool
from handrail.guards import CallLimit, Prerequisite, TurnLimit

@tool(effect="read")
async def search(text: str) -> str:
    "Look something up."
    return f"{text} found"

@tool(effect="read")
async def think(text: str) -> str:
    "Think it over."
    return text

def agent(*guards):
    return Agent(name="mine", instructions="Answer.", model="m", tools=[search, think], guards=guards)

then = agent(TurnLimit(5))
now = agent(Prerequisite("search", of="think"), TurnLimit(5))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine_for_replay.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture
async def journal(file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "RUN.jsonl"
    model = ScriptedModel(calls(("search", {"text": "lakes"})), says("There are lakes."))
    outcome = await run(load_agent(f"{file}:then"), "Where are lakes?", model=model, journal=FileJournal(path))
    assert isinstance(outcome, Outcome)
    return path


def _run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(replay.command)
    return CliRunner().invoke(app, arguments)


def test_the_same_agent_judges_the_same(file: Path, journal: Path) -> None:
    result = _run(str(journal), "--app", f"{file}:then")
    assert result.exit_code == 0
    assert result.stdout.startswith("The same: today's ring judges all ")


def test_another_ring_shows_the_first_difference_what_follows_and_what_no_longer_fits(file: Path, journal: Path) -> None:
    result = _run(str(journal), "--app", f"{file}:now")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "is judged otherwise:" in lines[0]
    assert lines[1] == "  recorded  search is cleared"
    assert lines[2].startswith("  today     search is refused by Prerequisite(search, of=think) (prerequisite): ")
    assert "What follows today:" in lines and "Recorded inputs that no longer fit:" in lines
    assert any(line.endswith("search starts (phase)") for line in lines)
    assert any("the run ends completed" in line for line in lines)


def test_json_has_the_events_themselves(file: Path, journal: Path) -> None:
    same = json.loads(_run(str(journal), "--app", f"{file}:then", "--json").stdout)
    assert same["same"] is True and same["difference"] is None and same["unfit"] == [] and same["follows"] == []
    other = json.loads(_run(str(journal), "--app", f"{file}:now", "--json").stdout)
    assert other["same"] is False and other["events"] == same["events"]
    assert other["difference"]["recorded"]["event"] == "CallCleared"
    assert other["difference"]["today"]["event"] == "CallRefused"
    assert [(unfit["input"]["event"], unfit["code"]) for unfit in other["unfit"]] == [("ToolStarted", "phase"), ("ToolReturned", "phase")]


def test_a_journal_that_is_not_there_or_is_none_is_exit_2(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"v":1,"event":"Nothing"}\n')
    for arguments in ([str(tmp_path / "no.jsonl"), "--app", f"{file}:then"], [str(broken), "--app", f"{file}:then"], [str(broken)]):
        result = _run(*arguments)
        assert result.exit_code == 2
        assert "Traceback" not in result.output


def test_the_journal_of_another_agent_is_said_first(journal: Path) -> None:
    result = _run(str(journal), "--app", "orders")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr == f"handrail: {journal} is the journal of the agent 'mine', not of 'orders'; give that agent with --app\n"
