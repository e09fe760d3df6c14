"""People: what they are asked, what their answers do, and what is no answer."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from handrail import Answered, No, Say, Yes, resume, run
from handrail.core.events import CallHeld, CallRefused, HoldAnswered, ToolReturned, UserSaid
from handrail.errors import InputError, StaleInput
from handrail.guards import Approval, MustSubmit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel, calls, says
from handrail.vocab.outcomes import HoldKind, OpenHold, Status
from tests.drivers.kit import Asked, Desk, agent, choose, done, find, names, parked, pay, settle, submit, told

PAYS = agent(find, pay, guards=[Approval("pay")])
TO_ANN = ("pay", {"to": "ann", "n": 5})
TO_BOB = ("pay", {"to": "bob", "n": 5})


async def test_a_person_sees_the_exact_call_and_their_yes_lets_it_run() -> None:
    desk, ask = Desk(), Asked(Yes(by="ann@example.com"))
    journal = MemoryJournal()
    model = ScriptedModel(calls(TO_ANN), says("Paid."))
    outcome = done(await run(PAYS, "pay ann", model=model, deps=desk, ask=ask, journal=journal, run_id="r"))
    assert (outcome.output, desk.paid) == ("Paid.", ["ann 5"])
    (hold,) = ask.holds
    assert (hold.kind, hold.tool, hold.arguments, hold.show) == (HoldKind.APPROVAL, "pay", '{"n":5,"to":"ann"}', {"to": "ann", "n": 5})
    answered = next(event for event in await journal.read("r") if isinstance(event, HoldAnswered))
    assert (answered.digest, answered.by) == (hold.digest, "ann@example.com")


async def test_without_anybody_to_ask_the_run_parks_and_their_answer_goes_on_with_it() -> None:
    desk, journal = Desk(), MemoryJournal()
    waiting = parked(await run(PAYS, "pay ann", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    assert desk.paid == [] and [hold.tool for hold in waiting.holds] == ["pay"]
    outcome = await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(says("Paid.")), journal=journal, deps=desk, answer=Yes())
    assert (done(outcome).output, desk.paid) == ("Paid.", ["ann 5"])


async def test_who_cannot_answer_now_parks_the_run_too() -> None:
    ask = Asked(None)
    waiting = parked(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=Desk(), ask=ask))
    assert [hold.id for hold in waiting.holds] == [hold.id for hold in ask.holds] == ["t1c1h1"]


async def test_reads_are_finished_before_a_run_parks() -> None:
    journal = MemoryJournal()
    model = ScriptedModel(calls(TO_ANN, ("find", {"name": "x"})))
    waiting = parked(await run(PAYS, "pay", model=model, deps=Desk(), journal=journal))
    assert names(await journal.read(waiting.run_id))[-2:] == ["ToolReturned", "RunParked"]


async def test_people_are_asked_one_thing_at_a_time() -> None:
    at_once = 0

    async def ask(hold: OpenHold) -> Yes:
        nonlocal at_once
        at_once += 1
        assert at_once == 1
        await settle()
        at_once -= 1
        return Yes()

    desk = Desk()
    model = ScriptedModel(calls(TO_ANN, TO_BOB, ("choose", {"question": "A or B?"})), says("ok"))
    two = agent(pay, choose, guards=[Approval("pay")])

    async def either(hold: OpenHold) -> Any:
        return Say("A") if hold.kind is HoldKind.QUESTION else await ask(hold)

    await run(two, "pay", model=model, deps=desk, ask=either)
    assert desk.paid == ["ann 5", "bob 5"]


async def test_the_answer_to_a_question_is_its_result_and_confirmed() -> None:
    ask, journal = Asked(Say("the red one")), MemoryJournal()
    model = ScriptedModel(calls(("choose", {"question": "Red or blue?"})), says("Red then."))
    await run(agent(choose), "hi", model=model, ask=ask, journal=journal, run_id="r")
    assert (ask.holds[0].kind, ask.holds[0].show) == (HoldKind.QUESTION, '{"question":"Red or blue?"}')
    assert told(model.requests[1].messages)[-1] == "tool: t1c1 the red one"
    assert 'answer: "the red one"' in model.requests[1].system


@pytest.mark.parametrize(("answer", "words"), [(Yes(), "yes"), (No(), "no"), (No("not today"), "no: not today")])
async def test_a_yes_or_a_no_to_a_question_is_said_in_words(answer: Any, words: str) -> None:
    model = ScriptedModel(calls(("choose", {"question": "Now?"})), says("ok"))
    await run(agent(choose), "hi", model=model, ask=Asked(answer))
    assert told(model.requests[1].messages)[-1] == f"tool: t1c1 {words}"


async def test_each_question_gets_its_own_answer_whichever_comes_first() -> None:
    journal = MemoryJournal()
    two = calls(("choose", {"question": "one?"}), ("choose", {"question": "two?"}))
    waiting = parked(await run(agent(choose), "hi", model=ScriptedModel(two), journal=journal))
    assert [hold.id for hold in waiting.holds] == ["t1c1", "t1c2"]
    again = await resume(
        waiting.run_id,
        agent=agent(choose),
        model=ScriptedModel(),
        journal=journal,
        answer=Answered(hold="t1c2", digest="", answer=Say("second")),
    )
    assert [hold.id for hold in parked(again).holds] == ["t1c1"]
    model = ScriptedModel(says("ok"))
    await resume(waiting.run_id, agent=agent(choose), model=model, journal=journal, answer=Say("first"))
    assert told(model.requests[0].messages)[-2:] == ["tool: t1c1 first", "tool: t1c2 second"]


async def test_a_short_text_of_a_submitting_agent_is_a_question_and_the_run_goes_on_with_the_answer() -> None:
    asks = agent(submit, submit="submit", guards=[MustSubmit("submit")])
    ask = Asked(Say("Two weeks."))
    model = ScriptedModel(says("How long?"), calls(("submit", {"text": "plan"})))
    outcome = done(await run(asks, "plan a trip", model=model, ask=ask))
    assert (ask.holds[0].kind, ask.holds[0].show, outcome.output) == (HoldKind.MESSAGE, "How long?", {"handed in": "plan"})
    assert told(model.requests[1].messages)[-1] == "user: Two weeks."


async def test_an_approval_that_expires_while_a_person_thinks_is_over() -> None:
    clock, thinking = ManualClock(), asyncio.Event()

    async def ask(hold: OpenHold) -> Any:
        thinking.set()
        await asyncio.Event().wait()

    desk = Desk()
    model = ScriptedModel(calls(TO_ANN), says("too late"))
    quick = agent(pay, guards=[Approval("pay", expires=timedelta(minutes=5))])
    task = asyncio.create_task(run(quick, "pay", model=model, deps=desk, ask=ask, clock=clock))
    await thinking.wait()
    await clock.until_waiting()
    clock.advance(300)
    assert done(await task).output == "too late"
    assert desk.paid == [] and "Nobody answered in time" in told(model.requests[1].messages)[-1]


async def test_an_answer_after_the_expiry_is_refused_and_the_run_goes_on_without_it() -> None:
    clock, desk, journal = ManualClock(), Desk(), MemoryJournal()
    quick = agent(pay, guards=[Approval("pay", expires=timedelta(minutes=5))])
    waiting = parked(await run(quick, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal, clock=clock))
    clock.advance(300)
    with pytest.raises(StaleInput) as error:
        await resume(waiting.run_id, agent=quick, model=ScriptedModel(), journal=journal, deps=desk, answer=Yes(), clock=clock)
    assert error.value.code == "expired"
    model = ScriptedModel(says("too late"))
    outcome = done(await resume(waiting.run_id, agent=quick, model=model, journal=journal, deps=desk, clock=clock))
    assert (outcome.output, desk.paid) == ("too late", [])


async def test_a_hold_that_expired_while_nobody_was_there_is_closed_at_the_next_resume() -> None:
    clock, desk, journal = ManualClock(), Desk(), MemoryJournal()
    quick = agent(pay, guards=[Approval("pay", expires=timedelta(minutes=5))])
    waiting = parked(await run(quick, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal, clock=clock))
    again = parked(await resume(waiting.run_id, agent=quick, model=ScriptedModel(), journal=journal, deps=desk, clock=clock))
    assert again == waiting
    clock.advance(301)
    model = ScriptedModel(says("too late"))
    assert done(await resume(waiting.run_id, agent=quick, model=model, journal=journal, deps=desk, clock=clock)).output == "too late"


async def test_case_53_a_yes_to_one_call_is_a_yes_to_nothing_else() -> None:
    journal = MemoryJournal()
    desk = Desk()
    waiting = parked(await run(PAYS, "pay ann", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    yes = Answered(hold=waiting.holds[0].id, digest=waiting.holds[0].digest, answer=Yes())
    again = parked(await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(calls(TO_BOB)), journal=journal, deps=desk, answer=yes))
    assert desk.paid == ["ann 5"], "another argument asks again"
    assert again.holds[0].digest != waiting.holds[0].digest
    for old in (yes, Answered(hold=again.holds[0].id, digest=yes.digest, answer=Yes())):
        with pytest.raises(StaleInput):
            await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, answer=old)
    assert desk.paid == ["ann 5"]


async def test_case_53_the_same_call_in_another_run_asks_again() -> None:
    journal, desk = MemoryJournal(), Desk()
    first = parked(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    second = parked(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    stolen = Answered(hold=second.holds[0].id, digest=first.holds[0].digest, answer=Yes())
    with pytest.raises(StaleInput) as error:
        await resume(second.run_id, agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, answer=stolen)
    assert (error.value.code, desk.paid) == ("digest", [])


async def test_case_53_the_order_of_the_keys_is_no_change() -> None:
    journal, desk = MemoryJournal(), Desk()
    with ScriptedModel(calls(("pay", '{"n": 5.0, "to": "ann"}')), says("ok")) as model:
        await run(PAYS, "pay", model=model, deps=desk, ask=Asked(Yes()), journal=journal, run_id="r")
    assert desk.paid == ["ann 5"]
    held = next(event for event in await journal.read("r") if isinstance(event, CallHeld))
    assert held.arguments == '{"n":5,"to":"ann"}'


@pytest.mark.parametrize("wrong", [True, False, "yes", "", "false", "no", 0, 1, {}, {"yes": True}, [], Yes, Answered], ids=repr)
async def test_case_55_only_an_exact_yes_is_a_yes(wrong: Any) -> None:
    journal, desk = MemoryJournal(), Desk()
    with pytest.raises(InputError, match="nothing else counts as one"):
        await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, ask=Asked(wrong), journal=journal, run_id="r")
    with pytest.raises(InputError, match="nothing else counts as one"):
        await resume("r", agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, answer=wrong)
    bound = Answered(hold="t1c1h1", digest="d", answer=wrong)
    with pytest.raises(InputError, match="nothing else counts as one"):
        await resume("r", agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, answer=bound)
    assert desk.paid == []
    assert done(await resume("r", agent=PAYS, model=ScriptedModel(says("ok")), journal=journal, deps=desk, answer=Yes())).output == "ok"


async def test_case_55_no_answer_at_all_is_still_pending() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    for _ in range(2):
        again = parked(await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk))
        assert again == waiting
    assert parked(await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, ask=Asked(None))) == waiting
    assert desk.paid == []


async def test_case_58_a_no_is_quoted_to_the_model_and_the_same_call_is_not_asked_again() -> None:
    journal, desk, ask = MemoryJournal(), Desk(), Asked()
    waiting = parked(await run(PAYS, "pay ann", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    model = ScriptedModel(calls(TO_ANN), calls(("pay", {"n": 5, "to": "ann"})), says("I will not."))
    outcome = await resume(
        waiting.run_id, agent=PAYS, model=model, journal=journal, deps=desk, ask=ask, answer=No('wrong "account"', by="ann")
    )
    assert (done(outcome).output, desk.paid, ask.holds) == ("I will not.", [], [])
    first, again = (told(request.messages)[-1] for request in model.requests[:2])
    assert "A person refused this very call; it was not run." in first
    assert "wrong" in first and "account" in first and "Do not repeat it" in first
    assert "A person refused this very call" in again
    refused = [event.code for event in await journal.read(waiting.run_id) if isinstance(event, CallRefused)]
    assert refused == ["person_refused", "refused_before", "refused_before"]


async def test_case_58_a_no_without_words_is_a_no_and_another_call_asks_again() -> None:
    desk, ask = Desk(), Asked(No(), Yes())
    with ScriptedModel(calls(TO_ANN), calls(TO_BOB), says("ok")) as model:
        await run(PAYS, "pay", model=model, deps=desk, ask=ask)
    assert desk.paid == ["bob 5"] and len(ask.holds) == 2
    assert "Their words" not in told(model.requests[1].messages)[-1]


async def test_case_59_a_message_instead_of_an_answer_closes_the_call_and_the_model_goes_on_from_it() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "pay ann 5", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    card = Answered(hold=waiting.holds[0].id, digest=waiting.holds[0].digest, answer=Yes())
    model = ScriptedModel(says("Three then?"))
    words = Say("yes please! actually use 3 instead")
    assert done(await resume(waiting.run_id, agent=PAYS, model=model, journal=journal, deps=desk, answer=words)).output == "Three then?"
    assert desk.paid == [], "text is never consent"
    assert told(model.requests[0].messages)[-1] == f"user: {words.text}"
    with pytest.raises(StaleInput) as error:
        await resume(waiting.run_id, agent=PAYS, model=ScriptedModel(), journal=journal, deps=desk, answer=card)
    assert (error.value.code, desk.paid) == ("phase", [])


async def test_case_59_the_same_from_somebody_at_the_terminal() -> None:
    desk = Desk()
    with ScriptedModel(calls(TO_ANN), says("ok")) as model:
        await run(PAYS, "pay", model=model, deps=desk, ask=Asked(Say("use 3 instead")))
    assert desk.paid == [] and told(model.requests[1].messages)[-1] == "user: use 3 instead"


async def test_an_answer_without_a_name_needs_exactly_one_open_hold() -> None:
    journal = MemoryJournal()
    two = calls(("choose", {"question": "one?"}), ("choose", {"question": "two?"}))
    await run(agent(choose), "hi", model=ScriptedModel(two), journal=journal, run_id="r")
    with pytest.raises(InputError, match="open here: 't1c1', 't1c2'"):
        await resume("r", agent=agent(choose), model=ScriptedModel(), journal=journal, answer=Say("hm"))
    await run(agent(), "hi", model=ScriptedModel(says("ok")), journal=journal, run_id="over")
    with pytest.raises(StaleInput, match="is over"):
        await resume("over", agent=agent(), model=ScriptedModel(), journal=journal, answer=Yes())


async def test_an_empty_word_is_no_answer() -> None:
    with pytest.raises(InputError, match="needs a text"):
        await run(agent(choose), "hi", model=ScriptedModel(calls(("choose", {"question": "?"}))), ask=Asked(Say(" ")))


@pytest.mark.parametrize("hold", ["t9c9h1", "t1c1h2", ""])
async def test_an_answer_to_a_hold_that_is_not_there_is_stale(hold: str) -> None:
    journal = MemoryJournal()
    await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), journal=journal, run_id="r")
    before = await journal.read("r")
    with pytest.raises(StaleInput) as error:
        await resume("r", agent=PAYS, model=ScriptedModel(), journal=journal, answer=Answered(hold=hold, digest="d", answer=Yes()))
    assert error.value.code == "hold"
    assert await journal.read("r") == before


async def test_of_two_answers_at_once_one_counts_and_the_tool_runs_once() -> None:
    journal, desk = MemoryJournal(), Desk()
    waiting = parked(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, journal=journal))
    models = [ScriptedModel(says("one")), ScriptedModel(says("two"))]
    came = await asyncio.gather(
        *(resume(waiting.run_id, agent=PAYS, model=model, journal=journal, deps=desk, answer=Yes()) for model in models),
        return_exceptions=True,
    )
    assert len([each for each in came if isinstance(each, Exception)]) == 1
    assert desk.paid == ["ann 5"]


async def test_what_goes_wrong_with_asking_is_raised_and_leaves_the_run_resumable() -> None:
    journal, desk = MemoryJournal(), Desk()

    async def ask(hold: OpenHold) -> Any:
        raise EOFError("the terminal is gone")

    with pytest.raises(EOFError):
        await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=desk, ask=ask, journal=journal, run_id="r")
    assert done(await resume("r", agent=PAYS, model=ScriptedModel(says("ok")), journal=journal, deps=desk, ask=Asked(Yes()))).output == "ok"


async def test_an_ask_that_cancels_itself_cannot_answer_now() -> None:
    async def ask(hold: OpenHold) -> Any:
        raise asyncio.CancelledError

    waiting = await asyncio.wait_for(run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN)), deps=Desk(), ask=ask), 30)
    assert parked(waiting).holds


async def test_a_refused_run_can_end_without_output() -> None:
    outcome = done(await run(PAYS, "pay", model=ScriptedModel(calls(TO_ANN), says("Then not.")), deps=Desk(), ask=Asked(No())))
    assert outcome.status is Status.COMPLETED and outcome.output == "Then not."


async def test_answers_are_journalled_as_what_they_are() -> None:
    journal = MemoryJournal()
    model = ScriptedModel(calls(("choose", {"question": "?"})), calls(TO_ANN), says("ok"))
    both = agent(choose, pay, guards=[Approval("pay")])
    await run(both, "hi", model=model, deps=Desk(), ask=Asked(Say("A"), Say("B")), journal=journal, run_id="r")
    kinds = [type(event) for event in await journal.read("r") if isinstance(event, ToolReturned | UserSaid | HoldAnswered)]
    assert kinds == [ToolReturned, UserSaid]
