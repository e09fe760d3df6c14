"""`handrail chat`: a conversation in a terminal, from the first line to the exit status."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console
from typer.testing import CliRunner

from handrail import Agent, Outcome, Parked, tool
from handrail.cli import app as commands
from handrail.cli.asking import Answers, Asking
from handrail.cli.chat import Chat
from handrail.cli.conversation import Conversation
from handrail.cli.keyboard import Keyboard
from handrail.errors import InputError
from handrail.guards import AnswerLimit, Approval
from handrail.ports import Model
from handrail.stores.journals import read_file
from handrail.testing import ScriptedModel, calls, fails, says
from handrail.vocab.outcomes import Status
from handrail.vocab.usage import Usage
from tests.drivers.kit import Desk, agent, pay, submit, told

HANDRAIL = [sys.executable, "-W", "error", "-c", "from handrail.cli import main; main()"]
PATIENCE = 120.0


class Terminal:
    """A chat with its screen and its keyboard."""

    def __init__(self, agent: Agent, model: Model, *, path: Path | None = None, answers: Answers = Answers.ASK, typed: str = "") -> None:
        read, self.write = os.pipe()
        self.screen = io.StringIO()
        console = Console(file=self.screen, width=120, soft_wrap=True)
        self.keyboard = Keyboard(read)
        self.desk = Desk()
        self.talk = Conversation(path)
        self.chat = Chat(
            agent,
            model=model,
            deps=self.desk,
            console=console,
            keyboard=self.keyboard,
            asking=Asking(console, self.keyboard, answers),
            talk=self.talk,
        )
        self.type(typed)

    def type(self, text: str) -> None:
        os.write(self.write, text.encode())

    @property
    def text(self) -> str:
        return self.screen.getvalue()


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        os.close(terminal.write)


@pytest.fixture
def terminal(opened: list[Terminal]) -> Any:
    def open_terminal(*arguments: Any, **more: Any) -> Terminal:
        opened.append(Terminal(*arguments, **more))
        return opened[-1]

    return open_terminal


async def test_an_answer_is_streamed_once_and_the_timeline_stands_around_it(terminal: Any) -> None:
    talk = terminal(agent(), ScriptedModel(says("Hello [bold]you[/bold]!")))
    outcome = await talk.chat.say("hi")
    assert isinstance(outcome, Outcome)
    assert talk.text.count("Hello [bold]you[/bold]!") == 1
    assert "begins    mini: hi" in talk.text and talk.text.rstrip().endswith("ends      completed")


async def test_an_answer_that_was_held_back_is_shown_whole(terminal: Any) -> None:
    long = "word " * 60
    talk = terminal(agent(guards=[AnswerLimit(100)]), ScriptedModel(says(long)))
    await talk.chat.say("hi")
    assert long.strip() in talk.text


async def test_a_conversation_that_is_nearly_full_is_told_of_once(terminal: Any) -> None:
    full = Usage(input_tokens=79_000, output_tokens=1_000)
    replies = [replace(says(text), usage=usage) for text, usage in (("one", Usage(input_tokens=79_999)), ("two", full), ("three", full))]
    talk = terminal(agent(), ScriptedModel(*replies))
    await talk.chat.say("first")
    assert "nearly full" not in talk.text
    await talk.chat.say("second")
    await talk.chat.say("third")
    assert talk.text.count("nearly full, 80,000 of 100,000 tokens: beyond that, older turns are summarised.") == 1


async def test_a_second_message_sees_the_first(terminal: Any) -> None:
    model = ScriptedModel(says("one"), says("two"))
    talk = terminal(agent(), model)
    await talk.chat.say("first")
    await talk.chat.say("second")
    assert told(model.requests[1].messages) == ["user: first", "assistant: one", "user: second"]


async def test_an_approval_is_asked_at_the_terminal(terminal: Any) -> None:
    model = ScriptedModel(calls(("pay", {"to": "ann", "n": 5})), says("Paid."))
    talk = terminal(agent(pay, guards=[Approval("pay")]), model, typed="y\n")
    await talk.chat.say("pay ann")
    assert talk.desk.paid == ["ann 5"]
    assert '"to": "ann"' in talk.text and "y, n, n and why, or a message instead > y\n" in talk.text


async def test_what_is_said_instead_of_a_yes_goes_to_the_model(terminal: Any) -> None:
    model = ScriptedModel(calls(("pay", {"to": "ann", "n": 5})), says("Three then?"))
    talk = terminal(agent(pay, guards=[Approval("pay")]), model, typed="make it 3\n")
    await talk.chat.say("pay ann")
    assert talk.desk.paid == [] and told(model.requests[1].messages)[-1] == "user: make it 3"


async def test_a_structured_result_is_shown_as_json_with_what_there_is_to_say_about_it(terminal: Any) -> None:
    landing = agent(submit, submit="submit", land=lambda ledger: {"days": 3})
    talk = terminal(landing, ScriptedModel(fails()))
    await talk.chat.say("hi")
    assert '"days": 3' in talk.text and "completed, partial, model failure (unavailable)" in talk.text


async def test_a_failure_says_why(terminal: Any) -> None:
    talk = terminal(agent(), ScriptedModel(fails(detail="the server is down")))
    outcome = await talk.chat.say("hi")
    assert outcome.status is Status.FAILED and "the server is down" in talk.text


async def test_a_run_that_waits_is_gone_on_with_by_the_same_file(terminal: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    pays = agent(pay, guards=[Approval("pay")])
    first = terminal(pays, ScriptedModel(calls(("pay", {"to": "ann", "n": 5}))), path=path)
    os.close(first.write)
    first.write = os.open(os.devnull, os.O_WRONLY)
    assert isinstance(await first.chat.say("pay ann"), Parked)
    assert "waits for an answer; the same command asks again." in first.text
    again = terminal(pays, ScriptedModel(says("Paid."), says("You are welcome.")), path=path, typed="y\n")
    assert again.talk.unfinished is not None
    outcome = await again.chat.go_on()
    assert (outcome.output, again.desk.paid) == ("Paid.", ["ann 5"])
    await again.chat.say("thanks")
    assert [type(event).__name__ for event in read_file(tmp_path / "talk-2.jsonl")][-1] == "RunFinished"


async def test_ctrl_c_lands_and_a_second_one_stops(terminal: Any) -> None:
    started = asyncio.Event()

    @tool(effect="read")
    async def wait() -> str:
        """Wait."""
        started.set()
        await asyncio.Event().wait()
        return ""

    landing = agent(wait, submit, submit="submit", land=lambda ledger: "what there is")
    talk = terminal(landing, ScriptedModel(calls(("wait", {}))))
    task = asyncio.create_task(talk.chat.say("hi"))
    await started.wait()
    signal.raise_signal(signal.SIGINT)
    outcome = await asyncio.wait_for(task, 60)
    assert (outcome.status, outcome.output, outcome.partial) == (Status.COMPLETED, "what there is", True)
    assert "Ctrl-C again stops at once" in talk.text and "what there is" in talk.text


async def test_ctrl_c_twice_cancels_and_waits_for_a_write(terminal: Any) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @tool(effect="write")
    async def write() -> str:
        """Write."""
        started.set()
        await go_on.wait()
        return "written"

    talk = terminal(agent(write), ScriptedModel(calls(("write", {}))))
    task = asyncio.create_task(talk.chat.say("hi"))
    await started.wait()
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    assert (await asyncio.wait_for(task, 60)).status is Status.CANCELLED


async def test_ctrl_c_is_everybody_elses_again_when_the_run_is_over(terminal: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    talk = terminal(agent(), ScriptedModel(says("ok")))
    await talk.chat.say("hi")
    assert signal.getsignal(signal.SIGINT) == before
    assert talk.keyboard.listener is None


async def test_a_line_that_is_typed_while_the_agent_works_enters_the_run(terminal: Any) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @tool(effect="read")
    async def wait() -> str:
        """Wait."""
        started.set()
        await go_on.wait()
        return "ok"

    model = ScriptedModel(calls(("wait", {})), says("I see."))
    talk = terminal(agent(wait), model, typed="first\n")
    assert await talk.keyboard.line() == "first"
    talk.keyboard.interactive = True
    task = asyncio.create_task(talk.chat.say("first"))
    await started.wait()
    heard = talk.keyboard.listener
    said = asyncio.Event()

    def listener(text: str) -> None:
        heard(text)
        said.set()

    talk.keyboard.listener = listener
    talk.type("and west\n")
    await asyncio.wait_for(said.wait(), 60)
    go_on.set()
    await asyncio.wait_for(task, 60)
    assert told(model.requests[1].messages)[-1] == "user: and west"


SOURCE = """
from handrail import Agent, tool
from handrail.guards import Approval, TurnLimit

