"""`outstanding(state)`: what has to be going on. Starting, going on and taking over after a crash are the same reading."""

from datetime import datetime, timedelta
from math import ceil

from handrail.core.effects import (
    AskClient,
    AskPerson,
    AskReviewer,
    CallModel,
    Effect,
    RunTool,
    ScreenInput,
    StartTool,
    Summarise,
    WakeAt,
)
from handrail.core.state import OpenCall, RunState
from handrail.core.table import OVER, Phase, Stage
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.outcomes import HoldKind, OpenHold

SHOWING = frozenset({Stage.HELD, Stage.CLEARED, Stage.RUNNING})
"""Stages of a call in which something has to be going on for it."""


def outstanding(state: RunState) -> tuple[Effect, ...]:
    """The effects of a state, each with a key that is the same for as long as it is the same effect."""
    match state.phase:
        case Phase.THINKING:
            return (_thinking(state), *_wake(state))
        case Phase.ACTING | Phase.WAITING:
            effects = [effect for call in state.calls if call.stage in SHOWING and (effect := _effect(state, call)) is not None]
            return (*effects, *_screen(state), *_message(state), *_wake(state))
        case _:
            return ()


def open_holds(state: RunState) -> tuple[OpenHold, ...]:
    """What people are asked for now, for whoever shows it to them."""
    return tuple(
        OpenHold(
            id=effect.hold,
            kind=effect.kind,
            by=By.PERSON,
            tool=effect.tool,
            arguments=effect.arguments,
            show=effect.show,
            digest=effect.digest,
            expires_at=effect.expires_at,
        )
        for effect in outstanding(state)
        if isinstance(effect, AskPerson)
    )


def _thinking(state: RunState) -> CallModel | Summarise:
    key = f"{state.run_id}/t{state.turn}"
    found = state.condensing
    if found is not None and found.upto is not None and found.summary is None:
        return Summarise(key=f"{key}/summary/{found.cuts}.{found.failures}/{state.attempt}", upto=found.upto)
    # A call after a cut is another one.
    attempt = state.attempt if found is None else f"{state.attempt}.{found.cuts}"
    return CallModel(
        key=f"{key}/model/{attempt}",
        turn=state.turn,
        offered=state.offer.offered,
        choice=state.offer.choice,
        hold_text=state.offer.hold_text,
        most_tokens=state.history_limit,
    )


def _screen(state: RunState) -> tuple[ScreenInput, ...]:
    found = state.screening
    if found is None or found.guard is None:
        return ()
    key = f"{state.run_id}/screen/{len(state.said)}/{found.guard}/{found.failures}/{state.attempt}"
    return (ScreenInput(key=key, guard=found.guard, said=state.unseen),)


def _effect(state: RunState, call: OpenCall) -> Effect | None:
    key = f"{state.run_id}/{call.id}"
    arguments = call.arguments or "{}"
    if call.stage is Stage.HELD and call.held is not None:
        return _held(call, key, arguments)
    if call.stage is Stage.CLEARED and call.where is Where.SERVER:
        return StartTool(key=f"{key}/start/{call.started}", call=call.id)
    if call.stage is Stage.CLEARED and call.where is Where.PERSON:
        return AskPerson(
            key=f"{key}/ask",
            hold=call.id,
            kind=HoldKind.QUESTION,
            tool=call.name,
            arguments=arguments,
            show=arguments,
            expires_at=call.expires_at,
        )
    if call.stage is Stage.CLEARED and call.expires_at is not None:
        return AskClient(key=f"{key}/client", call=call.id, tool=call.name, arguments=arguments, deadline=call.expires_at)
    if call.stage is Stage.RUNNING and call.where is Where.SERVER:
        return RunTool(
            key=f"{key}/run/{call.started}", call=call.id, tool=call.name, arguments=arguments, idempotency_key=key, seconds=call.timeout
        )
    return None


def _held(call: OpenCall, key: str, arguments: str) -> Effect | None:
    held = call.held
    if held is None:
        return None
    if held.by is By.REVIEWER:
        return AskReviewer(
            key=f"{key}/{held.id}",
            hold=held.id,
            digest=held.digest,
            guard=held.guard,
            tool=call.name,
            arguments=arguments,
            show=held.show,
        )
    return AskPerson(
        key=f"{key}/{held.id}",
        hold=held.id,
        kind=HoldKind.APPROVAL,
        digest=held.digest,
        tool=call.name,
        arguments=arguments,
        show=held.show,
        expires_at=held.expires_at,
    )


def _message(state: RunState) -> tuple[AskPerson, ...]:
    reply = state.reply
    if reply is None or not reply.text_held or reply.message is None or state.inbox:
        return ()
    hold = f"t{state.turn}text"
    return (
        AskPerson(
            key=f"{state.run_id}/{hold}", hold=hold, kind=HoldKind.MESSAGE, show=reply.message.text or "", expires_at=reply.text_expires
        ),
    )


def _wake(state: RunState) -> tuple[WakeAt, ...]:
    """The nearest limit, expiry or deadline."""
    clock = state.clock
    if clock is None:
        return ()
    times = _deadlines(state)
    if state.phase is not Phase.WAITING and state.offer.until is not None:
        # Rounded up: a wake that comes a fraction too early would be asked for again and again.
        times.append(clock.at + timedelta(microseconds=ceil((state.offer.until - clock.active) * 1_000_000)))
    if not times:
        return ()
    nearest = min(times) if len(times) > 1 else times[0]
    return (WakeAt(key=f"{state.run_id}/wake/{nearest.timestamp()}", at=nearest),)


def _deadlines(state: RunState) -> list[datetime]:
    times: list[datetime] = []
    for call in state.calls:
        if call.stage in OVER:
            continue
        expires = call.held.expires_at if call.held is not None else call.expires_at
        if expires is not None:
            times.append(expires)
        if state.stop is not None and call.started_at is not None and call.effect is not ToolEffect.READ:
            times.append(call.started_at + timedelta(seconds=call.timeout))
    reply = state.reply
    if reply is not None and (reply.text_expires is not None or reply.retry_at is not None):
        times += [at for at in (reply.text_expires, reply.retry_at) if at is not None]
    return times
