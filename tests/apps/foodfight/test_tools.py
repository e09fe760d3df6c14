"""The tools and the service layer under them, in SQLite and PostgreSQL: what is listed, made and accepted, and that it happens once."""

import asyncio
import inspect
import json
from typing import Any

import pytest
from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Fact, Ledger
from handrail.apps.foodfight.data import FIGHTS, VENUES, fill, promo_fights
from handrail.apps.foodfight.fight_tools import accept_promo_fight, create_promo_fight, get_promo_fights
from handrail.apps.foodfight.foodfight_agent import agent, made
from handrail.apps.foodfight.kitchen import Kitchen, what_is_missing
from handrail.apps.foodfight.schemas import LiveBetBase, MenuItemOrder, PromoBase
from handrail.apps.foodfight.tables import PromoFight
from handrail.core.ring import Unfit
from handrail.errors import InputError
from handrail.service.database import make_engine
from handrail.tools import Failed, Lost, Returned
from tests.apps.foodfight.kit import AT, MAKE, TAKE, changed, fights, ran, value


def test_the_tools_take_what_their_first_users_asked_for() -> None:
    wanted = {
        get_promo_fights: ["restaurant_id"],
        create_promo_fight: [
            "restaurant_id",
            "maker_outcome",
            "restaurant_items",
            "takeout_type",
            "maker_address",
            "maker_payment_intent",
        ],
        accept_promo_fight: ["restaurant_id", "user_preferred_outcome", "bet_id", "menu_item_ids"],
    }
    for tool, names in wanted.items():
        assert [name for name in inspect.signature(tool.function).parameters if name != "context"] == names
        assert list(tool.declaration["function"]["parameters"]["properties"]) == names
    required = {tool.name: tool.declaration["function"]["parameters"].get("required", []) for tool in wanted}
    assert required == {
        "get_promo_fights": [],
        "create_promo_fight": wanted[create_promo_fight],
        "accept_promo_fight": ["restaurant_id", "user_preferred_outcome"],
    }


def test_the_schemas_are_those_that_were_asked_for() -> None:
    assert LiveBetBase(**MAKE).bet_type == "promotion"
    assert list(PromoBase.model_fields) == ["restaurant_id", "user_preferred_outcome", "bet_id", "menu_item_ids"]
    assert list(MenuItemOrder.model_fields) == ["menu_item_id", "quantity"]


def test_nothing_writes_until_it_is_set_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(agent().tools) == ["get_promo_fights"]
    monkeypatch.setenv("HANDRAIL_FOODFIGHT_WRITES", "1")
    assert list(agent().tools) == ["get_promo_fights", "create_promo_fight", "accept_promo_fight"]
    monkeypatch.setenv("HANDRAIL_FOODFIGHT_WRITES", "perhaps")
    with pytest.raises(InputError, match="HANDRAIL_FOODFIGHT_WRITES"):
        agent()


def test_no_tool_deletes() -> None:
    assert [name for name in made(writes=True).tools if any(word in name for word in ("delete", "remove", "cancel"))] == []


@pytest.mark.parametrize("restaurant_id", [None, "left out"])
async def test_case_09_null_and_nothing_are_all_venues(kitchen: Kitchen, restaurant_id: Any) -> None:
    venues = await value(get_promo_fights, kitchen, {} if restaurant_id else {"restaurant_id": None})
    assert [venue["name"] for venue in venues] == [name for name, *_ in VENUES]
    assert all("menu" not in venue for venue in venues)
    open_ = {number for number, row in enumerate(promo_fights(), 1) if row["status"] == "open"}
    assert {fight["bet_id"] for venue in venues for fight in venue["fights"]} == open_


