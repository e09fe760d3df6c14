"""The search benchmark tells what is answered and what is missed."""

import pytest

from benchmarks.search.__main__ import main, report


async def test_what_is_missed_is_named() -> None:
    first, *missed = await report(meaning=False, within=3)
    assert first == "by words: 35 of 40 answered within 3"
    assert len(missed) == 5 and missed[0].startswith("  missed: something for a small child (found: nothing)")


@pytest.mark.slow
def test_the_command_prints_both_ways_or_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--within", "200"])
    told = capsys.readouterr().out
    assert "by words: " in told and "by words and meaning" in told
