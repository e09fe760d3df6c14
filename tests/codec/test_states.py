"""A state as JSON and back."""

import pytest

from handrail import Agent
from handrail.codec import decode_state, encode_state
from handrail.core.events import ModelReplied, RunStarted, UserSaid
from handrail.core.react import step
from handrail.core.state import RunState
from handrail.errors import JournalError
from handrail.testing.journals import AT
from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import user

AGENT = Agent(name="a", instructions="x", model="m")


def states() -> list[RunState]:
    call = ProposedCall(id="t1c1", name="gone", arguments="{}", provider_id="p")
    state = RunState()
    found = [state]
    for event in (
        RunStarted(at=AT, run_id="r", agent="a", fingerprint=AGENT.fingerprint, message="hi"),
        UserSaid(at=AT, text="and this"),
        ModelReplied(at=AT, turn=1, calls=(call,), extra={"r": [1, None]}),
        ModelReplied(at=AT, turn=2, text="done"),
    ):
        _, state = step(AGENT, state, event)
        found.append(state)
    assert state.outcome is not None
    return found


@pytest.mark.parametrize("state", states(), ids=lambda state: str(state.seq))
def test_a_state_comes_back_as_it_was(state: RunState) -> None:
    assert decode_state(encode_state(state)) == state


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"v":2}', '{"v":1,"state":{}}', '{"v":2,"state":{"phase":"lost"}}', '{"v":2,"state":{"turn":"x"}}']
)
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(JournalError):
        decode_state(text)


def test_a_state_without_the_newest_fields_is_read_with_their_defaults() -> None:
    assert decode_state('{"v":2,"state":{"run_id":"r"}}') == RunState(run_id="r")


def test_case_43_a_state_is_cleaned_too() -> None:
    state = RunState(transcript=(user("a\x00"),))
    assert decode_state(encode_state(state)).transcript == (user("a\ufffd"),)
