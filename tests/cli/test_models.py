"""Which model a command takes, and what it says about it."""

import pytest

from handrail import Agent, Outcome, run
from handrail.cli.listening import listening
from handrail.cli.models import chosen
from handrail.errors import InputError

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


def test_a_free_port_is_known_at_once_and_a_taken_one_is_told() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1 port {port} .*: take another with --port, or 0 for a free one"):
            listening("127.0.0.1", port)
