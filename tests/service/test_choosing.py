"""Which model answers, and what is said about it."""

from pathlib import Path

import pytest

from handrail import Agent, ModelSettings, Outcome, run
from handrail.errors import InputError
from handrail.service.choosing import chosen
from tests.models.local.tiny import write

AGENT = Agent(name="small", instructions="Answer.", model="some-model")


@pytest.mark.parametrize("name", [None, "rehearsal"])
async def test_without_a_key_the_stand_in_answers_and_that_is_said(name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # a proxy that is not there: a server on this machine needs none
    async with chosen(name, ()) as choice:
        ended = await run(AGENT, "hello", model=choice.model)
    assert isinstance(ended, Outcome) and "a few rules, not a language model" in ended.output
    assert "a rule-based stand-in for a model, which understands no language" in choice.said
    assert ("OPENAI_API_KEY is not set" in choice.said) == (name is None)
    assert choice.name is None


async def test_with_a_key_the_agents_own_model_answers_or_the_named_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    for name, said in ((None, "The model is the one that the agent names."), ("other", "The model is other.")):
        async with chosen(name, ()) as choice:
            assert (choice.name, choice.said) == (name, said)


async def test_the_stand_in_can_be_asked_for_in_spite_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    async with chosen("rehearsal", ()) as choice:
        assert choice.said.startswith("The model is the rehearsal")


async def test_a_named_model_without_a_key_is_told_what_to_do() -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        async with chosen("other", ()):
            pass


async def test_where_nobody_reads_what_is_said_no_stand_in_answers_unasked() -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        async with chosen(None, (), standing_in=False):
            pass
    async with chosen("rehearsal", (), standing_in=False) as choice:
        assert choice.said.startswith("The model is the rehearsal")


async def test_a_model_in_a_file_runs_here_and_needs_no_key(tmp_path: Path) -> None:
    async with chosen(f"local:{write(tmp_path / 'tiny.gguf')}", ()) as choice:
        ended = await run(AGENT.but(settings=ModelSettings(max_tokens=20)), "hello", model=choice.model)
    assert isinstance(ended, Outcome) and ended.usage.output_tokens > 0
    assert (choice.name, choice.said) == ("tiny", "The model is tiny, which runs here.")


async def test_a_file_that_is_no_model_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no model .*--model local:"):
        async with chosen(f"local:{tmp_path / 'nothing.gguf'}", ()):
            pass
