"""The parts of `handrail chat`: lines from the keyboard, questions to the person, and a conversation in files."""

import asyncio
import getpass
import io
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from handrail import No, Say, Yes
from handrail.cli.asking import Answers, Asking, decision, shown
from handrail.cli.conversation import Conversation
from handrail.cli.keyboard import Keyboard
from handrail.core.evolve import fold
from handrail.errors import InputError, JournalError
from handrail.testing.journals import AT
from handrail.vocab.calls import By
from handrail.vocab.outcomes import HoldKind, OpenHold
from tests.drivers.kit import told
from tests.drivers.test_resume import WHOLE

ME = getpass.getuser()


class Typing:
    """A keyboard, and the other end of it."""

    def __init__(self) -> None:
        read, self._write = os.pipe()
        self.keyboard = Keyboard(read)
        self._read = read

    def type(self, text: str) -> None:
        os.write(self._write, text.encode())

    def end(self) -> None:
        if self._write >= 0:
            os.close(self._write)
            self._write = -1


@pytest.fixture
def typing() -> Iterator[Typing]:
    typing = Typing()
    yield typing
    typing.end()


async def test_lines_come_one_by_one_and_then_there_are_no_more(typing: Typing) -> None:
    typing.type("one\ntw")
    assert await typing.keyboard.line() == "one"
    typing.type("o\r\n\nlast")
    typing.end()
    assert [await typing.keyboard.line() for _ in range(5)] == ["two", "", "last", None, None]


async def test_a_line_that_is_asked_for_before_it_is_typed_comes_when_it_is(typing: Typing) -> None:
    waiting = asyncio.create_task(typing.keyboard.line())
    await asyncio.sleep(0)
    assert not waiting.done()
    typing.type("here\n")
    assert await asyncio.wait_for(waiting, 60) == "here"


async def test_a_line_that_nobody_asked_for_goes_to_whoever_listens(typing: Typing) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    typing.type("first\n")
    assert await typing.keyboard.line() == "first"
    typing.keyboard.listener = heard.put_nowait
    typing.type("\nand more\n")
    assert await asyncio.wait_for(heard.get(), 60) == "and more"
    asked = asyncio.create_task(typing.keyboard.line())
    await asyncio.sleep(0)
    typing.type("the answer\n")
    assert await asyncio.wait_for(asked, 60) == "the answer"
    assert heard.empty()


def approval(show: str | dict[str, Any] | None = None, *, expires_at: datetime | None = None) -> OpenHold:
    return OpenHold(
        id="t1c1h1",
        kind=HoldKind.APPROVAL,
        by=By.PERSON,
        tool="pay",
        arguments='{"n":5,"to":"ann"}',
        show={"n": 5, "to": "ann"} if show is None else show,
        digest="d",
        expires_at=expires_at,
    )


def printed(hold: OpenHold) -> str:
    console = Console(file=io.StringIO(), width=60)
    console.print(shown(hold))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO of the line above
    return text


def test_an_approval_shows_the_exact_arguments() -> None:
    text = printed(approval(expires_at=AT))
    assert "May pay run with exactly this?" in text
    assert '"n": 5' in text and '"to": "ann"' in text and "Until 2026-01-01 12:00 UTC." in text


def test_an_approval_of_a_document_shows_the_document_and_the_call() -> None:
    text = printed(approval(show="Pay Ann\n[bold]five[/bold] \x1b[31mfrancs"))
    assert "[bold]five[/bold] \\u001b[31mfrancs" in text
    assert 'The call: pay({"n":5,"to":"ann"})' in text


def test_a_document_is_shown_to_its_end() -> None:
    assert "the end" in printed(approval(show="\n".join(["line"] * 500 + ["the end"])))


