"""The page on observing names everything that is emitted, with what it means, and nothing else."""

import re

from prometheus_client import CollectorRegistry

from handrail.service.telemetry.names import ATTRIBUTES, CONTENTS, EVENTS, METRICS
from handrail.service.telemetry.numbers import Numbers
from tests.docs.markdown import DOCS

PAGE = (DOCS / "howto" / "observe.md").read_text(encoding="utf-8")


def numbers(registry: CollectorRegistry) -> list[str]:
    """A row for each number."""
    found = [(family.name + ("_total" if family.type == "counter" else ""), family.documentation) for family in registry.collect()]
    return [rf"\| `{name}` \| [^|]*\| {re.escape(what)} \|" for name, what in found]


def test_every_attribute_event_and_metric_is_on_the_page() -> None:
    rows = [f"| `{name}` | {what} |" for table in (ATTRIBUTES, CONTENTS, EVENTS) for name, what in table.items()]
    rows += [f"| `{name}` | `{unit}` | {what} |" for name, (unit, what, _) in METRICS.items()]
    assert [row for row in rows if row not in PAGE] == []


def test_every_number_is_on_the_page() -> None:
    rows = numbers(Numbers(lambda: 0.0).registry)
    assert len(rows) > 10 and [row for row in rows if not re.search(row, PAGE)] == []


def test_nothing_else_is_on_the_page() -> None:
    named = set(re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE))
    known = {*ATTRIBUTES, *CONTENTS, *EVENTS, *METRICS}
    counted = {family.name + ("_total" if family.type == "counter" else "") for family in Numbers(lambda: 0.0).registry.collect()}
    assert named == known | counted
