"""What opening a turn and ending the run do: both take the open turn into the transcript, whole.

The assistant's message, its tool results and at most one user message are appended together, so the transcript is
valid for a strict provider in every state.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from handrail.core.events import Event, RunFinished, TurnOpened
from handrail.core.evolve_calls import error
from handrail.core.state import Offer, OpenCall, RunState
from handrail.core.table import Stage
from handrail.core.transcripts import ends_with_reply, with_user
from handrail.vocab.calls import Where
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage

REMEMBERED = 8
"""Successes by which a repetition is told."""

WITHHELD = "[What the user said here did not pass a check, and was withheld.]"


def taken_in(state: RunState) -> RunState:
    """The counts as they are once the last turn is over: was it fruitless, and has the user spoken?"""
    state = _with_progress(state)
    if not state.inbox:
        return state
    counts = {tool: replace(count, cleared_since=0, succeeded_since=0) for tool, count in state.counts.items()}
    return replace(state, counts=counts, text_refusals=())


def turn_opened(state: RunState, event: TurnOpened) -> RunState:
    """Take the last turn in, and what the user and the ring have to say."""
    notes = (*state.asides, *event.notes)
    said = (*[Said(text=text) for text in state.inbox], *[Said(text=note, ours=True) for note in notes])
    state = taken_in(state)
    return replace(
        state,
        transcript=with_user(_with_reply(state), said),
        turn=event.turn,
        attempt=0,
        offer=Offer(
            offered=event.offered,
            choice=event.choice,
            soft=event.soft,
            until=event.until,
            turns_left=event.turns_left,
            hold_text=event.hold_text,
        ),
        reply=None,
        calls=(),
        inbox=(),
        asides=(),
        unseen=(),
        screening=None,
        condensing=None,
    )


def run_finished(state: RunState, event: RunFinished) -> RunState:
    """Take the last turn in, and the last word where it was not the model's."""
    transcript = _with_reply(state, withheld=event.withheld)
    if event.withheld:
        transcript = with_user(transcript, (Said(text=WITHHELD, ours=True),))
    elif state.turn == 0:
        transcript = with_user(transcript, tuple(Said(text=text) for text in state.inbox))
    if event.said is not None:
        if ends_with_reply(transcript):
            notes = state.reply.notes if state.reply is not None else ()
            transcript = with_user(transcript, tuple(Said(text=note, ours=True) for note in notes or ("The run ended here.",)))
        transcript = (*transcript, AssistantMessage(text=event.said))
    return replace(state, transcript=transcript, calls=(), reply=None, inbox=(), outcome=event.outcome)


def _with_reply(state: RunState, *, withheld: bool = False) -> tuple[Message, ...]:
    message = state.reply.message if state.reply is not None else None
    if message is None or not (message.text or message.calls):
        return state.transcript
    results = [ToolMessage(call=call.id, content=_content(call, withheld=withheld)) for call in state.calls]
    return (*state.transcript, message, *results)


def _content(call: OpenCall, *, withheld: bool) -> str:
    """What the model sees of a call; what a person answered is withheld with everything else that they said last."""
    return error(WITHHELD) if withheld and call.where is Where.PERSON and call.stage is Stage.SUCCEEDED else call.content or ""


def _with_progress(state: RunState) -> RunState:
    if state.reply is None or state.reply.failure is not None:
        return state
    marks = dict.fromkeys([call.mark for call in state.calls if call.stage is Stage.SUCCEEDED])
    fresh = [mark for mark in marks if mark not in state.recent]
    if fresh or state.inbox:
        return replace(state, recent=(*state.recent, *fresh)[-REMEMBERED:], fruitless=0, last_tools=())
    tools = tuple(dict.fromkeys((*state.last_tools, *(call.name for call in state.calls))))
    return replace(state, fruitless=state.fruitless + 1, last_tools=tools)


FOLDS: dict[type[Event], Callable[[RunState, Any], RunState]] = {TurnOpened: turn_opened, RunFinished: run_finished}
