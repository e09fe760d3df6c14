"""The ring around the shop, with a model that misbehaves: nothing is named that was not found, and nothing is ordered without a yes."""

from typing import Any

import pytest

from handrail import Fact
from handrail.apps.delivery.acting import ACTING
from handrail.apps.delivery.carts import cart_of
from handrail.apps.delivery.delivery_agent import agent
from handrail.apps.delivery.interface import REPLACES
from handrail.apps.delivery.invariants import INVARIANTS
from handrail.apps.delivery.known import dish_fact, restaurant_fact
from handrail.check.explore import explore
from handrail.check.report import Fault
from handrail.core.events import CallCleared, CallHeld, CallRefused, TextAmended, TextRefused
from handrail.core.table import Stage
from handrail.guards import Approval, BaseGuard
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.outcomes import Status
from handrail.vocab.reviews import Answer
from tests.apps.delivery.kit import BANGKOK, NOODLE, SAFFRON, catalogue
from tests.core.kit import Play

ADD, REMOVE, ORDER = "add_food_to_cart", "remove_food_from_cart", "place_order"
DAN_DAN = {"restaurant_uuid": NOODLE, "food_id": 101, "quantity": 2}


def cart_fact(lines: dict[int, int], **about: Any) -> Fact:
    cart = cart_of(catalogue(), lines)
    shown = [
        {"food_id": each.food_id, "name": each.name, "quantity": each.quantity, "price_cents": each.price_cents} for each in cart.lines
    ]
    known = {"restaurant_uuid": cart.restaurant_uuid, "restaurant": cart.restaurant, "lines": shown, "total_cents": cart.total_cents}
    return Fact("cart", cart.version, "cart", known | {"open": True, "opens": None} | about)


def found() -> tuple[Fact, ...]:
    """What a search has found: three restaurants, one of them closed, with a dish each."""
    dishes = catalogue().dishes
    return (
        restaurant_fact(NOODLE, "Night Noodle", is_open=True, opens=None),
        restaurant_fact(BANGKOK, "Bangkok Corner", is_open=True, opens=None),
        restaurant_fact(SAFFRON, "Saffron Door", is_open=False, opens="today at 17:00"),
        *(
            dish_fact(food, dishes[food].name, price_cents=dishes[food].price_cents, restaurant_uuid=dishes[food].restaurant_uuid)
            for food in (101, 102, 201, 601)
        ),
    )


def searched() -> Play:
    """A run that has looked around."""
    play = Play(agent()).started("I am hungry.")
    return play.called(("get_restaurant_pages", {"food_requested": ["noodles"]})).did(value=[], facts=found())


def noted(play: Play, *facts: Fact) -> Play:
    return play.facts_noted(*facts, replaces=REPLACES)


def refused(play: Play) -> CallRefused:
    (event,) = play.judged(CallRefused)
    assert isinstance(event, CallRefused)
    return event


def filled() -> Play:
    """A run with two plates of Dan Dan Noodles in the cart."""
    play = searched().called((ADD, DAN_DAN)).ran()
    return noted(play, cart_fact({101: 2})).returned()


@pytest.mark.slow
def test_the_ring_holds_whatever_a_model_does() -> None:
    report = explore(agent())
    assert report.faults == () and (report.ok, report.complete, report.assumes) == (True, True, ())
    assert set(report.tools) == set(agent().tools) and len(agent().tools) == 11
    assert {each.__name__ for each in INVARIANTS} <= set(report.invariants)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "broken"),
    [("Approval(place_order)", "nobody had said yes to its cart"), ("cart_is_not_empty", "the cart was empty")],
)
def test_a_gap_in_the_ring_is_found(left_out: str, broken: str) -> None:
    guards = [each for each in agent().guards if each.name != left_out]
    report = explore(agent().but(guards=guards))
    assert report.counterexample is not None and report.counterexample.fault is Fault.BROKEN
    assert broken in report.counterexample.text()


def test_what_is_a_click_runs_in_the_browser_and_what_is_data_on_the_server() -> None:
    tools = agent().tools
    assert {name for name, tool in tools.items() if tool.where is Where.SERVER} == {"get_restaurant_pages", "get_menu_of_restaurant"}
    assert {name for name, tool in tools.items() if tool.where is Where.CLIENT} == {tool.name for tool in ACTING}
    writes = {name for name, tool in tools.items() if tool.effect is ToolEffect.WRITE}
    reads = {name for name, tool in tools.items() if tool.effect is ToolEffect.READ}
    assert writes == {ADD, REMOVE, ORDER} and reads == {"get_restaurant_pages", "get_menu_of_restaurant", "get_user_actions"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_menu_of_restaurant", {"restaurant_uuid": NOODLE}),
        ("open_restaurant_page", {"restaurant_uuid": NOODLE}),
        (ADD, DAN_DAN),
        (REMOVE, DAN_DAN),
    ],
)
def test_nothing_is_named_that_was_not_found(tool: str, arguments: dict[str, Any]) -> None:
    assert refused(Play(agent()).started().called((tool, arguments))).code == "ungrounded"


def test_an_invented_dish_is_refused_and_the_known_ones_are_named() -> None:
    event = refused(searched().called((ADD, DAN_DAN | {"food_id": 199})))
    assert event.code == "ungrounded" and "101" in event.reason


def test_a_dish_of_another_menu_is_refused() -> None:
    event = refused(searched().called((ADD, DAN_DAN | {"food_id": 201})))
    assert (event.guard, event.code) == ("dish_is_of_that_restaurant",) * 2 and BANGKOK in event.reason
    both = noted(searched(), cart_fact({101: 2}))
    assert refused(both.called((REMOVE, {"restaurant_uuid": NOODLE, "food_id": 201}))).guard == "removed_dish_is_of_that_restaurant"