async def test_one_venue_comes_with_its_menu_and_its_open_fights_oldest_first(kitchen: Kitchen) -> None:
    (venue,) = await value(get_promo_fights, kitchen, {"restaurant_id": 3})
    assert (venue["name"], venue["outcomes"]) == ("Pepper Palace", {"1": "red oil", "2": "green oil"})
    assert [dish["menu_item_id"] for dish in venue["menu"]] == [301, 302, 303, 304, 305]
    assert [(fight["bet_id"], fight["maker_outcome"], fight["open_outcome"]) for fight in venue["fights"]] == [(7, 2, 1), (24, 1, 2)]
    assert venue["fights"][0] == {
        "bet_id": 7,
        "restaurant_id": 3,
        "status": "open",
        "maker_outcome": 2,
        "open_outcome": 1,
        "items": [{"menu_item_id": 301, "name": "Small plate", "quantity": 2}],
        "total_cents": 1550,
        "takeout_type": 0,
        "created_at": "2026-11-26T18:10:00Z",
    }


async def test_case_75_nobody_learns_where_a_maker_lives_or_what_they_pay_with(kitchen: Kitchen) -> None:
    seen = [await ran(get_promo_fights, kitchen, {"restaurant_id": number}) for number in (None, *range(1, len(VENUES) + 1))]
    seen.append(await ran(create_promo_fight, kitchen, MAKE))
    for came in seen:
        assert isinstance(came, Returned)
        told = came.content + repr(came.facts)
        assert "Street" not in told and "pi_" not in told and "seed/" not in told


async def test_a_venue_that_is_not_there_is_said_so(kitchen: Kitchen) -> None:
    assert await ran(get_promo_fights, kitchen, {"restaurant_id": 99}) == Failed("There is no restaurant 99. Look at all of them first.")


async def test_a_fight_is_kept_as_it_was_made(kitchen: Kitchen, database: AsyncEngine) -> None:
    before = await fights(database)
    made_ = await value(create_promo_fight, kitchen, MAKE, key="run_1/t3c1")
    assert await changed(database, before) == {
        25: {
            "bet_id": 25,
            "bet_type": "promotion",
            **MAKE,
            "status": "open",
            "taker_items": None,
            "created_key": "run_1/t3c1",
            "accepted_key": None,
            "created_at": AT,
            "accepted_at": None,
        }
    }
    assert (made_["bet_id"], made_["open_outcome"], made_["total_cents"]) == (25, 2, 2 * 775 + 725)


async def test_case_42_the_same_call_again_makes_no_second_fight(kitchen: Kitchen, database: AsyncEngine) -> None:
    first = await value(create_promo_fight, kitchen, MAKE, key="run_1/t3c1")
    again = await value(create_promo_fight, kitchen, MAKE, key="run_1/t3c1")
    assert again == first and len(await fights(database)) == FIGHTS + 1
    ledger = await _known(kitchen)
    taken = await value(accept_promo_fight, kitchen, TAKE, key="run_1/t4c1", ledger=ledger)
    before = await fights(database)
    assert await value(accept_promo_fight, kitchen, TAKE, key="run_1/t4c1", ledger=ledger) == taken
    assert await changed(database, before) == {}


async def test_case_42_the_same_call_twice_at_once_makes_one_fight(kitchen: Kitchen, database: AsyncEngine) -> None:
    both = await asyncio.gather(*(value(create_promo_fight, kitchen, MAKE, key="run_1/t3c1") for _ in range(2)))
    assert both[0] == both[1] and len(await fights(database)) == FIGHTS + 1


