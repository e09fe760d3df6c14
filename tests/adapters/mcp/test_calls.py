"""Calls over MCP: the ring decides about each, and the journal has all of them."""

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from handrail import tool
from handrail.adapters.mcp import Calls, InMemory
from handrail.adapters.mcp.attempt import GRACE, MOST_TURNS, started
from handrail.adapters.mcp.draft import Draft
from handrail.core.effects import AskReviewer
from handrail.core.events import Event, HoldAnswered, ModelReplied, ToolFailed, ToolReturned, ToolStarted
from handrail.core.evolve import fold
from handrail.core.state import RunState
from handrail.errors import AgentError
from handrail.guards import CallLimit, Prerequisite, Review, TimeLimit, TurnLimit
from handrail.testing import ManualClock
from handrail.vocab.calls import ProposedCall
from handrail.vocab.contract import check_transcript
from handrail.vocab.outcomes import Status
from handrail.vocab.reviews import Answer
from tests.adapters.mcp.kit import LEGACY, MODERN, Bank, Wired, bank, find, look, pay, post, refusal, said, wired

MODES = pytest.mark.parametrize("mode", [LEGACY, MODERN])


async def state_of(made: Wired) -> RunState:
    state = await made.keeping.current()
    assert state is not None
    return state


async def events_of(made: Wired) -> tuple[Event, ...]:
    return await made.journal.read((await state_of(made)).run_id)


@MODES
async def test_a_tool_has_its_declaration_a_title_and_all_four_hints(mode: str) -> None:
    async with wired(bank(tools=(find, pay)), mode=mode) as made:
        found, paying = (await made.client.list_tools()).tools
        assert (found.name, found.title, found.description) == ("find", "Find", "Find a place.")
        assert found.input_schema == find.declaration["function"]["parameters"]
        hints = [each.annotations.model_dump(exclude={"title"}) for each in (found, paying) if each.annotations is not None]
        assert hints == [
            {"read_only_hint": True, "destructive_hint": False, "idempotent_hint": True, "open_world_hint": True},
            {"read_only_hint": False, "destructive_hint": True, "idempotent_hint": False, "open_world_hint": True},
        ]
        assert (getattr(made.client.server_info, "name", None), made.client.instructions) == ("bank", "A bank.")


@MODES
async def test_a_call_is_run_and_its_result_is_what_a_model_sees(mode: str) -> None:
    async with wired(bank(), mode=mode) as made:
        result = await made.call("find", name="Oslo")
        assert (result.is_error, said(result)) == (False, '{"found":"Oslo"}')
        state = await state_of(made)
        assert state.ledger.facts[0].value == "Oslo"
        check_transcript(state.transcript)


@MODES
async def test_what_the_ring_refuses_comes_back_as_an_error_and_is_not_run(mode: str) -> None:
    async with wired(bank(Prerequisite("pay", of="find")), mode=mode) as made:
        assert "only after 'find' has succeeded" in refusal(await made.call("pay", to="bob", n=5))
        assert made.work.did == []
        await made.call("find", name="Bob")
        assert said(await made.call("pay", to="bob", n=5)) == "paid 5 to bob"


async def test_arguments_are_held_against_the_declaration_by_us() -> None:
    async with wired(bank()) as made:
        for arguments in ({"to": "bob"}, {"to": "bob", "n": "5"}, {"to": "bob", "n": True}, {"to": "bob", "n": 5, "x": 1}):
            assert refusal(await made.call("pay", **arguments))
        assert refusal(await made.call("find"))
        assert made.work.did == []


async def test_a_number_that_is_no_json_is_refused() -> None:
    clock = ManualClock()
    answer: Any = await Calls(bank(), clock=clock, deps=Bank()).call(InMemory(clock), "pay", {"to": "bob", "n": float("inf")})
    assert answer.failed and "not JSON" in answer.content


async def test_an_unknown_tool_is_told_what_there_is() -> None:
    async with wired(bank(tools=(find, pay))) as made:
        assert refusal(await made.call("destroy")) == "There is no tool 'destroy' here. You can call: find, pay."


async def test_a_tool_that_says_that_nothing_happened_is_an_error_in_its_own_words() -> None:
    async with wired(bank()) as made:
        assert refusal(await made.call("broke", to="bob")) == "no account for bob"


async def test_what_runs_in_a_browser_or_with_a_person_is_not_served() -> None:
    @tool(effect="read", where="client")
    async def page() -> str:
        """Say what is on the page."""
        raise NotImplementedError

    @tool(effect="read", where="person")
    async def ask(question: str) -> str:
        """Ask the user."""
        raise NotImplementedError

    async with wired(bank(tools=(find, page, ask))) as made:
        assert await made.names() == ["find"]
        assert "no tool 'page' here" in refusal(await made.call("page"))
        assert "no tool 'ask' here" in refusal(await made.call("ask", question="?"))


async def test_a_tool_that_the_ring_withdraws_is_listed_no_more_and_clients_with_a_handshake_are_told() -> None:
    async with wired(bank(CallLimit("find", 1), tools=(find, pay)), mode=LEGACY) as made:
        await made.call("find", name="Oslo")
        assert await made.names() == ["pay"]
        assert made.told == ["notifications/tools/list_changed"]
        assert "has been" in refusal(await made.call("find", name="Bergen"))
        assert made.work.did == ["find Oslo"]


