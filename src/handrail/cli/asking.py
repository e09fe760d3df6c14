"""Asking the person at the terminal: the whole document, the exact arguments, and only `y` or `yes` is a yes."""

import getpass
from enum import StrEnum

import msgspec
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from handrail.cli.keyboard import Keyboard
from handrail.cli.visible import document
from handrail.vocab.answers import No, PersonAnswer, Say, Yes
from handrail.vocab.outcomes import HoldKind, OpenHold


class Answers(StrEnum):
    """Who answers: the person at the terminal, or the same word every time."""

    ASK = "ask"
    YES = "yes"
    NO = "no"


class Asking:
    """`handrail.ports.Person` at a terminal.

    Args:
        console: where the question is shown.
        keyboard: where the answer comes from.
        answers: `yes` and `no` answer approvals without asking; a question they cannot answer, so the run then waits.
    """

    def __init__(self, console: Console, keyboard: Keyboard, answers: Answers) -> None:
        """Keep them."""
        self._console = console
        self._keyboard = keyboard
        self._answers = answers

    async def __call__(self, hold: OpenHold) -> PersonAnswer | None:
        """Show what is to be answered, and give the answer; `None` where there are no more lines."""
        self._console.print(shown(hold), soft_wrap=False)  # a console that wraps softly would crop the panel
        if self._answers is not Answers.ASK:
            return self._at_once(hold)
        prompt = "y, n, n and why, or a message instead" if hold.kind is HoldKind.APPROVAL else "your answer"
        while True:
            line = await self._keyboard.prompted(self._console, prompt)
            if line is None:
                return None
            if line.strip():
                return decision(line.strip()) if hold.kind is HoldKind.APPROVAL else Say(line.strip())

    def _at_once(self, hold: OpenHold) -> PersonAnswer | None:
        if hold.kind is not HoldKind.APPROVAL:
            return None
        return Yes(by="--answers yes") if self._answers is Answers.YES else No(by="--answers no")


def decision(line: str) -> PersonAnswer:
    """What a line means where a yes or a no is wanted; whatever is neither is a message."""
    first, _, rest = line.partition(" ")
    word = first.rstrip(",:;.!").casefold()
    if line.casefold() in {"y", "yes"}:
        return Yes(by=getpass.getuser())
    if word in {"n", "no"}:
        return No(comment=rest.strip(), by=getpass.getuser())
    return Say(line)


def shown(hold: OpenHold) -> Panel:
    """The hold as a person sees it: everything that their answer is bound to."""
    arguments = msgspec.json.decode(hold.arguments) if hold.arguments else None
    parts = [document(_question(hold, arguments))]
    if hold.kind is HoldKind.APPROVAL and hold.show != arguments:
        parts.append(f"The call: {hold.tool}({document(hold.arguments or '')})")
    if hold.expires_at is not None:
        parts.append(f"Until {hold.expires_at:%Y-%m-%d %H:%M} UTC.")
    titles = {
        HoldKind.APPROVAL: f"May {hold.tool} run with exactly this?",
        HoldKind.QUESTION: f"A question ({hold.tool})",
        HoldKind.MESSAGE: "A question",
    }
    return Panel(Text("\n\n".join(parts), overflow="fold"), title=Text(titles[hold.kind]), title_align="left", border_style="yellow")


def _question(hold: OpenHold, arguments: object) -> object:
    """A question is what its call says; one lone text needs no JSON around it."""
    if hold.kind is not HoldKind.QUESTION:
        return hold.show
    texts = list(arguments.values()) if isinstance(arguments, dict) else []
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else arguments
