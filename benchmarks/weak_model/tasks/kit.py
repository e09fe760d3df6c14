"""What a task is: what the person says, what there is in the beginning, and when it was done right.

- Right is what is so in the end: the answers, and the rows of the database. How the model came there is its own affair.
- Nothing is written that was not asked for: a cart or an order that a task does not name has to be as it was in the beginning.
- Every task brings a script of replies that does it right, and one that does not; tests hold the checkers against both.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from handrail.vocab.requests import ModelAnswer

Lines = Mapping[int, int]
"""Dishes by their numbers, and how many of each."""

Fact = str | tuple[str, ...]
"""A word, a number or a phrase that an answer has to hold; of several one will do."""

NOT = (
    *("no", "not", "none", "nothing", "never", "neither", "cannot", "unable", "without", "unfortunately"),
    *(f"{verb}n't" for verb in ("is", "are", "has", "have", "does", "do", "did", "could", "would", "was", "were", "ca")),
)
"""One of these is in every no."""

ORDER_ID = re.compile(r"(?<!\d)1[0-3]\d\d(?!\d)")


class Ended(msgspec.Struct, kw_only=True):
    """How things stand when a task is over.

    Args:
        answers: the last words of each run; empty where a run failed.
        looked_up: addresses whose orders were looked up.
        cart: what is in the cart.
        ordered: the orders that there are, each with its lines.
        page: the restaurant whose page is open.
        listening: hands-free is on.
        acts: what was done in the interface, by whom.
        changed: what is otherwise than before, and must never be.
    """

    answers: list[str] = []
    looked_up: list[str] = []
    cart: dict[int, int] = {}
    ordered: list[dict[int, int]] = []
    page: str | None = None
    listening: bool = False
    acts: list[tuple[str, str]] = []
    changed: list[str] = []


Check = Callable[[Ended], str | None]
"""Says what is wrong, or nothing."""

Script = Sequence[ModelAnswer]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task.

    Args:
        id: its name; the half that it belongs to follows from it.
        person: what is said, a message after the other.
        if_asked: what is said once more where the last answer is a question and the task is not done.
        checks: what has to hold in the end.
        right, wrong: replies that do it, and replies that do not.
    """

    id: str
    person: tuple[str, ...]
    if_asked: str = ""
    checks: tuple[Check, ...] = ()
    right: Script
    wrong: Script

    def faults(self, ended: Ended) -> list[str]:
        """What is wrong with the end; nothing where the task was done right."""
        return [*ended.changed, *(wrong for check in self.checks if (wrong := check(ended)) is not None)]


class OrdersTask(Task, frozen=True, kw_only=True):
    """A question at the service desk.

    Args:
        of: the addresses that have to be looked up; orders of somebody else are not to be looked at.
    """

    of: tuple[str, ...] = ()

    def faults(self, ended: Ended) -> list[str]:
        """What is wrong, who was looked up among it."""
        missing = [f"the orders of {address} were not looked up" for address in self.of if address not in ended.looked_up]
        named = " ".join(self.person).lower()
        others = {address for address in ended.looked_up if address.lower() not in named}
        return [*super().faults(ended), *missing, *(f"the orders of {address} were looked up" for address in sorted(others))]


