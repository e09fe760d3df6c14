"""The rule-based stand-in plays conversations about fights over real HTTP, under each loop."""

from collections.abc import AsyncIterator

import pytest
from pydantic_ai import ModelRequest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import No, Yes
from handrail.apps.foodfight.conversing import talk
from handrail.apps.foodfight.data import FIGHTS
from handrail.apps.foodfight.kitchen import Kitchen, kitchen
from handrail.apps.foodfight.scenarios import OFF
from handrail.apps.foodfight.settings import FoodFightSettings, Loop
from handrail.models import OpenAIChat
from handrail.models.rehearsal.server import started
from handrail.service import find_app
from handrail.vocab.messages import UserMessage
from tests.apps.foodfight.kit import AT, Person, changed, fights

ABOUT = (
    "Pepper Palace, Which chili oil runs out first? 1: red oil, 2: green oil. 2 open: fight 7 for 2 × Small plate (15.50), "
    "outcome 1 is free; fight 24 for 3 × Seasonal greens (29.25), outcome 2 is free."
)


@pytest.fixture
async def model() -> AsyncIterator[OpenAIChat]:
    async with started(find_app("foodfight").scenarios()) as url:
        chat = OpenAIChat(base_url=url, api_key="rehearsal")
        yield chat
        await chat.close()


async def test_the_apps_own_example_is_answered(model: OpenAIChat, kitchen: Kitchen, loop: Loop) -> None:
    talked = await talk(find_app("foodfight").example, model=model, kitchen=kitchen, settings=FoodFightSettings(loop=loop))
    assert talked.text == ABOUT


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("What is open anywhere?", "Open promo fights: Copper Ladle (1); Harbour Oven (2); "),
        ("What is open at restaurant 3?", ABOUT),
        ("What is open at restaurant 99?", "That was not done: There is no restaurant 99."),
        ("Accept fight 7 at Pepper Palace", OFF),
        ("Start a fight", "Which restaurant? I know: Copper Ladle, "),
    ],
)
async def test_it_looks_things_up(model: OpenAIChat, kitchen: Kitchen, loop: Loop, message: str, words: str) -> None:
    talked = await talk(message, model=model, kitchen=kitchen, settings=FoodFightSettings(loop=loop))
    assert talked.text.startswith(words)


async def test_it_starts_a_fight_and_somebody_accepts_it(model: OpenAIChat, kitchen: Kitchen, loop: Loop, database: AsyncEngine) -> None:
    settings, person = FoodFightSettings(writes=True, loop=loop), Person(Yes())
    bet = "Start a fight at Pepper Palace: side 2, 2x301 and 1x305, delivered to 7 Sage Street with pi_mine"
    first = await talk(bet, model=model, kitchen=kitchen, ask=person, settings=settings)
    assert first.text == "Fight 25 is started."
    second = await talk(
        "Accept fight 25 at Pepper Palace", model=model, kitchen=kitchen, history=first.history, ask=person, settings=settings
    )
    assert second.text == "Fight 25 is accepted."
    row = (await fights(database))[25]
    assert (row["maker_address"], row["maker_outcome"], row["takeout_type"], row["accepted_at"]) == ("7 Sage Street", 2, 2, AT)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Start a fight at Pepper Palace", "To start a fight I need the outcome that you bet on (outcome 1 or 2), what you order (such as"),
        ("Start a fight at Pepper Palace, outcome 1, 1x301, pi_mine", "To start a fight I need your address (to …)."),
        ("Accept fight 500 at Pepper Palace", "No open fight there has that side free."),
        ("Accept fight 7 at Pepper Palace, side 2", "That was not done: The maker of fight 7 has outcome 2"),
        ("Accept fight 7 at Pepper Palace", 'That was not done: A person refused this very call; it was not run. Their words: "no".'),
    ],
)
async def test_it_says_what_is_missing_and_takes_a_no(model: OpenAIChat, kitchen: Kitchen, loop: Loop, message: str, words: str) -> None:
    before = await fights(kitchen.database)
    settings = FoodFightSettings(writes=True, loop=loop)
    talked = await talk(message, model=model, kitchen=kitchen, ask=Person(No("no")), settings=settings)
    assert talked.text.startswith(words)
    assert await changed(kitchen.database, before) == {} and len(before) == FIGHTS


async def test_the_setting_names_the_loop_and_the_database(
    model: OpenAIChat, database: AsyncEngine, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL_FOODFIGHT_LOOP", loop)
    async with kitchen() as opened:
        talked = await talk("What is open at restaurant 3?", model=model, kitchen=opened)
    assert talked.text == ABOUT
    first = talked.history[0]
    kinds: dict[Loop, type] = {Loop.HANDRAIL: UserMessage, Loop.OPENAI_AGENTS: dict, Loop.PYDANTIC_AI: ModelRequest}
    assert isinstance(first, kinds[loop]), "the history is the host's own"