def test_a_question_shows_what_is_asked() -> None:
    question = '{"question":"Red or blue?"}'
    hold = OpenHold(id="t1c1", kind=HoldKind.QUESTION, by=By.PERSON, tool="choose", arguments=question, show=question)
    assert "Red or blue?" in printed(hold) and "{" not in printed(hold)
    two = '{"question":"Which?","options":["red","blue"]}'
    assert '"red"' in printed(OpenHold(id="t1c1", kind=HoldKind.QUESTION, by=By.PERSON, tool="choose", arguments=two, show=two))
    assert "How long?" in printed(OpenHold(id="t1text", kind=HoldKind.MESSAGE, by=By.PERSON, show="How long?"))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", Yes(by=ME)),
        ("YES", Yes(by=ME)),
        ("n", No(by=ME)),
        ("No", No(by=ME)),
        ("no.", No(by=ME)),
        ("n wrong account", No("wrong account", by=ME)),
        ("No, wrong account", No("wrong account", by=ME)),
        ("yes please", Say("yes please")),
        ("y!", Say("y!")),
        ("yes, but 3", Say("yes, but 3")),
        ("nothing", Say("nothing")),
        ("ok", Say("ok")),
        ("1", Say("1")),
    ],
)
def test_only_y_and_yes_are_a_yes(line: str, answer: Any) -> None:
    assert decision(line) == answer


async def test_a_person_is_asked_until_they_say_something(typing: Typing) -> None:
    console = Console(file=io.StringIO(), width=80)
    asking = Asking(console, typing.keyboard, Answers.ASK)
    typing.type("\n  \n y \nthe red one\n")
    assert await asking(approval()) == Yes(by=ME)
    question = '{"question":"Red or blue?"}'
    hold = OpenHold(id="t1c1", kind=HoldKind.QUESTION, by=By.PERSON, tool="choose", arguments=question, show=question)
    assert await asking(hold) == Say("the red one")
    typing.end()
    assert await asking(approval()) is None


async def test_one_word_every_time_answers_approvals_and_no_questions(typing: Typing) -> None:
    console = Console(file=io.StringIO())
    question = OpenHold(id="t1text", kind=HoldKind.MESSAGE, by=By.PERSON, show="How long?")
    for answers, answer in ((Answers.YES, Yes(by="--answers yes")), (Answers.NO, No(by="--answers no"))):
        asking = Asking(console, typing.keyboard, answers)
        assert await asking(approval()) == answer
        assert await asking(question) is None


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


async def test_a_conversation_is_a_file_a_run(tmp_path: Path) -> None:
    for messages in (0, 7, 7):
        talk = Conversation(tmp_path / "talk.jsonl")
        assert (talk.unfinished, len(talk.history)) == (None, messages)
        await talk.journal().append("r", 0, WHOLE)
        talk.ended(fold(WHOLE))
    assert files(tmp_path) == {"talk.jsonl", "talk-2.jsonl", "talk-3.jsonl"}


async def test_a_conversation_goes_on_with_a_run_that_was_left(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    await Conversation(path).journal().append("r", 0, WHOLE[:-1])
    talk = Conversation(path)
    left = talk.unfinished
    assert left == "r"
    await talk.journal().append("r", len(WHOLE) - 1, WHOLE[-1:])
    talk.ended(fold(WHOLE))
    assert talk.unfinished is None and told(talk.history)[-1] == "assistant: ok"
    assert await talk.journal().read("r2") == ()
    assert Conversation(path).history == talk.history


async def test_without_a_file_each_run_has_a_journal_in_memory() -> None:
    talk = Conversation(None)
    await talk.journal().append("r", 0, WHOLE)
    talk.ended(fold(WHOLE))
    assert await talk.journal().read("r") == ()
    assert told(talk.history)[-1] == "assistant: ok"


def test_a_journals_file_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.jsonl, not '\.txt': give .*talk\.jsonl"):
        Conversation(tmp_path / "talk.txt")
    (tmp_path / "broken.jsonl").write_text("rubbish\n")
    with pytest.raises(JournalError, match=r"broken\.jsonl:1"):
        Conversation(tmp_path / "broken.jsonl")