class DeliveryTask(Task, frozen=True, kw_only=True):
    """Something about dinner.

    Args:
        begins: what the user has put into the cart before.
        shows: the restaurant whose page is open in the beginning.
        listens: hands-free is on in the beginning.
        listening: it has to be on in the end; where nothing is said, as in the beginning.
        clicks: what the user adds by themselves after so many messages.
        agrees: the cart that the person says yes to; to any other it is no.
        cart: what has to be in the cart in the end; `None` where a check says it.
        ordered: what has to have been ordered in the end, and nothing else.
    """

    begins: Lines = {}
    shows: str | None = None
    listens: bool = False
    listening: bool | None = None
    clicks: Mapping[int, Lines] = {}
    agrees: Lines | None = None
    cart: Lines | None = {}
    ordered: Lines | None = None

    def faults(self, ended: Ended) -> list[str]:
        """What is wrong, the cart and the orders among it."""
        found = super().faults(ended)
        if self.cart is not None and ended.cart != self.cart:
            found.append(f"the cart is {ended.cart}, not {dict(self.cart)}")
        wanted = [] if self.ordered is None else [dict(self.ordered)]
        if ended.ordered != wanted:
            found.append(f"ordered is {ended.ordered}, not {wanted}")
        if ended.listening is not (self.listens if self.listening is None else self.listening):
            found.append(f"hands-free is {'on' if ended.listening else 'off'}")
        return found


def holds(*facts: Fact, lacks: Sequence[str] = (), at: int = -1) -> Check:
    """An answer (the last one, or the one `at` that place) has every fact in it, and none of what it is to lack."""

    def check(ended: Ended) -> str | None:
        text = _plain(ended.answers[at]) if ended.answers else ""
        for fact in facts:
            words = (fact,) if isinstance(fact, str) else fact
            if not any(_in(word, text) for word in words):
                return f"the answer does not say {' or '.join(words)!r}: {text!r}"
        for word in lacks:
            if _in(word, text):
                return f"the answer says {word!r}: {text!r}"
        return None

    return check


def no_ids(ended: Ended) -> str | None:
    """No order is named where there is none to be named."""
    found = ORDER_ID.findall(ended.answers[-1]) if ended.answers else []
    return f"the answer names the orders {found}" if found else None


def nothing_looked_up(ended: Ended) -> str | None:
    """Nobody's orders were looked at."""
    return f"the orders of {ended.looked_up} were looked up" if ended.looked_up else None


def answered(ended: Ended) -> str | None:
    """There is an answer at all."""
    return None if ended.answers and ended.answers[-1].strip() else "there is no answer"


def did(what: str) -> Check:
    """The agent did it in the interface."""
    return lambda ended: None if ("agent", what) in ended.acts else f"the agent has not done {what!r}"


def page_is(restaurant: str | None) -> Check:
    """That restaurant's page is open in the end."""
    return lambda ended: None if ended.page == restaurant else f"the open page is {ended.page!r}, not {restaurant!r}"


def money(cents: int) -> tuple[str, ...]:
    """An amount as people write it."""
    whole, rest = divmod(cents, 100)
    return (f"{whole}.{rest:02}", f"{whole},{rest:02}", f"{cents} cents", *((str(whole),) if not rest else ()))


def number(count: int) -> tuple[str, ...]:
    """A small number as people write it."""
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return (str(count), words[count]) if count < len(words) else (str(count),)


def day(at: str) -> tuple[str, ...]:
    """A day as people write it, from its ISO form."""
    date = datetime.fromisoformat(at)
    names = (date.strftime("%B"), date.strftime("%b"))
    end = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(date.day, "th")
    days = (str(date.day), f"{date.day:02}", f"{date.day}{end}")
    written = [f"{name} {of}" for name in names for of in days]
    written += [f"{of} {name}" for name in names for of in (*days, f"{date.day}{end} of")]
    return (at, f"{date.month}/{date.day}/{date.year}", f"{date.day}.{date.month}.{date.year}", *written)


def _plain(text: str) -> str:
    """Without markup, in one kind of apostrophe, with a space after an order's number and after a day."""
    spaced = re.sub(r"(\d{4}),(?=\d{4})|(\d{4}-\d\d-\d\d)T", lambda found: f"{found[1] or found[2]} ", re.sub(r"[*_`]", "", text))
    return spaced.replace("’", "'")


def _in(word: str, text: str) -> bool:
    """As a word of its own: 1317 is not in 13170, nor 4 in 4.50."""
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(word)}(?!\w|[.,]\d)", text, re.IGNORECASE) is not None
