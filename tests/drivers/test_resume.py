"""`resume`: a run goes on from its journal, wherever it was left."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from handrail import Agent, Outcome, Yes, resume, run
from handrail.core.events import Event, ModelReplied, TakenOver
from handrail.core.evolve import fold
from handrail.errors import InputError, JournalError, StaleWriter
from handrail.guards import Approval, TurnLimit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, check_transcript, says
from handrail.vocab.outcomes import Status
from handrail.vocab.requests import ModelAnswer, ModelRequest
from tests.drivers.kit import Asked, Desk, Gate, agent, build, done, find, look, names, parked, pay, settle, told

PAYS = agent(find, pay, guards=[Approval("pay")])


async def whole_run() -> tuple[Event, ...]:
    """A run with everything in it: reads, an approval, a write, a text."""
    journal = MemoryJournal()
    script = (calls(("find", {"name": "a"}), ("find", {"name": "b"})), calls(("pay", {"to": "a", "n": 1})), says("ok"))
    outcome = await run(PAYS, "go", model=ScriptedModel(*script), deps=Desk(), ask=Asked(Yes()), journal=journal, run_id="r")
    assert done(outcome).output == "ok"
    return await journal.read("r")


WHOLE = asyncio.run(whole_run())


class Follows:
    """A model that goes on from whatever it is asked: two finds, a payment, a text."""

    async def reply(self, request: ModelRequest, **_: Any) -> ModelAnswer:
        assert check_transcript(request.messages) == []
        lines = told(request.messages)
        if not any("find" in line for line in lines):
            return calls(("find", {"name": "a"}), ("find", {"name": "b"}))
        return says("ok") if any("pay" in line for line in lines) else calls(("pay", {"to": "a", "n": 1}))


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
async def test_a_journal_cut_anywhere_can_be_gone_on_with_and_nothing_is_paid_twice(length: int) -> None:
    journal, desk = MemoryJournal(), Desk()
    await journal.append("r", 0, WHOLE[:length])
    paid_before = "ToolStarted" in names(WHOLE[:length])[names(WHOLE).index("HoldAnswered") :]
    outcome = done(await resume("r", agent=PAYS, model=Follows(), journal=journal, deps=desk, ask=Asked(Yes(), Yes())))
    assert outcome.output == "ok"
    assert desk.paid == ([] if paid_before else ["a 1"])
    events = await journal.read("r")
    assert events[:length] == WHOLE[:length]
    assert check_transcript(fold(events).transcript) == []


async def test_a_run_that_is_over_gives_its_outcome_again() -> None:
    journal = MemoryJournal()
    outcome = await run(agent(), "hi", model=ScriptedModel(says("ok")), journal=journal, run_id="r")
    before = await journal.read("r")
    assert await resume("r", agent=agent(), model=ScriptedModel(), journal=journal) == outcome
    assert await journal.read("r") == before


async def test_a_run_that_nobody_knows_is_the_callers_mistake() -> None:
    with pytest.raises(InputError, match="knows no run 'r'"):
        await resume("r", agent=agent(), model=ScriptedModel(), journal=MemoryJournal())


async def test_case_57_a_run_of_an_agent_that_was_renamed_is_refused_clearly_and_kept() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=desk, journal=journal))
    before = await journal.read(waiting.run_id)
    with pytest.raises(InputError, match="belongs to the agent 'mini', not to 'other'"):
        await resume(waiting.run_id, agent=PAYS.but(name="other"), model=ScriptedModel(), journal=journal, deps=desk, answer=Yes())
    assert (await journal.read(waiting.run_id), desk.paid) == (before, [])


async def test_case_57_the_pending_list_is_intact_after_a_restart() -> None:
    journal = MemoryJournal()
    waiting = parked(await run(PAYS, "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=Desk(), journal=journal))
    elsewhere = MemoryJournal()
    await elsewhere.append(waiting.run_id, 0, await journal.read(waiting.run_id))
    assert await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(), journal=elsewhere, deps=Desk()) == waiting


async def test_a_yes_from_elsewhere_is_no_crash_and_a_lost_model_call_is_one() -> None:
    journal = MemoryJournal()
    waiting = parked(await run(PAYS, "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=Desk(), journal=journal))
    await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(says("ok")), journal=journal, deps=Desk(), answer=Yes())
    assert not any(isinstance(event, TakenOver) for event in await journal.read(waiting.run_id))
    await journal.append("r", 0, WHOLE[:2])
    await resume("r", agent=PAYS, model=Follows(), journal=journal, deps=Desk(), ask=Asked(Yes()))
    assert names(await journal.read("r")).index("TakenOver") == 2


async def test_an_approval_of_a_call_that_was_declared_otherwise_is_asked_again() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=desk, journal=journal))
    changed = agent(find, pay, guards=[Approval("pay"), TurnLimit(9)])
    again = parked(await resume(waiting.run_id, agent=changed, model=ScriptedModel(), journal=journal, deps=desk))
    assert [hold.tool for hold in again.holds] == ["pay"] and desk.paid == []
    assert names(await journal.read(waiting.run_id))[-4:] == ["TakenOver", "CallReopened", "CallHeld", "RunParked"]


async def test_a_tool_that_is_gone_is_an_error_result_and_the_run_goes_on() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=desk, journal=journal))
    model = ScriptedModel(says("never mind"))
    outcome = await resume(waiting.run_id, agent=agent(find), model=model, journal=journal, deps=desk)
    assert done(outcome).output == "never mind"
    assert "There is no tool 'pay'" in told(model.requests[0].messages)[-1]


@pytest.mark.parametrize("interrupted", [look, build], ids=["read", "write"])
async def test_a_driver_that_lost_its_run_to_another_is_told_and_writes_nothing_more(interrupted: Any) -> None:
    journal, desk = MemoryJournal(), Desk()
    works = agent(interrupted)
    model = ScriptedModel(calls((interrupted.name, {})))
    first = asyncio.create_task(run(works, "go", model=model, deps=desk, journal=journal, run_id="r"))
    await desk.begun.wait()
    other = Desk()
    other.go_on.set()
    assert done(await resume("r", agent=works, model=ScriptedModel(says("ok")), journal=journal, deps=other)).output == "ok"
    before = await journal.read("r")
    desk.go_on.set()
    with pytest.raises(StaleWriter):
        await first
    assert await journal.read("r") == before


async def test_a_run_that_is_taken_over_again_and_again_without_progress_ends() -> None:
    journal = MemoryJournal()
    await journal.append("r", 0, WHOLE[:2])
    for _ in range(5):
        gate = Gate()
        task = asyncio.create_task(resume("r", agent=PAYS, model=gate, journal=journal, deps=Desk()))
        await gate.asked.wait()
        task.cancel()
        await asyncio.wait({task})
    outcome = done(await resume("r", agent=PAYS, model=ScriptedModel(), journal=journal, deps=Desk()))
    assert outcome.status is Status.FAILED and outcome.reason is not None and "take-overs" in outcome.reason


async def test_a_journal_that_fails_ends_the_driver_before_anything_is_done() -> None:
    class Full(MemoryJournal):
        async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
            if any(isinstance(event, ModelReplied) for event in events):
                raise OSError(28, "No space left on device")
            await super().append(run_id, seq, events)

    desk, journal = Desk(), Full()
    with pytest.raises(OSError, match="No space"):
        await run(agent(pay), "go", model=ScriptedModel(calls(("pay", {"to": "a", "n": 1}))), deps=desk, journal=journal, run_id="r")
    await settle()
    assert desk.paid == []


async def test_a_journal_of_another_run_is_not_taken_for_this_one() -> None:
    journal = MemoryJournal()
    await journal.append("other", 0, WHOLE)
    with pytest.raises(JournalError, match="kept as the run 'other' is the journal of 'r'"):
        await resume("other", agent=PAYS, model=ScriptedModel(), journal=journal)


async def test_a_broken_journal_says_so() -> None:
    class Broken(MemoryJournal):
        async def read(self, run_id: str) -> tuple[Event, ...]:
            raise JournalError("line 3 is rubbish")

    with pytest.raises(JournalError, match="line 3"):
        await resume("r", agent=agent(), model=ScriptedModel(), journal=Broken())


def test_a_run_is_resumed_in_another_event_loop() -> None:
    journal, desk = MemoryJournal(), Desk()
    model = ScriptedModel(calls(("pay", {"to": "a", "n": 1})))
    waiting = parked(asyncio.run(run(PAYS, "go", model=model, deps=desk, journal=journal)))

    async def go_on(agent: Agent) -> Any:
        return await resume(waiting.run_id, agent=agent, model=ScriptedModel(says("ok")), journal=journal, deps=desk, answer=Yes())

    outcome = asyncio.run(go_on(PAYS))
    assert isinstance(outcome, Outcome) and desk.paid == ["a 1"]
