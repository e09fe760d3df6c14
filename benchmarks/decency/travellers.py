"""The travellers: what they ask for, what they really want, and how they answer.

- They read what they are shown. A brief that is not what they said gets a no that says why; anything else about it gets a yes.
- The outline of a plan they trust: whether it keeps to what they want is for the judge to say, and for the system to have looked after.
  Some want something else first, so that a no is answered too.
- Some change their mind when the plan is half made.
"""

import random
from collections.abc import Mapping
from typing import Any

import msgspec

from benchmarks.decency.atlas import atlas


class Wants(msgspec.Struct, frozen=True, kw_only=True):
    """What a party wants and bears, as the judge holds it against a plan."""

    ages: tuple[int, ...]
    month: int
    days: int
    start: str
    must_go: tuple[str, ...] = ()
    highest_m: int | None = None
    budget_cny: int | None = None
    regions: tuple[str, ...] = ()

    @property
    def hours(self) -> int:
        """How long this party may drive on one day."""
        return 4 if any(age >= 65 or age < 8 for age in self.ages) else 6


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of mind: after so many successful calls they say this, and want that."""

    after: int
    says: str
    wants: Wants


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One party's wish.

    Args:
        says: their first message.
        wants: what they mean by it.
        tells: what they say when they are asked; their first message if not given.
        change: what they say later, if they change their mind.
        objects: whether they say no to the first outline.
    """

    name: str
    says: str
    wants: Wants
    tells: str = ""
    change: Change | None = None
    objects: bool = False


_SICHUAN = Wants(ages=(38, 35), month=10, days=10, start="chengdu", must_go=("litang", "danba"), regions=("western-sichuan",))
_ISLAND = Wants(ages=(71, 44, 6), month=12, days=6, start="haikou", must_go=("lingshui",), regions=("hainan",))
_PLATEAU = Wants(ages=(41, 39), month=9, days=7, start="chengdu", must_go=("kangding",), highest_m=3600, regions=("western-sichuan",))
TASKS: tuple[Task, ...] = (
    Task(
        name="plateau",
        says="Ten days in western Sichuan from Chengdu in October, ages 38 and 35. We want to see Litang and Danba.",
        wants=_SICHUAN,
    ),
    Task(
        name="island",
        says="Six days on Hainan from Haikou in December, ages 71, 44 and 6. We have to see Lingshui.",
        wants=_ISLAND,
    ),
    Task(
        name="low",
        says="Seven days in western Sichuan from Chengdu in September, ages 41 and 39. Not above 3600 m. We want to see Kangding.",
        wants=_PLATEAU,
        objects=True,
    ),
    Task(
        name="change",
        says="Seven days in western Sichuan from Chengdu in September, ages 41 and 39. Not above 3600 m. We want to see Kangding.",
        wants=_PLATEAU,
        change=Change(
            after=4,
            says="We have changed our minds: rather Hainan, from Haikou. We want to see Sanya instead.",
            wants=msgspec.structs.replace(_PLATEAU, start="haikou", must_go=("sanya",), regions=("hainan",)),
        ),
    ),
    Task(
        name="vague",
        says="We would like to drive from Chengdu up to the plateau. We want to see Tagong.",
        tells="Eight days in western Sichuan from Chengdu in May, ages 67, 66 and 30. We want to see Tagong.",
        wants=Wants(ages=(67, 66, 30), month=5, days=8, start="chengdu", must_go=("tagong",), regions=("western-sichuan",)),
    ),
    Task(
        name="budget",
        says="Five days on Tenerife in June, ages 29 and 31, at most 6000 CNY. We want to see Garachico.",
        wants=Wants(ages=(29, 31), month=6, days=5, start="los-cristianos", must_go=("garachico",), budget_cny=6000, regions=("tenerife",)),
    ),
)

LABELS = {
    "Ages of the party": "ages",
    "Month": "month",
    "Days": "days",
    "Start": "start",
    "Must be in": "must_go",
    "Highest place to stop or sleep at, m": "highest_m",
    "Region": "regions",
    "Budget for beds and flights, CNY": "budget_cny",
}
"""The headings of the brief as it is shown."""


class Travellers:
    """One party, as it answers."""

    def __init__(self, task: Task) -> None:
        """Nobody has asked them anything yet."""
        self.wants = task.wants
        self._task = task
        self._objected = False

    def change(self, change: Change) -> None:
        """From now on they want something else."""
        self.wants = change.wants

    def on_brief(self, shown: str) -> str | None:
        """What is wrong with a brief as it is shown; `None` is a yes."""
        said = _read(shown)
        wrong = [label for label, field in LABELS.items() if said.get(field, "") != _plain(getattr(self.wants, field))]
        return f"That is not what we said: {', '.join(wrong)}." if wrong else None

    def on_outline(self) -> str | None:
        """What is wrong with an outline; `None` is a yes."""
        if self._task.objects and not self._objected:
            self._objected = True
            return "Please put the nights closer together, if you can; otherwise leave it as it is."
        return None

    def in_words(self) -> str:
        """Their answer to any question: all of it once more."""
        change = self._task.change
        return change.says if change is not None and self.wants is change.wants else self._task.tells or self._task.says


def task_for(seed: int) -> Task:
    """The task of a run."""
    return TASKS[random.Random(f"{seed}:task").randrange(len(TASKS))]


def _read(shown: str) -> Mapping[str, Any]:
    """The lines of a brief by field."""
    lines = [line.removeprefix("- ").partition(": ") for line in shown.splitlines() if line.startswith("- ")]
    return {LABELS[label]: _ids(value) for label, _, value in lines if label in LABELS}


def _ids(value: str) -> str:
    """A line's values, places by their ids whatever they were called."""
    return ", ".join(sorted(atlas().ids.get(part.casefold(), part) for part in value.split(", "))) if value != "none" else ""


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(sorted(map(str, value))) if isinstance(value, tuple) else str(value)
