"""What a person is shown before they answer: all of it, however narrow the terminal."""

import io

import pytest
from rich.console import Console

from handrail.cli.asking import Answers, Asking
from handrail.cli.keyboard import Keyboard
from handrail.vocab.answers import Yes
from handrail.vocab.calls import By
from handrail.vocab.outcomes import HoldKind, OpenHold


@pytest.mark.parametrize("width", [20, 80])
async def test_nothing_of_what_is_approved_is_cut_off(width: int) -> None:
    words = [f"word{number}" for number in range(60)]
    show = " ".join(words) + " " + "x" * 200
    out = io.StringIO()
    asking = Asking(Console(file=out, width=width, soft_wrap=True, highlight=False), Keyboard(), Answers.YES)
    hold = OpenHold(id="t1c1h1", kind=HoldKind.APPROVAL, by=By.PERSON, tool="pay", arguments='{"n":5}', show=show)
    assert await asking(hold) == Yes(by="--answers yes")
    seen = out.getvalue()
    assert all(word in seen for word in words)
    assert seen.count("x") >= 200