def test_ids_of_the_trail_may_be_named_too() -> None:
    play = noted(Play(agent()).started(), *found())
    assert play.called(("open_restaurant_page", {"restaurant_uuid": NOODLE})).judged(CallCleared)


def test_a_page_is_closed_only_when_one_is_open() -> None:
    play = searched()
    assert refused(play.called("close_restaurant_page")).guard == "page_is_open"
    noted(play, Fact("page", NOODLE, "page"))
    assert play.called("close_restaurant_page").judged(CallCleared)
    noted(play.ran()).returned()
    assert refused(play.called("close_restaurant_page")).guard == "page_is_open"


def test_a_closed_restaurant_fills_no_cart_and_takes_no_order() -> None:
    event = refused(searched().called((ADD, {"restaurant_uuid": SAFFRON, "food_id": 601, "quantity": 1})))
    assert event.guard == "kitchen_is_open" and "today at 17:00" in event.reason
    closed = noted(searched(), cart_fact({601: 1}, open=False, opens="today at 17:00"))
    assert refused(closed.called(ORDER)).guard == "cart_is_not_empty"


def test_one_cart_is_of_one_restaurant() -> None:
    event = refused(filled().called((ADD, {"restaurant_uuid": BANGKOK, "food_id": 201, "quantity": 1})))
    assert event.guard == "one_cart_one_restaurant" and "Ask the user" in event.reason


def test_two_restaurants_in_one_reply_are_no_way_round_it() -> None:
    play = searched().called((ADD, DAN_DAN), (ADD, {"restaurant_uuid": BANGKOK, "food_id": 201, "quantity": 1}))
    assert play.stages == [Stage.CLEARED, Stage.PROPOSED], "a write runs alone"
    noted(play.ran(1), cart_fact({101: 2})).returned(1)
    assert refused(play).guard == "one_cart_one_restaurant"


def test_two_dishes_in_one_reply_are_two_calls_in_order() -> None:
    play = searched().called((ADD, DAN_DAN), (ADD, DAN_DAN | {"food_id": 102}))
    assert play.stages == [Stage.CLEARED, Stage.PROPOSED]
    noted(play.ran(1), cart_fact({101: 2})).returned(1)
    assert play.stages == [Stage.SUCCEEDED, Stage.CLEARED]


@pytest.mark.parametrize(("lines", "guard"), [({}, "dish_is_in_the_cart"), ({102: 1}, "dish_is_in_the_cart")])
def test_what_is_not_in_the_cart_is_not_removed(lines: dict[int, int], guard: str) -> None:
    play = noted(searched(), *([cart_fact(lines)] if lines else []))
    assert refused(play.called((REMOVE, {"restaurant_uuid": NOODLE, "food_id": 101}))).guard == guard


def test_an_empty_cart_is_not_ordered_and_nobody_is_asked() -> None:
    play = searched().called(ORDER)
    assert refused(play).guard == "cart_is_not_empty" and not play.judged(CallHeld)
    emptied = noted(filled()).called(ORDER)
    assert refused(emptied).guard == "cart_is_not_empty", "a cart that was emptied is no fact any more"


def test_a_person_is_shown_the_exact_cart_and_its_total() -> None:
    shown = filled().called(ORDER).held().show
    assert shown == {
        "question": "Place this order?",
        "restaurant": "Night Noodle",
        "lines": [{"food_id": 101, "name": "Dan Dan Noodles", "quantity": 2, "price_cents": 1190, "sum_cents": 2380}],
        "total_cents": 2380,
        "total": "23.80",
        "cart": cart_of(catalogue(), {101: 2}).version,
    }


def test_an_order_runs_after_the_yes_and_once() -> None:
    play = filled().called(ORDER)
    assert play.stages == [Stage.HELD]
    noted(play.yes().ran()).returned(value={"order_id": "ord_1"})
    assert "place_order" not in play.state.offer.offered
    assert refused(noted(play, cart_fact({102: 1})).called(ORDER)).code == "call_limit"


def test_case_59_a_text_is_no_yes_to_an_order() -> None:
    play = filled().called(ORDER).user_said("yes, and add a tea")
    assert play.judged(CallRefused) and not play.judged(CallCleared)


def test_a_yes_to_one_cart_is_none_to_another() -> None:
    """The user adds something by hand while the question is open."""
    play = filled().called(ORDER)
    first = play.held()
    noted(play, cart_fact({101: 2, 102: 1}))
    play.decided(Answer.YES, hold=first.id, digest=first.digest)
    assert play.stages == [Stage.HELD] and play.held().digest != first.digest
    shown = play.held().show
    assert isinstance(shown, dict) and shown["total_cents"] == 3370
    assert play.yes().stages == [Stage.CLEARED]


def test_a_no_is_not_asked_again() -> None:
    play = filled().called(ORDER).no(comment="too dear")
    assert "too dear" in refused(play).reason
    assert refused(play.called(ORDER)).code == "refused_before"


def test_an_answer_has_seventy_words_at_most() -> None:
    play = searched().answered("word " * 71)
    assert play.judged(TextRefused)[0].guard == "AnswerLimit(70)"
    play.answered("One sentence. " + "word " * 80)
    assert play.judged(TextAmended) and play.outcome.output == "One sentence."


def test_a_model_that_only_ever_tries_to_order_ends() -> None:
    play = searched()
    for _ in range(12):
        if play.state.outcome is not None:
            break
        play.called(ORDER)
    assert play.outcome.status is Status.FAILED


def test_the_guards_have_names_that_people_know() -> None:
    names = [each.name for each in agent().guards]
    assert len(set(names)) == len(names)
    assert all(isinstance(each, BaseGuard) and each.looks is not None for each in agent().guards)
    assert any(isinstance(each, Approval) for each in agent().guards)
