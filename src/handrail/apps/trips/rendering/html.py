"""A trip as one page of HTML that needs nothing else: no script, no font, no image from anywhere. Text is escaped (case 70)."""

from collections.abc import Iterable
from html import escape

from handrail.apps.trips.rendering import Rendered
from handrail.apps.trips.rendering.svg_map import hours_bars, legs_map
from handrail.apps.trips.rendering.words import HEADINGS, cells

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
.leg { stroke: #2b6cb0; stroke-width: 2; }
.flight { stroke: #805ad5; stroke-width: 2; stroke-dasharray: 6 5; }
.night { fill: #2b6cb0; }
.stop { fill: none; stroke: #2b6cb0; stroke-width: 2; }
.bar { fill: #2b6cb0; }
.limit { stroke: #c53030; stroke-width: 2; stroke-dasharray: 4 3; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884; }
.remarks { border-left: 4px solid #c05621; padding-left: 1rem; }"""


def page(shown: Rendered) -> str:
    """The whole page."""
    trip = shown.trip
    parts = [
        f"<h1>{escape(trip.title)}</h1>",
        f"<p>{escape(trip.summary)}</p>",
        *_remarks(shown.remarks),
        *_section("The way", legs_map(trip)),
        *_section("Hours of driving", hours_bars(trip)),
        *_section("Day by day", _table(shown)),
        *([f"<p>Beds and flights: {trip.cost_cny} CNY.</p>"] if trip.cost_cny is not None else []),
        *_notes(shown),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(trip.title)}</title>",
            f"<style>\n{STYLE}\n</style>",
            "</head>",
            "<body>",
            "<main>",
            *parts,
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _remarks(remarks: Iterable[str]) -> list[str]:
    said = [f"<p>{escape(remark)}</p>" for remark in remarks]
    return ['<section class="remarks" aria-label="Please note">', *said, "</section>"] if said else []


def _section(heading: str, content: str) -> list[str]:
    return [f"<h2>{escape(heading)}</h2>", content] if content else []


def _table(shown: Rendered) -> str:
    if not shown.trip.days:
        return ""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in HEADINGS)
    rows = [_cells(cells(day, shown.trip)) for day in shown.trip.days]
    return "\n".join(['<div class="table">', "<table>", f"<tr>{head}</tr>", *rows, "</table>", "</div>"])


def _cells(values: tuple[str, ...]) -> str:
    first, *others = map(escape, values)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{other}</td>" for other in others)}</tr>'


def _notes(shown: Rendered) -> list[str]:
    said = [f"<li>Day {day.day}: {escape(day.note)}</li>" for day in shown.trip.days if day.note]
    return ["<ul>", *said, "</ul>"] if said else []