async def test_a_payment_intent_pays_for_one_fight(kitchen: Kitchen, database: AsyncEngine) -> None:
    await value(create_promo_fight, kitchen, MAKE, key="run_1/t1c1")
    again = await ran(create_promo_fight, kitchen, MAKE, key="run_2/t1c1")
    assert again == Failed("This payment intent pays for another fight already; a new fight needs a new one.")
    assert len(await fights(database)) == FIGHTS + 1


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"restaurant_id": 99}, "There is no restaurant 99."),
        ({"restaurant_items": [{"menu_item_id": 401, "quantity": 1}]}, "Restaurant 3 has no dish 401."),
    ],
)
async def test_what_is_not_there_cannot_be_bet_on(kitchen: Kitchen, database: AsyncEngine, other: dict[str, Any], words: str) -> None:
    came = await ran(create_promo_fight, kitchen, MAKE | other)
    assert isinstance(came, Failed) and words in came.error
    assert len(await fights(database)) == FIGHTS


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"maker_outcome": 3}, "maker_outcome"),
        ({"maker_outcome": "1"}, "maker_outcome"),
        ({"takeout_type": 3}, "takeout_type"),
        ({"takeout_type": True}, "takeout_type"),
        ({"restaurant_items": []}, "restaurant_items"),
        ({"restaurant_items": '[{"menu_item_id": 301}]'}, "restaurant_items"),
        ({"restaurant_items": [{"menu_item_id": 301, "quantity": 0}]}, "quantity"),
        ({"restaurant_items": [{"menu_item_id": 301, "price_cents": 1}]}, "price_cents"),
        ({"maker_address": ""}, "maker_address"),
        ({"maker_payment_intent": None}, "maker_payment_intent"),
        ({"idempotency_key": "forged"}, "idempotency_key"),
        ({"context": {}}, "context"),
        ({"bet_type": "cash"}, "bet_type"),
    ],
)
def test_case_07_09_10_what_does_not_fit_the_declaration_never_comes_this_far(other: dict[str, Any], name: str) -> None:
    parsed = create_promo_fight.parse(json.dumps(MAKE | other))
    assert isinstance(parsed, Unfit) and name in parsed.reason


async def _known(kitchen: Kitchen, restaurant_id: int = 3, before: Ledger | None = None) -> Ledger:
    came = await ran(get_promo_fights, kitchen, {"restaurant_id": restaurant_id}, ledger=before)
    assert isinstance(came, Returned)
    return (before or Ledger()).adding(came.facts)


async def test_a_fight_is_accepted_with_the_dishes_of_its_maker_or_with_ones_own(kitchen: Kitchen, database: AsyncEngine) -> None:
    ledger, before = await _known(kitchen), await fights(database)
    await value(accept_promo_fight, kitchen, TAKE, key="run_1/t2c1", ledger=ledger)
    own = {"restaurant_id": 3, "user_preferred_outcome": 2, "bet_id": 24, "menu_item_ids": [305, 302]}
    await value(accept_promo_fight, kitchen, own, key="run_2/t2c1", ledger=ledger)
    after = await changed(database, before)
    same = {"status": "accepted", "accepted_at": AT}
    assert after == {
        7: before[7] | same | {"accepted_key": "run_1/t2c1", "taker_items": before[7]["restaurant_items"]},
        24: before[24]
        | same
        | {"accepted_key": "run_2/t2c1", "taker_items": [{"menu_item_id": 305, "quantity": 1}, {"menu_item_id": 302, "quantity": 1}]},
    }


async def test_without_a_number_it_is_the_oldest_fight_that_was_looked_up(kitchen: Kitchen, database: AsyncEngine) -> None:
    ledger, before = await _known(kitchen), await fights(database)
    async with database.begin() as connection:
        older = {
            **before[7],
            "bet_id": 90,
            "maker_payment_intent": "pi_older",
            "created_key": "older",
            "created_at": before[1]["created_at"],
        }
        await connection.execute(insert(PromoFight), older)
    taken = await value(accept_promo_fight, kitchen, {"restaurant_id": 3, "user_preferred_outcome": 1}, ledger=ledger)
    assert taken["bet_id"] == 7, "which the person was shown, and not the one that came meanwhile"