@tool(effect="write")
async def pay(to: str, n: int) -> str:
    \"\"\"Pay somebody.

    Args:
        to: whom.
        n: how much.
    \"\"\"
    with open("paid.txt", "a") as file:
        file.write(f"{to} {n}\\\\n")
    return f"paid {n} to {to}"

agent = Agent(name="mini", instructions="You help.", model="x", tools=[pay], guards=[Approval("pay"), TurnLimit(8)])
"""


def chat(folder: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(SOURCE.replace("\\\\n", "\\n"))
    return subprocess.run(
        [*HANDRAIL, "chat", *arguments], cwd=folder, input=typed, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.slow
def test_the_whole_command_with_the_stand_in_for_a_model(tmp_path: Path) -> None:
    done = chat(tmp_path, "mine.py:agent", "--journal", "talk.jsonl", typed="Pay somebody\nyes\nThank you\nn not again\n")
    assert done.returncode == 0, done.stderr
    assert "rule-based stand-in" in done.stdout and "OPENAI_API_KEY is not set" in done.stdout
    assert "held      t1c1 pay(" in done.stdout and "for a person: Approval(pay)" in done.stdout
    assert len((tmp_path / "paid.txt").read_text().splitlines()) == 1
    assert {path.name for path in tmp_path.glob("*.jsonl")} == {"talk.jsonl", "talk-2.jsonl"}


@pytest.mark.slow
def test_messages_and_answers_can_be_given_on_the_command_line(tmp_path: Path) -> None:
    done = chat(tmp_path, "mine:agent", "--message", "Pay somebody", "--answers", "no", "--model", "rehearsal")
    assert done.returncode == 0, done.stderr
    assert "you > Pay somebody" in done.stdout and "by --answers no" in done.stdout
    assert not (tmp_path / "paid.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nobody"], "there is no app 'nobody'"),
        (["orders", "--journal", "talk.txt"], "ends in .jsonl"),
        (["orders", "--journal", "."], "'.' is a folder; give a file in it, such as talk.jsonl"),
        (["orders", "--journal", "nonexist/deep/talk.jsonl"], "there is no folder 'nonexist/deep' for the journal; make it first"),
        (["orders", "--model", "gpt-4o", "--message", "hi"], "OPENAI_API_KEY"),
        (["orders", "--message", ""], "--message needs a text"),
        (["orders", "--message", "hi", "--message", " "], "--message needs a text"),
    ],
)
def test_what_cannot_begin_is_one_line_and_status_2(
    arguments: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = CliRunner().invoke(commands, ["chat", *arguments])
    assert told.exit_code == 2 and told.stdout == ""
    assert what in told.stderr and len(told.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


async def test_a_run_that_waits_and_is_not_kept_is_told_how_to_keep_it(terminal: Any) -> None:
    talk = terminal(agent(pay, guards=[Approval("pay")]), ScriptedModel(calls(("pay", {"to": "ann", "n": 5}))))
    os.close(talk.write)
    talk.write = os.open(os.devnull, os.O_WRONLY)
    assert isinstance(await talk.chat.say("pay ann"), Parked)
    assert "waits for an answer; with --journal the same command asks again." in talk.text


async def test_a_journal_that_cannot_be_written_is_told_in_words(terminal: Any) -> None:
    talk = terminal(agent(), ScriptedModel(), path=Path("/proc/talk.jsonl"))
    with pytest.raises(InputError, match=r"the journal '/proc/talk.jsonl' cannot be written \("):
        await talk.chat.say("hi")


def test_a_journal_that_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    circle = tmp_path / "talk.jsonl"
    circle.symlink_to(circle)
    with pytest.raises(InputError, match=r"cannot be read \("):
        Conversation(circle)
