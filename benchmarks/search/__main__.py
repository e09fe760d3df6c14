"""`python -m benchmarks.search [--within N]`: ask the forty questions, and print how many are answered and which are not."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from handrail.apps.delivery import data
from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.hours import read_hours
from handrail.apps.delivery.search import Search
from handrail.apps.delivery.search.meaning import installed

QUESTIONS = Path(__file__).parents[2] / "tests" / "apps" / "delivery" / "questions.jsonl"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search", description="Whether the storefront's search finds what is asked for."
    )
    parser.add_argument("--within", type=int, default=3, help="among so many first hits (default: %(default)s)")
    within = parser.parse_args(arguments).within
    for meaning in (False, True) if installed() else (False,):
        print("\n".join(asyncio.run(report(meaning=meaning, within=within))))
    if not installed():
        print("by words and meaning: needs the extra `search`")


async def report(*, meaning: bool, within: int) -> list[str]:
    """The lines about one way to search."""
    search = await Search.over(seeded(), meaning=meaning)
    asked = questions()
    missed = [line for question in asked if (line := await miss(search, question, within)) is not None]
    way = "by words and meaning" if meaning else "by words"
    return [f"{way}: {len(asked) - len(missed)} of {len(asked)} answered within {within}", *missed]


async def miss(search: Search, question: dict[str, Any], within: int) -> str | None:
    """What was found instead, where none of what was expected is among the first hits."""
    hits = (await search.dishes(question["text"]))[:within]
    if any(dish.food_id in question["expected"] for dish in hits):
        return None
    return f"  missed: {question['text']} (found: {', '.join(dish.name for dish in hits) or 'nothing'})"


def questions() -> list[dict[str, Any]]:
    """The questions, with the dishes that answer them."""
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def seeded() -> Catalogue:
    """The catalogue as it is seeded."""
    restaurants = [Restaurant(**(msgspec.to_builtins(line) | {"hours": read_hours(line.hours)})) for line in data.restaurants()]
    return Catalogue(restaurants, [Dish(**(msgspec.to_builtins(line) | {"tags": tuple(line.tags)})) for line in data.dishes()])


if __name__ == "__main__":
    main()
