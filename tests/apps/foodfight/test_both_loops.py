"""What holds under handrail's own loop and under the others' alike: every test here runs under all of them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import No, Outcome, Parked, Say, Yes
from handrail.apps.foodfight.conversing import Talked, talk
from handrail.apps.foodfight.data import FIGHTS
from handrail.apps.foodfight.foodfight_agent import made
from handrail.apps.foodfight.hooks import Analytics, ToolEnd, ToolStart
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.settings import FoodFightSettings, Loop
from handrail.core.events import CallRefused, Event, ToolStarted
from handrail.testing import ScriptedModel, calls, cut, fails, refuses, says
from handrail.vocab.messages import ToolMessage
from handrail.vocab.outcomes import Status
from tests.apps.foodfight.kit import LOOK, MAKE, TAKE, Person, changed, fights

MADE = ("create_promo_fight", MAKE)
TAKEN = ("accept_promo_fight", TAKE)


class Table:
    """A conversation under one loop: what is said, and what came of it."""

    def __init__(self, kitchen: Kitchen, loop: Loop, *, writes: bool = True) -> None:
        self.events: list[Event] = []
        self._kitchen = kitchen
        self._settings = FoodFightSettings(writes=writes, loop=loop)
        self._history: Sequence[Any] = ()

    async def say(self, message: str, model: ScriptedModel, ask: Person | None = None) -> Talked:
        talked = await talk(
            message,
            model=model,
            kitchen=self._kitchen,
            history=self._history,
            ask=ask,
            on_event=lambda event, state: self.events.append(event),
            settings=self._settings,
        )
        self._history = talked.history
        return talked

    @property
    def started(self) -> int:
        return sum(isinstance(event, ToolStarted) for event in self.events)

    @property
    def codes(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CallRefused)]


@pytest.fixture
def table(kitchen: Kitchen, loop: Loop) -> Table:
    return Table(kitchen, loop)


def results(model: ScriptedModel, request: int = -1) -> list[Any]:
    """What the tools answered after the last reply before a request."""
    messages = model.requests[request].messages
    first = max(at for at, message in enumerate(messages) if not isinstance(message, ToolMessage | type(messages[0])))
    return [_read(message.content) for message in messages[first:] if isinstance(message, ToolMessage)]


def _read(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


async def test_a_question_is_answered_from_the_database(table: Table) -> None:
    with ScriptedModel(calls(LOOK), says("Two are open.")) as model:
        talked = await table.say("What is open at Pepper Palace?", model)
        ((venue,),) = results(model)
    assert talked.text == "Two are open." and [fight["bet_id"] for fight in venue["fights"]] == [7, 24]
    assert [message["function"]["name"] for message in model.requests[0].tools] == [
        "get_promo_fights",
        "create_promo_fight",
        "accept_promo_fight",
    ]


async def test_the_model_is_told_the_same_under_each(table: Table) -> None:
    with ScriptedModel(says("Hello.")) as model:
        await table.say("Hello!", model)
    (request,) = model.requests
    assert (request.model, request.settings, request.choice) == ("gpt-4o-mini-2024-07-18", {"temperature": 0.0}, "auto")
    assert request.system.startswith("You help food fans") and "{can}" not in request.system
    assert list(request.tools) == [tool.declaration for tool in made(writes=True).tools.values()]


async def test_what_was_said_before_is_there_in_the_next_message(table: Table) -> None:
    with ScriptedModel(calls(LOOK), says("Two."), says("Fight 7 is the older one.")) as model:
        await table.say("How many are open at restaurant 3?", model)
        await table.say("Which one is older?", model)
    kinds = [type(message).__name__ for message in model.requests[-1].messages]
    assert kinds == ["UserMessage", "AssistantMessage", "ToolMessage", "AssistantMessage", "UserMessage"]


async def test_a_fight_is_made_after_a_yes_to_this_very_call(table: Table, database: AsyncEngine) -> None:
    person = Person(Yes(by="me"))
    with ScriptedModel(calls(LOOK), calls(MADE), says("It is on.")) as model:
        assert (await table.say("Bet for me", model, person)).text == "It is on."
    (shown,) = person.shown
    assert shown == (
        "Start a promo fight?\n"
        "Restaurant 3: “Pepper Palace”, “Chengdu”\n"
        "Contest: “Which chili oil runs out first?”\n"
        "Your side: 1, “red oil”\n"
        "Order: 2 × “Small plate” (dish 301), 7.75 each\n"
        "Order: 1 × “Sweet ending” (dish 305), 7.25 each\n"
        "Total: 22.75\n"
        "Takeout: delivered\n"
        "Your address: “7 Sage Street”\n"
        "Payment intent: “pi_mine”\n"
        "Names and prices: as they were last looked up.\n"
        "All else: what the model wrote. It should be what you said."
    )
    assert (await fights(database))[25]["created_key"].endswith("/t2c1")


async def test_the_person_sees_which_fight_it_is_also_where_the_call_does_not_say(table: Table, database: AsyncEngine) -> None:
    person, before = Person(Yes()), await fights(database)
    without = ("accept_promo_fight", {"restaurant_id": 3, "user_preferred_outcome": 1, "bet_id": None, "menu_item_ids": [302]})
    with ScriptedModel(calls(LOOK), calls(without), says("Taken.")) as model:
        await table.say("Accept one", model, person)
    assert person.shown[0].splitlines()[0] == "Accept promo fight 7?"
    assert "Order: 1 × “House bowl” (dish 302), 14.00 each" in person.shown[0]
    assert list(await changed(database, before)) == [7]


@pytest.mark.parametrize(
    ("answer", "words"),
    [(No("too dear"), "too dear"), (No(), "refused"), (Say("make it green oil"), "make it green oil")],
    ids=["no, and why", "no", "something else"],
)
async def test_case_59_anything_but_a_yes_changes_nothing(table: Table, database: AsyncEngine, answer: No | Say, words: str) -> None:
    before = await fights(database)
    with ScriptedModel(calls(LOOK), calls(MADE), says("Then not.")) as model:
        assert (await table.say("Bet for me", model, Person(answer))).text == "Then not."
        said = json.dumps(results(model)) + "".join(map(repr, model.requests[-1].messages))
    assert words in said and await changed(database, before) == {}


async def test_case_55_a_true_is_no_yes(table: Table, database: AsyncEngine) -> None:
    wrong: Any = True
    model = ScriptedModel(calls(LOOK), calls(MADE), says("Done."))
    with pytest.raises(Exception, match=r"Yes\(\), No\(\) or Say"):
        await table.say("Bet for me", model, Person(wrong))
    assert len(await fights(database)) == FIGHTS


async def test_where_nobody_can_be_asked_nothing_is_written(table: Table, database: AsyncEngine, loop: Loop) -> None:
    """Ours parks; the others have nothing to park with, so there the answer is a no."""
    before = await fights(database)
    talked = await table.say("Bet for me", ScriptedModel(calls(LOOK), calls(MADE), says("Nobody is there.")))
    assert await changed(database, before) == {}
    assert isinstance(talked.outcome, Parked if loop is Loop.HANDRAIL else Outcome)


async def test_case_53_a_yes_to_one_call_is_none_to_the_next(table: Table, database: AsyncEngine) -> None:
    person = Person(Yes(), No("once is enough"))
    other = ("create_promo_fight", MAKE | {"maker_address": "9 Evil Lane", "maker_payment_intent": "pi_other"})
    with ScriptedModel(calls(LOOK), calls(MADE, other), says("One.")) as model:
        await table.say("Bet for me", model, person)
    assert len(person.holds) == 2 and "9 Evil Lane" in person.shown[1]
    assert [row["maker_address"] for number, row in (await fights(database)).items() if number > FIGHTS] == ["7 Sage Street"]


async def test_a_call_that_a_person_refused_is_not_asked_again(table: Table) -> None:
    person = Person(No())
    with ScriptedModel(calls(LOOK), calls(MADE), calls(MADE), says("I see.")) as model:
        await table.say("Bet for me", model, person)
    assert len(person.holds) == 1 and table.codes == ["person_refused", "refused_before"]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("create_promo_fight", MAKE), "ungrounded"),
        (("create_promo_fight", MAKE | {"restaurant_id": 4}), "ungrounded"),
        (("accept_promo_fight", TAKE), "ungrounded"),
        (("accept_promo_fight", {"restaurant_id": 3, "user_preferred_outcome": 1}), "ungrounded"),
    ],
)
async def test_nothing_is_named_that_was_not_looked_up_and_nobody_is_asked(table: Table, call: Any, code: str) -> None:
    person = Person(Yes())
    with ScriptedModel(calls(call), says("Let me look first.")) as model:
        await table.say("Do it", model, person)
    assert person.holds == [] and table.started == 0 and table.codes == [code]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("create_promo_fight", MAKE | {"restaurant_items": [{"menu_item_id": 401, "quantity": 1}]}), "Restaurant 3 has no dish 401"),
        (("accept_promo_fight", TAKE | {"user_preferred_outcome": 2}), "The maker of fight 7 has outcome 2"),
        (("accept_promo_fight", TAKE | {"restaurant_id": 4}), "Fight 7 is at restaurant 3, not at 4"),
        (("accept_promo_fight", TAKE | {"menu_item_ids": [402]}), "Restaurant 3 has no dish 402"),
        (("accept_promo_fight", {"restaurant_id": 4, "user_preferred_outcome": 2}), None),
    ],
)
async def test_a_person_is_asked_about_what_can_be_done_and_nothing_else(table: Table, call: Any, words: str | None) -> None:
    person = Person(No())
    with ScriptedModel(calls(LOOK, ("get_promo_fights", {"restaurant_id": 4})), calls(call), says("I see.")) as model:
        await table.say("Do it", model, person)
        (result,) = results(model)
    assert len(person.holds) == (words is None)
    assert words is None or words in result["error"]


async def test_a_call_of_a_tool_that_is_not_there_is_answered_with_what_there_is(table: Table) -> None:
    with ScriptedModel(calls(LOOK, ("delete_promo_fight", {"bet_id": 7}), LOOK), says("Sorry.")) as model:
        await table.say("Delete it", model)
        first, second, third = results(model)
    assert "There is no tool 'delete_promo_fight'" in second["error"] and first == third


@pytest.mark.parametrize("arguments", ["{", "[1]", '{"restaurant_id": "3"}', '{"restaurant_id": 3.5}', '{"venue": 3}'])
async def test_case_02_07_10_bad_arguments_never_run(table: Table, arguments: str) -> None:
    with ScriptedModel(calls(("get_promo_fights", arguments)), calls(LOOK), says("There.")) as model:
        assert (await table.say("Look", model)).text == "There."
        assert list(results(model, 1)[0]) == ["error"]
    assert table.started == 1 and table.codes == ["arguments"]


async def test_a_write_comes_after_the_read_that_it_needs_and_a_later_read_passes_it_while_it_is_held(
    table: Table, database: AsyncEngine
) -> None:
    with ScriptedModel(calls(LOOK, MADE, LOOK), says("There.")) as model:
        await table.say("Look, bet, look", model, Person(Yes()))
        looked, done, again = results(model)
    assert done["bet_id"] == 25
    assert [fight["bet_id"] for venue in looked for fight in venue["fights"]] == [7, 24]
    assert [fight["bet_id"] for venue in again for fight in venue["fights"]] == [7, 24], "it passed the write while that was held"
    assert len(await fights(database)) == FIGHTS + 1


async def test_case_17_a_reply_that_was_cut_runs_nothing(table: Table) -> None:
    with ScriptedModel(cut(calls(LOOK)), says("Sorry.")) as model:
        await table.say("Look", model)
    assert table.started == 0 and table.codes == ["cut"]


async def test_case_18_a_reply_with_nothing_in_it_is_asked_for_once_more(table: Table) -> None:
    with ScriptedModel(says(None), says("Here I am.")) as model:
        assert (await table.say("Hello?", model)).text == "Here I am."
    assert "Your last reply was empty" in repr(model.requests[-1].messages[-1])


async def test_case_23_a_refusal_is_the_end(table: Table) -> None:
    with ScriptedModel(refuses("I will not do that.")) as model:
        talked = await table.say("Do something bad", model)
    assert isinstance(talked.outcome, Outcome) and talked.outcome.status is Status.REFUSED
    assert talked.text == "I will not do that."


async def test_case_29_at_a_limit_the_work_is_kept_and_the_next_message_can_use_it(table: Table) -> None:
    looks = [calls(("get_promo_fights", {"restaurant_id": number})) for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2)]
    with ScriptedModel(*looks) as model:
        talked = await table.say("Look at everything", model)
    assert isinstance(talked.outcome, Outcome)
    assert (talked.outcome.status, talked.outcome.limit) == (Status.FAILED, "TurnLimit(12)")
    with ScriptedModel(says("I had looked at ten.")) as model:
        await table.say("Go on", model)
    kinds = [type(message).__name__ for message in model.requests[0].messages]
    assert kinds == ["UserMessage", *["AssistantMessage", "ToolMessage"] * 12, "AssistantMessage", "UserMessage"]


async def test_a_model_that_fails_is_a_failed_run_and_the_work_is_kept(table: Table) -> None:
    with ScriptedModel(calls(LOOK), fails(detail="the provider is down")) as model:
        talked = await table.say("Look", model)
    assert isinstance(talked.outcome, Outcome)
    assert talked.outcome.status is Status.FAILED and "the provider is down" in talked.text
    with ScriptedModel(says("Two.")) as model:
        assert (await table.say("And?", model)).text == "Two."
    assert [type(message).__name__ for message in model.requests[0].messages][:3] == ["UserMessage", "AssistantMessage", "ToolMessage"]


async def test_case_27_a_model_that_goes_in_circles_is_stopped(table: Table) -> None:
    model = ScriptedModel(*[calls(LOOK)] * 12)
    talked = await table.say("Look", model)
    assert isinstance(talked.outcome, Outcome) and talked.outcome.status is Status.FAILED
    assert "NoProgress" in str(talked.outcome.limit) and len(model.requests) < 12


async def test_hooks_are_told_of_what_runs_and_of_nothing_else(table: Table, kitchen: Kitchen) -> None:
    bad = ("get_promo_fights", {"restaurant_id": 99})
    with ScriptedModel(calls(LOOK, bad), calls(MADE), calls(("get_promo_fights", "{")), says("There.")) as model:
        await table.say("Look, and bet", model, Person(No()))
    (analytics,) = kitchen.hooks
    assert isinstance(analytics, Analytics)
    assert analytics.started == {"get_promo_fights": 2}
    assert analytics.ended == {("get_promo_fights", "returned"): 1, ("get_promo_fights", "failed"): 1}


async def test_a_hook_that_raises_stops_nothing(kitchen: Kitchen, loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def on_tool_start(self, start: ToolStart) -> None:
            raise RuntimeError("no")

        def on_tool_end(self, end: ToolEnd) -> None:
            raise RuntimeError("no")

    analytics = Analytics()
    table = Table(Kitchen(database=kitchen.database, hooks=(Broken(), analytics)), loop)
    with ScriptedModel(calls(LOOK), says("Two.")) as model:
        assert (await table.say("Look", model)).text == "Two."
    assert analytics.ended == {("get_promo_fights", "returned"): 1}
    assert caplog.text.count("a hook raised on get_promo_fights") == 2


async def test_reading_only_is_reading_only(kitchen: Kitchen, loop: Loop, database: AsyncEngine) -> None:
    table, person, before = Table(kitchen, loop, writes=False), Person(Yes()), await fights(database)
    with ScriptedModel(calls(LOOK), calls(MADE, TAKEN), says("That is switched off.")) as model:
        await table.say("Bet", model, person)
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == ["get_promo_fights"]
    assert person.holds == [] and table.codes == ["unknown_tool", "unknown_tool"] and await changed(database, before) == {}
