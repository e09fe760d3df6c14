"""What a request says beside what a provider is sent: all the tools, the examples, and whether a text could be taken."""

from typing import Any

import pytest

from handrail.core.agent import Agent
from handrail.core.request import request
from handrail.errors import AgentError
from handrail.vocab.examples import Example, Shown
from handrail.vocab.verdicts import Limit, Measure
from tests.core.kit import FakeGuard, Play, agent, read, write

EXAMPLE = Example(user="Oslo?", calls=(Shown(tool="search", arguments={"q": "Oslo"}),), answer="One.")


def takes_text(play: Play) -> bool:
    return request(play.agent, play.state).text


def submitting(**more: Any) -> Agent:
    return agent(read(), write("send"), submit="send", **more)


def test_all_tools_are_declared_whatever_is_on_offer() -> None:
    guard = FakeGuard(offering=lambda state, tool: tool != "pay")
    play = Play(agent(guards=[guard], examples=[EXAMPLE])).started()
    asked = request(play.agent, play.state)
    assert [tool["function"]["name"] for tool in asked.declared] == ["search", "pay"]
    assert [tool["function"]["name"] for tool in asked.tools] == ["search"]
    assert asked.examples == (EXAMPLE,)


def test_an_agent_without_a_submit_tool_may_always_say_something() -> None:
    assert takes_text(Play(agent()).started(can_ask=False))


def test_with_a_submit_tool_a_text_is_a_question_and_so_there_has_to_be_somebody_to_ask() -> None:
    assert takes_text(Play(submitting()).started())
    assert not takes_text(Play(submitting()).started(can_ask=False))


def test_after_two_questions_without_a_call_between_no_text_could_be_taken() -> None:
    play = Play(submitting()).started()
    for question in ("Where?", "When?"):
        assert takes_text(play)
        play.answered(question).user_said("Somewhere.")
    assert not takes_text(play)
    assert takes_text(play.called("search").did())


def test_on_the_last_turn_no_text_could_be_taken() -> None:
    limit = Limit(measure=Measure.TURNS, name="turns", soft=0, hard=2)
    play = Play(submitting(guards=[FakeGuard(limiting=lambda state: limit)])).started()
    play.called("search").did()
    assert play.state.turns_left == 0 and not takes_text(play)


def test_an_example_of_a_tool_that_is_not_there_is_refused() -> None:
    with pytest.raises(AgentError, match=r"an example of agent 'test' calls 'search', which is not among \['pay'\]"):
        agent(write(), examples=[EXAMPLE])


def test_an_example_that_does_not_fit_is_refused() -> None:
    with pytest.raises(AgentError, match="calls 'search' with arguments that do not fit: city is required"):
        agent(read(needs=["city"]), examples=[EXAMPLE])


def test_examples_are_no_part_of_the_fingerprint_and_stay_when_something_else_is_changed() -> None:
    shown = agent(examples=[EXAMPLE])
    assert shown.fingerprint == agent().fingerprint
    assert shown.but(model="other").examples == (EXAMPLE,)
