"""What every journal must do, as checks that are given only a way to make one: for ours, and for one of your own.

    @pytest.mark.parametrize("check", JOURNAL_CHECKS, ids=lambda check: check.__name__)
    async def test_my_journal_keeps_its_promises(check: JournalCheck) -> None:
        await check(MyJournal)

- A check asks for a journal once, and uses run ids that nobody had before: the journal need not be empty.
- A check that does not hold raises `AssertionError`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from handrail.core import events as e
from handrail.core.events import Event
from handrail.errors import StaleWriter
from handrail.ports import Journal
from handrail.vocab.calls import By, ProposedCall
from handrail.vocab.facts import Fact
from handrail.vocab.messages import AssistantMessage, ToolMessage, user
from handrail.vocab.outcomes import Outcome, Status
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage

MakeJournal = Callable[[], Journal]
JournalCheck = Callable[[MakeJournal], Awaitable[None]]
"""One test of the suite: it is given what makes an empty journal, and raises where something does not hold."""
AT = datetime(2026, 1, 1, 12, 0, 0, 250, tzinfo=UTC)
MANY = 8


def one_of_each(run_id: str) -> tuple[Event, ...]:
    """One event of every kind, with a value in every field; not a run that could be, but all that a journal has to keep."""
    call = ProposedCall(id="t1c1", name="pay", arguments='{"to":"Zoë","n":5}', provider_id="call_9")
    usage = Usage(input_tokens=7, output_tokens=3, calls=1)
    history = (
        user("Hello \U0001f44b"),
        AssistantMessage(calls=(call,), extra={"reasoning_content": "hm"}),
        ToolMessage(call="t1c1", content="ok"),
    )
    fact = Fact("place", {"name": "Chéngdū", "id": 1234567890123456789}, key="first", about={"minutes": 1.5}, confirmed=True, tool="find")
    outcome = Outcome(status=Status.COMPLETED, output={"days": [1, 2.5, None, True]}, partial=True, limit="TurnLimit(5)", usage=usage)
    later = AT + timedelta(days=1)
    return (
        e.RunStarted(
            at=AT,
            run_id=run_id,
            agent="mini",
            fingerprint="f" * 32,
            message="Go\n\t\\u0000",
            history=history,
            can_ask=False,
            history_limit=None,
            confirmed=(fact,),
            notes=("They looked at the menu.",),
        ),
        e.HistoryMeasured(at=AT, turn=1, tokens=(3, 5), fixed=9, limit=16),
        e.Summarised(at=AT, upto=1, text="They said hello.", tokens=4, usage=usage),
        e.SummaryFailed(at=AT, upto=1, detail="no words", usage=usage),
        e.InputScreened(at=AT, guard="Screen(warden)", said=1, answer=Answer.FLAWED, flaws=("bait",), comment="hm", usage=usage),
        e.ModelReplied(at=AT, turn=1, text="I will", calls=(call,), finish="tool_calls", refusal="no", extra={"a": [1]}, usage=usage),
        e.ModelFailed(at=AT, turn=1, kind="timeout", detail="slow", retry_at=later),
        e.ToolStarted(at=AT, call="t1c1"),
        e.ToolReturned(at=AT, call="t1c1", content='{"a":1}', text=True, shown="{", facts=(fact,)),
        e.ToolFailed(at=AT, call="t1c1", error="no such account"),
        e.ToolLost(at=AT, call="t1c1", error="it took too long"),
        e.HoldAnswered(
            at=AT, hold="t1c1h1", digest="d" * 32, answer=Answer.FLAWED, comment="hm", flaws=("a", "b"), by="critic", usage=usage
        ),
        e.UserSaid(at=AT, text="and one more", notes=("They closed it.",)),
        e.FactsNoted(at=AT, source="cart", facts=(fact,), replaces=("dish",)),
        e.LandRequested(at=AT, reason="Ctrl-C"),
        e.Ticked(at=AT),
        e.TakenOver(at=AT, fingerprint="0" * 32),
        e.Cancelled(at=AT, reason="changed my mind"),
        e.TurnOpened(turn=1, offered=("pay",), choice="pay", notes=("hurry",), soft=240.0, until=300.5, turns_left=3, hold_text=True),
        e.InputHeld(guard="Screen(warden)"),
        e.SummaryOrdered(upto=1),
        e.HistoryCut(upto=1, code="summarised", text="[They said hello.]"),
        e.CallCleared(call="t1c1", arguments="{}", effect="write", where="server", timeout=30.0, expires_at=later),
        e.CallDeferred(call="t1c2", guard="Prerequisite(pay)", after="t1c1"),
        e.CallHeld(call="t1c1", guard="Approval(pay)", by=By.PERSON, digest="d", arguments="{}", show={"n": 5}, expires_at=later),
        e.CallRefused(call="t1c1", guard="Grounded(pay)", code="ungrounded", reason="no such place"),
        e.CallReopened(call="t1c1", reason="the agent has changed"),
        e.CallRequeued(call="t1c1"),
        e.CallLost(call="t1c1", reason="unknown"),
        e.TextRefused(guard="MustSubmit(pay)", code="must_submit", reason="use the tool"),
        e.TextAmended(guard="AnswerLimit(5)", text="short"),
        e.TextHeld(guard="MustSubmit(pay)", expires_at=later),
        e.LandingAdvanced(stage=e.LandingStage.NUDGE, limit="TimeLimit(300)"),
        e.RunParked(),
        e.RunFinished(outcome=outcome, said="That is all.", withheld=True),
    )


def _new() -> str:
    return f"run_{uuid4().hex}"


def _ticks(many: int) -> tuple[Event, ...]:
    return tuple(e.Ticked(at=AT + timedelta(seconds=number)) for number in range(many))


async def an_unknown_run_has_no_events(make: MakeJournal) -> None:
    """Reading it is no error: a driver asks first."""
    _same(await make().read(_new()), (), "the events of an unknown run")


async def what_is_appended_is_read_back(make: MakeJournal) -> None:
    """Every kind of event, in order and equal in every field."""
    journal, run_id = make(), _new()
    events = one_of_each(run_id)
    await journal.append(run_id, 0, events)
    read = await journal.read(run_id)
    _same([type(event).__name__ for event in read], [type(event).__name__ for event in events], "the kinds of event")
    for stored, event in zip(read, events, strict=True):
        _same(stored, event, f"a {type(event).__name__}")


async def appends_follow_each_other(make: MakeJournal) -> None:
    """The number goes on from what is there."""
    journal, run_id = make(), _new()
    events = one_of_each(run_id)
    await journal.append(run_id, 0, events[:3])
    await journal.append(run_id, 3, events[3:4])
    await journal.append(run_id, 4, events[4:])
    _same(await journal.read(run_id), events, "the events of three appends")


async def a_wrong_number_writes_nothing(make: MakeJournal) -> None:
    """Too small, too large, and any but 0 for a new run."""
    journal, run_id = make(), _new()
    events = one_of_each(run_id)
    await journal.append(run_id, 0, events[:2])
    for seq in (0, 1, 3, 99):
        await _refused(journal, run_id, seq, events[2:4])
    await _refused(journal, other := _new(), 1, events[:1])
    _same(await journal.read(run_id), events[:2], "the events after refused appends")
    _same(await journal.read(other), (), "the events of a run that began at 1")


async def nothing_appended_is_nothing_written(make: MakeJournal) -> None:
    """An empty append changes nothing, and is fenced like any other."""
    journal, run_id = make(), _new()
    await journal.append(run_id, 0, ())
    _same(await journal.read(run_id), (), "the events after an empty append")
    await _refused(journal, run_id, 1, ())


async def of_many_writers_one_wins(make: MakeJournal) -> None:
    """At the same moment, with the same number: one is in, whole, and the others are told."""
    journal, run_id = make(), _new()
    start = one_of_each(run_id)[:1]
    await journal.append(run_id, 0, start)
    batches = [(e.UserSaid(at=AT, text=str(number)), *_ticks(number)) for number in range(MANY)]
    came = await asyncio.gather(*(journal.append(run_id, 1, batch) for batch in batches), return_exceptions=True)
    _same([error for error in came if error is not None and not isinstance(error, StaleWriter)], [], "what the losers were told")
    winners = [batch for batch, error in zip(batches, came, strict=True) if error is None]
    _same(len(winners), 1, "the number of writers that were told that they had written event 1")
    _same(await journal.read(run_id), (*start, *winners[0]), "the events that the winner wrote")


async def runs_are_apart(make: MakeJournal) -> None:
    """Each has its own events and its own numbers."""
    journal, ids = make(), [_new() for _ in range(3)]
    for run_id in ids:
        await journal.append(run_id, 0, one_of_each(run_id)[:1])
    await journal.append(ids[1], 1, _ticks(2))
    _same([len(await journal.read(run_id)) for run_id in ids], [1, 3, 1], "the number of events in three runs")
    firsts = [(await journal.read(run_id))[0] for run_id in ids]
    _same([event.run_id for event in firsts if isinstance(event, e.RunStarted)], ids, "the runs that the journals begin with")


async def what_was_read_stays_as_it_was(make: MakeJournal) -> None:
    """A later append does not change what somebody holds in their hands."""
    journal, run_id = make(), _new()
    await journal.append(run_id, 0, one_of_each(run_id)[:1])
    read = await journal.read(run_id)
    await journal.append(run_id, 1, _ticks(1))
    _same(len(read), 1, "the number of events read before the second append")


JOURNAL_CHECKS: tuple[JournalCheck, ...] = (
    an_unknown_run_has_no_events,
    what_is_appended_is_read_back,
    appends_follow_each_other,
    a_wrong_number_writes_nothing,
    nothing_appended_is_nothing_written,
    of_many_writers_one_wins,
    runs_are_apart,
    what_was_read_stays_as_it_was,
)
"""All of the above. A journal of files that holds one run only cannot pass `runs_are_apart`."""


def _same(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise AssertionError(f"{what} should be {expected!r}, and is {found!r}")


async def _refused(journal: Journal, run_id: str, seq: int, events: tuple[Event, ...]) -> None:
    try:
        await journal.append(run_id, seq, events)
    except StaleWriter:
        return
    raise AssertionError(f"events {seq}… of {run_id!r} were taken although the journal does not have exactly {seq}")