async def test_without_a_number_and_without_a_look_up_there_is_nothing_to_accept(kitchen: Kitchen) -> None:
    came = await ran(accept_promo_fight, kitchen, {"restaurant_id": 3, "user_preferred_outcome": 1})
    assert came == Failed("No open fight at restaurant 3 has outcome 1 free.")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"restaurant_id": 4, "user_preferred_outcome": 1, "bet_id": 7}, "There is no fight 7 at restaurant 4."),
        ({"restaurant_id": 3, "user_preferred_outcome": 2, "bet_id": 7}, "The maker of fight 7 has outcome 2; only 1 can be taken."),
        ({"restaurant_id": 3, "user_preferred_outcome": 1, "bet_id": 7, "menu_item_ids": [401]}, "Restaurant 3 has no dish 401."),
        ({"restaurant_id": 3, "user_preferred_outcome": 1, "bet_id": 500}, "There is no fight 500 at restaurant 3."),
        ({"restaurant_id": 6, "user_preferred_outcome": 1, "bet_id": 5}, "Fight 5 is not open any more."),
    ],
)
async def test_what_cannot_be_accepted_stays_as_it_is(kitchen: Kitchen, database: AsyncEngine, call: dict[str, Any], words: str) -> None:
    before = await fights(database)
    known = Ledger(tuple(Fact("fight", number) for number in (5, 7, 500)))
    came = await ran(accept_promo_fight, kitchen, call, ledger=known)
    assert isinstance(came, Failed) and words in came.error
    assert await changed(database, before) == {}


async def test_of_two_who_accept_at_once_one_gets_it(kitchen: Kitchen, database: AsyncEngine) -> None:
    ledger = await _known(kitchen)
    both = await asyncio.gather(*(ran(accept_promo_fight, kitchen, TAKE, key=f"run_{number}/t1c1", ledger=ledger) for number in (1, 2)))
    assert sorted(type(came).__name__ for came in both) == ["Failed", "Returned"]
    won = f"run_{[isinstance(came, Returned) for came in both].index(True) + 1}/t1c1"
    assert (await fights(database))[7]["accepted_key"] == won


async def test_a_fight_that_is_gone_is_known_to_be_after_the_next_look(kitchen: Kitchen, database: AsyncEngine) -> None:
    ledger = await _known(kitchen)
    async with database.begin() as connection:
        await connection.execute(update(PromoFight).where(PromoFight.bet_id == 7).values(status="accepted"))
    after = await _known(kitchen, before=ledger)
    assert [(fact.value, fact.about["status"]) for fact in after.of("fight")] == [(24, "open"), (7, "gone")]
    elsewhere = await _known(kitchen, restaurant_id=4, before=ledger)
    assert {fact.value: fact.about["status"] for fact in elsewhere.of("fight") if fact.value in {7, 24}} == {7: "open", 24: "open"}


@pytest.mark.parametrize("tool", [create_promo_fight, accept_promo_fight], ids=lambda tool: tool.name)
async def test_case_42_a_database_that_fails_in_a_write_leaves_the_outcome_unknown(sqlite_url: str, tool: Any) -> None:
    engine = make_engine(sqlite_url)
    arguments = MAKE if tool is create_promo_fight else TAKE
    came = await ran(tool, Kitchen(database=engine), arguments, ledger=Ledger((Fact("fight", 7),)))
    await engine.dispose()
    assert isinstance(came, Lost) and "check before repeating" in came.error
    assert "foodfight.db" not in came.error and "promo_fights" not in came.error.replace(tool.name, "")


async def test_a_database_that_fails_in_a_look_up_is_an_error_that_tells_no_address(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    came = await ran(get_promo_fights, Kitchen(database=engine), {})
    missing = await what_is_missing(Kitchen(database=engine))
    await engine.dispose()
    assert came == Failed("The fights cannot be looked up at the moment.")
    assert missing is not None and "handrail seed foodfight" in missing and "foodfight.db" not in missing


async def test_nothing_is_missing_from_a_filled_database_and_filling_it_again_adds_nothing(kitchen: Kitchen) -> None:
    assert await what_is_missing(kitchen) is None
    assert not await fill(kitchen.database)