async def test_clients_without_a_handshake_are_told_when_they_listen() -> None:
    async with wired(bank(CallLimit("find", 1), tools=(find, pay))) as made, made.client.listen(tools_list_changed=True) as changes:
        await made.call("find", name="Oslo")
        assert type(await anext(aiter(changes))).__name__ == "ToolsListChanged"
        assert await made.names() == ["pay"]


@MODES
async def test_progress_says_that_a_call_is_judged_runs_and_has_ended(mode: str) -> None:
    steps: list[tuple[float, str | None]] = []

    async def saw(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, message))

    async with wired(bank(), mode=mode) as made:
        await made.client.call_tool("find", {"name": "Oslo"}, progress_callback=saw)
    assert steps == [(0, "It is judged."), (1, "It runs."), (2, "It has ended.")]


async def test_a_run_that_a_limit_has_ended_makes_place_for_a_new_one() -> None:
    async with wired(bank(TurnLimit(2))) as made:
        await made.call("find", name="Oslo")
        last = await made.call("find", name="Bergen")
        assert "No turn is left" in refusal(last)
        assert "This run has ended (failed: TurnLimit(2)); the next call begins a new one." in str(last.content[1])
        assert not (await made.call("find", name="Bergen")).is_error
        assert len(made.journal.runs()) == 2


async def test_a_run_that_no_limit_ends_has_so_many_turns() -> None:
    clock = ManualClock()
    keeping, calls = InMemory(clock), Calls(bank(), clock=clock, deps=Bank())
    for _ in range(MOST_TURNS):
        await calls.call(keeping, "find", {"name": "Oslo"})
    state = await keeping.current()
    assert state is not None and state.turn < MOST_TURNS


async def test_the_submit_tool_ends_the_run() -> None:
    async with wired(bank(submit="pay", tools=(find, pay))) as made:
        result = await made.call("pay", to="bob", n=5)
        assert (said(result), result.is_error) == ("paid 5 to bob", False)
        state = await state_of(made)
        assert state.outcome is not None and state.outcome.status is Status.COMPLETED


async def test_where_a_run_lands_the_client_gets_what_was_composed() -> None:
    agent = bank(TurnLimit(2), submit="pay", tools=(find, pay), land=lambda ledger: {"places": len(ledger.facts)})
    async with wired(agent) as made:
        results = [await made.call("find", name="Oslo") for _ in range(3)]
        assert any('{"places":1}' in str(result.content) for result in results)


async def test_the_clients_own_time_is_not_the_runs() -> None:
    async with wired(bank(TimeLimit(60))) as made:
        for _ in range(4):
            made.clock.advance(3_600)
            assert not (await made.call("find", name="Oslo")).is_error
        assert len(made.journal.runs()) == 1


async def test_notes_of_the_rings_come_along() -> None:
    async with wired(bank(TurnLimit(4), submit="pay", tools=(find, pay), land=lambda ledger: "landed")) as made:
        noted = [await made.call("find", name=name) for name in ("Oslo", "Bergen")]
        assert any("[note] Not much is left of this run" in str(result.content[1:]) for result in noted)


async def test_calls_of_one_client_come_one_after_the_other() -> None:
    async with wired(bank()) as made:
        first = asyncio.create_task(made.call("post"))
        await made.work.begun.wait()
        second = asyncio.create_task(made.call("find", name="Oslo"))
        made.work.go_on.set()
        assert said(await first) == "posted"
        assert not (await second).is_error
        assert made.work.did == ["posted", "find Oslo"]
        assert fold(await events_of(made)) == await state_of(made)


@MODES
async def test_a_client_that_goes_away_stops_a_read(mode: str) -> None:
    async with wired(bank(tools=(look, find)), mode=mode) as made:
        await stopped(made, "look")
        assert not (await made.call("find", name="Oslo")).is_error
        assert made.work.did == ["find Oslo"]
        failed = [event for event in await events_of(made) if isinstance(event, ToolFailed)]
        assert [event.error for event in failed] == ["The client went away, and this was stopped."]


@MODES
async def test_a_write_that_runs_is_let_finish_when_its_client_goes_away(mode: str) -> None:
    async with wired(bank(tools=(post, find)), mode=mode) as made:
        await stopped(made, "post")
        made.work.go_on.set()
        assert not (await made.call("find", name="Oslo")).is_error
        assert made.work.did == ["posted", "find Oslo"]
        assert next(event.content for event in await events_of(made) if isinstance(event, ToolReturned)) == "posted"


async def stopped(made: Wired, name: str) -> None:
    call = asyncio.create_task(made.call(name))
    await made.work.begun.wait()
    call.cancel()
    await asyncio.wait({call})


async def test_at_the_end_writes_that_run_are_waited_for() -> None:
    clock, work = ManualClock(), Bank()
    calls = Calls(bank(), clock=clock, deps=work)
    call = asyncio.create_task(calls.call(InMemory(clock), "post", {}))
    await work.begun.wait()
    closing = asyncio.create_task(calls.close())
    work.go_on.set()
    await closing
    assert work.did == ["posted"]
    await call


