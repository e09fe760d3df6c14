"""A trip as Markdown. Text is escaped, so that none of it becomes an image, a link, HTML or a heading (case 70)."""

import re
from collections.abc import Iterable

from handrail import Outcome
from handrail.apps.trips.rendering import Rendered, rendered
from handrail.apps.trips.rendering.words import HEADINGS, cells

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&@$]|!(?=\[)|:(?=//)|(?<=www)\.)", re.IGNORECASE)
"""With these gone nothing within a line is read as more than text, by Markdown or by what is commonly added to it."""

LEADING = re.compile(r"^(\d*)([-+=.)])")
"""At its beginning these make lists, headings and rules."""


def markdown(shown: Rendered) -> str:
    """The whole document."""
    trip = shown.trip
    lines = [f"# {escaped(trip.title)}", "", escaped(trip.summary), ""]
    lines += [line for remark in shown.remarks for line in (f"> {escaped(remark)}", "")]
    if trip.days:
        lines += [_row(HEADINGS), _row(["---"] * len(HEADINGS)), *(_row(map(escaped, cells(day, trip))) for day in trip.days), ""]
        lines += [f"At most {trip.hours_a_day} hours of driving a day.", ""]
    if trip.cost_cny is not None:
        lines += [f"Beds and flights: {trip.cost_cny} CNY.", ""]
    lines += [f"- Day {day.day}: {escaped(day.note)}" for day in trip.days if day.note]
    return "\n".join(lines).rstrip() + "\n"


def of_outcome(outcome: Outcome) -> str:
    """The document of an outcome that holds a trip, for terminals."""
    return markdown(rendered(outcome))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return LEADING.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", " ".join(text.split())))


def _row(values: Iterable[str]) -> str:
    return f"| {' | '.join(values)} |"
