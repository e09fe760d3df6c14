"""Whole trips over real HTTP, with the rule-based stand-in as the model; and a change of mind in the middle."""

import asyncio
from typing import Any

import pytest

from handrail import Outcome, Parked, Say, Yes, resume, run
from handrail.apps.trips.agent import agent
from handrail.apps.trips.providers.embedded import embedded
from handrail.apps.trips.scenarios import scenarios
from handrail.drivers.handle import RunHandle
from handrail.errors import StaleInput
from handrail.models import OpenAIChat
from handrail.models.rehearsal.server import started
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel, calls, check_transcript, refuses
from tests.apps.trips.planning import PASSED, PLAN, Travellers, beginning, estimates, planned, submitting

SICHUAN = "Ten days in western Sichuan from Chengdu in October, ages 38 and 35. We want to see Litang and Danba."
HAINAN = "A week on Hainan from Haikou in December, ages 66, 64 and 7, with a budget of 9,000 yuan. We want to see Sanya."
TENERIFE = "Six days on Tenerife in May, ages 30 and 31."
LOW = "Ten days in western Sichuan in October, ages 70 and 68, not above 3,500 m. We want to see Danba."


async def over_http(message: str, *, travellers: Travellers | None = None, **options: Any) -> tuple[Outcome | Parked, list[Any], Any]:
    """A run over HTTP: how it ended, its events, its last state."""
    events: list[Any] = []
    states: list[Any] = []

    def watch(event: Any, state: Any) -> None:
        events.append(event)
        states.append(state)
        if "on_each" in options:
            options["on_each"](event)

    async with started(scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        try:
            ended = await run(
                agent(), message, model=model, deps=embedded(), ask=travellers or Travellers(), on_event=watch, handle=options.get("handle")
            )
        finally:
            await model.close()
    return ended, events, states[-1]


@pytest.mark.parametrize(
    ("message", "days", "hours", "named"),
    [
        (SICHUAN, 10, 6, {"litang", "danba"}),
        (HAINAN, 7, 4, {"sanya"}),
        (TENERIFE, 6, 6, {"vilaflor"}),
        (LOW, 10, 4, {"danba"}),
    ],
    ids=["sichuan", "hainan", "tenerife", "low"],
)
async def test_a_trip_is_planned_to_its_end(message: str, days: int, hours: int, named: set[str]) -> None:
    ended, _, state = await over_http(message)
    assert isinstance(ended, Outcome)
    assert (ended.status, ended.partial, ended.unconfirmed, ended.unreviewed) == ("completed", False, False, False)
    trip = ended.output
    assert len(trip["days"]) == days
    assert max(day["drive_hours"] for day in trip["days"]) <= hours
    assert named <= set(trip["places"])
    assert check_transcript(state.transcript) == []


async def test_what_is_missing_is_asked_and_the_answer_is_used() -> None:
    travellers = Travellers(ask_traveller=[Say("ages 40 and 41"), Say("in October")])
    ended, _, _ = await over_http("Eight days in western Sichuan, please.", travellers=travellers)
    assert isinstance(ended, Outcome)
    assert (ended.output["brief"]["ages"], ended.output["brief"]["month"]) == ([40, 41], 10)


async def test_the_reviewers_flaw_is_mended_before_the_travellers_see_the_plan() -> None:
    travellers = Travellers()
    ended, events, _ = await over_http(SICHUAN, travellers=travellers)
    assert isinstance(ended, Outcome)
    flawed = [event for event in events if type(event).__name__ == "CallRefused"]
    assert [event.code for event in flawed] == ["flawed"]
    assert "Litang, Danba" in ended.output["summary"]
    assert [tool for tool, _ in travellers.shown] == ["record_brief", "submit_plan"]


async def test_from_the_plateau_to_an_island_in_the_middle() -> None:
    handle = RunHandle()
    said: list[bool] = []

    def change_their_mind(event: Any) -> None:
        if type(event).__name__ == "ToolReturned" and event.call.startswith("t6") and not said:
            said.append(True)
            handle.say("My mother may not go up there: rather seven days on Hainan, from Haikou.")

    ended, _, _ = await over_http(SICHUAN, handle=handle, on_each=change_their_mind)
    assert said == [True]
    assert isinstance(ended, Outcome)
    assert not ended.partial
    trip = ended.output
    assert {stop["region"] for stop in trip["places"].values()} == {"hainan"}
    brief = trip["brief"]
    assert (brief["regions"], brief["start"], brief["days"]) == (["hainan"], "haikou", 7)
    assert (brief["ages"], brief["month"]) == ([38, 35], 10)  # what they did not take back


async def test_a_scripted_model_that_goes_on_with_the_plateau_is_stopped() -> None:
    travellers = Travellers(submit_plan=Say("Rather Hainan, from Haikou, the same days."))
    island: dict[str, Any] = {
        "title": "Island",
        "summary": "Around Haikou.",
        "days": [
            {"day": 1, "legs": [{"origin": "haikou", "destination": "wenchang", "minutes": 55}], "stay": "wenchang", "drive_hours": 0.92}
        ],
    }
    island["days"] += [{"day": day, "stay": "wenchang"} for day in (2, 3)]
    ran = await planned(
        *beginning(),
        submitting(),
        PASSED,
        submitting(PLAN | {"title": "Over Danba again"}),
        calls(("record_brief", {"regions": ["hainan"], "start": "haikou", "must_go": []})),
        submitting(PLAN | {"title": "Over Danba, once more"}),
        calls(("search_places", {"region": "hainan", "limit": 40})),
        calls(*estimates(("haikou", "wenchang"))),
        submitting(island),
        PASSED,
        travellers=travellers,
    )
    assert ran.guards() == ["Approval(submit_plan)", "last_words_are_in_the_brief", "days_connect"]
    assert ran.outcome.output["title"] == "Island"
    assert ran.outcome.output["brief"] == {"ages": [38, 35], "month": 10, "days": 3, "start": "haikou", "regions": ["hainan"]}


async def test_a_run_that_waits_for_the_travellers_goes_on_from_its_journal() -> None:
    journal = MemoryJournal()
    async with started(scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        options: Any = {"model": model, "deps": embedded(), "journal": journal}
        parked = await run(agent(), TENERIFE, **options)
        assert isinstance(parked, Parked)
        assert [hold.tool for hold in parked.holds] == ["record_brief"]
        ended = await resume(parked.run_id, agent=agent(), ask=Travellers(), **options)
        await model.close()
    assert isinstance(ended, Outcome)
    assert not ended.partial


async def test_time_that_runs_out_lands_a_shorter_trip() -> None:
    handle = RunHandle()

    def land(event: Any) -> None:
        if type(event).__name__ == "ToolReturned" and event.call.startswith("t6") and not handle.over:
            handle.land("that is enough")

    ended, _, state = await over_http(SICHUAN, handle=handle, on_each=land)
    assert isinstance(ended, Outcome)
    assert (ended.partial, ended.unconfirmed, ended.limit) == (True, True, "that is enough")
    assert ended.output["days"] != []
    assert check_transcript(state.transcript) == []


async def test_many_trips_at_once_do_not_mix() -> None:
    async with started(scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        planner, messages = agent(), [SICHUAN, HAINAN, TENERIFE, LOW]
        ended = await asyncio.gather(*(run(planner, message, model=model, deps=embedded(), ask=Travellers()) for message in messages))
        await model.close()
    outcomes = [each for each in ended if isinstance(each, Outcome)]
    assert [outcome.output["brief"]["regions"][0] for outcome in outcomes] == ["western-sichuan", "hainan", "tenerife", "western-sichuan"]


async def test_case_55_no_answer_is_no_yes() -> None:
    ran = await planned(*beginning(), submitting(), PASSED, travellers=Travellers(submit_plan=[None]))
    assert isinstance(ran.ended, Parked)
    assert [hold.tool for hold in ran.ended.holds] == ["submit_plan"]
    assert [event.call for event in ran.named("CallCleared") if event.call.startswith("t4")] == []


async def test_after_five_minutes_a_shorter_trip_is_put_together() -> None:
    clock = ManualClock()

    def slow(request: Any) -> Any:
        clock.advance(301)
        return submitting()

    ran = await planned(*beginning(days=9), slow, clock=clock)
    assert (ran.outcome.partial, ran.outcome.unconfirmed, ran.outcome.limit) == (True, True, "TimeLimit(300)")
    assert ran.outcome.output["days"] != []
    assert any("of the 9 days that you wanted" in reason for reason in ran.outcome.output["reasons"])


async def test_the_time_that_the_travellers_take_does_not_count() -> None:
    clock = ManualClock()

    class Slow(Travellers):
        async def __call__(self, hold: Any) -> Any:
            clock.advance(3600)
            return await super().__call__(hold)

    ran = await planned(*beginning(), submitting(), PASSED, travellers=Slow(), clock=clock)
    assert not ran.outcome.partial


async def test_case_52_a_yes_that_comes_too_late_hands_nothing_over() -> None:
    clock, journal = ManualClock(), MemoryJournal()
    ran = await planned(*beginning(), submitting(), PASSED, travellers=Travellers(submit_plan=[None]), clock=clock, journal=journal)
    assert isinstance(ran.ended, Parked)
    clock.advance(24 * 3600 + 1)
    options: Any = {"agent": agent(), "journal": journal, "deps": embedded(), "clock": clock}
    with ScriptedModel() as nobody, pytest.raises(StaleInput) as late:
        await resume(ran.ended.run_id, model=nobody, answer=Yes(), **options)
    assert late.value.code == "expired"
    with ScriptedModel(refuses("Then not.")) as model:
        ended = await resume(ran.ended.run_id, model=model, **options)
    assert isinstance(ended, Outcome)
    assert ended.status == "refused"
    assert "Nobody answered in time; this was not run." in str(model.requests[0].messages[-1])