async def test_at_the_end_a_write_that_does_not_come_to_one_is_given_up_and_said_to_be_unknown() -> None:
    clock, work = ManualClock(), Bank()
    keeping, calls = InMemory(clock), Calls(bank(), clock=clock, deps=work)
    call = asyncio.create_task(calls.call(keeping, "post", {}))
    await work.begun.wait()
    closing = asyncio.create_task(calls.close())
    await clock.until_waiting()
    clock.advance(GRACE.total_seconds())
    await closing
    await asyncio.wait({call})
    assert call.cancelled() and work.did == []


async def left_running(keeping: InMemory, clock: ManualClock, name: str) -> None:
    """A call that another process has started, and whose end it has never written."""
    agent, made = bank(), [started(bank(), "", clock.now())]

    def start(run_id: str) -> tuple[Event, ...]:
        made.append(started(agent, run_id, clock.now()))
        return made[-1].events

    await keeping.begin(start)
    draft = Draft(agent, made[-1].state)
    draft.apply(ModelReplied(at=clock.now(), turn=1, calls=(ProposedCall(id="t1c1", name=name, arguments="{}"),)))
    draft.apply(ToolStarted(at=clock.now(), call="t1c1"))
    await keeping.append(draft.state, draft.seq, draft.events)


async def test_a_write_whose_process_is_gone_is_never_run_again() -> None:
    clock, work = ManualClock(), Bank()
    keeping = InMemory(clock)
    await left_running(keeping, clock, "post")
    clock.advance(post.timeout + GRACE.total_seconds())
    await Calls(bank(), clock=clock, deps=work).call(keeping, "find", {"name": "Oslo"})
    assert work.did == ["find Oslo"]


async def test_a_read_whose_process_is_gone_is_repeated_so_that_the_run_goes_on() -> None:
    clock, work = ManualClock(), Bank()
    keeping = InMemory(clock)
    await left_running(keeping, clock, "look")
    clock.advance(look.timeout + GRACE.total_seconds())
    work.go_on.set()
    await Calls(bank(), clock=clock, deps=work).call(keeping, "find", {"name": "Oslo"})
    assert work.did == ["looked", "find Oslo"]


async def test_what_another_process_still_runs_is_waited_for() -> None:
    clock, work = ManualClock(), Bank()
    keeping = InMemory(clock)
    await left_running(keeping, clock, "post")
    call = asyncio.create_task(Calls(bank(), clock=clock, deps=work).call(keeping, "find", {"name": "Oslo"}))
    await clock.until_waiting()
    state = await keeping.current()
    assert state is not None and work.did == []
    draft = Draft(bank(), state)
    draft.apply(ToolReturned(at=clock.now(), call="t1c1", content="posted", text=True))
    await keeping.append(draft.state, draft.seq, draft.events)
    clock.advance(1)
    await call
    assert work.did == ["find Oslo"]


async def test_what_breaks_here_is_not_told_to_the_client(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(InMemory):
        async def current(self) -> RunState | None:
            raise RuntimeError("postgres://user:hunter2@db")

    async with wired(bank(), keeping=Broken(ManualClock())) as made:
        with pytest.raises(MCPError) as raised:
            await made.call("find", name="Oslo")
    assert "hunter2" not in str(raised.value) and "has been logged" in str(raised.value)


async def test_a_reviewer_is_asked_where_there_is_one() -> None:
    reviewer = bank(tools=()).but(name="reviewer")
    agent, answers = bank(Review("pay", reviewer=reviewer), tools=(find, pay)), [Answer.FLAWED, Answer.PASSED]

    async def review(effect: AskReviewer, state: RunState) -> HoldAnswered:
        flaws = ("too much",) if (answer := answers.pop(0)) is Answer.FLAWED else ()
        return HoldAnswered(at=made.clock.now(), hold=effect.hold, digest=effect.digest, answer=answer, flaws=flaws, by="reviewer")

    async with wired(agent, review=review) as made:
        assert "too much" in refusal(await made.call("pay", to="bob", n=9))
        assert said(await made.call("pay", to="bob", n=5)) == "paid 5 to bob"
    assert made.work.did == ["pay bob 5"]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (bank(Review("pay", reviewer=bank(tools=()).but(name="reviewer")), tools=(pay,)), "needs a reviewer"),
        (bank(tools=()), "no tool that runs on a server"),
    ],
)
def test_what_cannot_be_held_here_is_refused_by_name(agent: Any, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        Calls(agent, clock=ManualClock())


async def test_events_are_told_once_they_are_written() -> None:
    clock, told = ManualClock(), []
    calls = Calls(bank(), clock=clock, deps=Bank(), on_event=lambda event, state: told.append((event, state.seq)))
    keeping = InMemory(clock)
    await calls.call(keeping, "find", {"name": "Oslo"})
    state = await keeping.current()
    assert state is not None and [seq for _, seq in told] == list(range(1, state.seq + 1))
