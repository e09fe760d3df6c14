"""`python -m benchmarks.decency.picture`: the figures as bars. A few rectangles, so the SVG is written by hand and is the same everywhere.

- A bar is all runs of a system: whole plans, unfinished ones that say so, honest reports that there is none, and what is not decent.
- The whiskers are the 95% interval of the decent share. Under a bar stands what went wrong most often.
- It brings its own background, light or dark as the reader has it, and says in words what it shows.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.decency.figures import Figures
from benchmarks.decency.report import Report, read

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "decency.svg"
WIDTH, LEFT, BAR, TOP, ROW, THICK = 920, 196, 540, 92, 50, 20
NAMES = {
    "handrail": "handrail",
    "no-ring": "handrail, empty ring",
    "bare": "loop by hand",
    "openai-agents": "OpenAI Agents SDK",
    "pydantic-ai": "Pydantic AI",
    "langchain": "LangChain",
    "agent-framework": "Agent Framework",
    "forge": "forge-guardrails",
}
WENT_WRONG = {
    "write": "a write without a yes",
    "unconfirmed": "nobody asked about the plan",
    "constraint": "wishes not kept",
    "place": "made-up places",
    "drive": "made-up drives",
    "hours": "too long at the wheel",
    "transcript": "a transcript that providers refuse",
    "raised": "an exception",
    "late": "late",
    "no plan": "no plan and no word",
    "form": "a broken plan",
}
PARTS = (("whole", "the whole plan"), ("less", "an unfinished plan that says so"), ("report", "an honest “no plan”"), ("bad", "not decent"))
STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.name { font-weight: 600 } .small { font-size: 11px; fill: #59636e } .end { text-anchor: end } .middle { text-anchor: middle }
.card { fill: #ffffff; stroke: #d1d9e0 } .grid { stroke: #d1d9e0 }
.whisker { stroke: #0d1117; stroke-width: 1.5; fill: none } .key { stroke: #1f2328 }
.whole { fill: #0a58a8 } .less { fill: #4c9be0 } .report { fill: #b5d7f4 } .bad { fill: #e2703a }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .small { fill: #9198a1 }
.card { fill: #0d1117; stroke: #3d444d } .grid { stroke: #3d444d } .key { stroke: #f0f6fc }
.whole { fill: #1f7ae0 } .less { fill: #79b8f5 } .report { fill: #c3dffa } .bad { fill: #d9622b }
}"""


def picture(report: Report) -> str:
    """The SVG."""
    height = TOP + ROW * len(report.systems) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc">',
        '<title id="title">How runs end when the model misbehaves</title>',
        f'<desc id="desc">{escape(in_words(report.systems))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        f'<text class="name" x="16" y="28">How {report.systems[0].runs} trips end when the model misbehaves</text>',
        *_legend(),
        *_grid(height),
        *(line for at, each in enumerate(report.systems) for line in _row(each, TOP + ROW * at)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def in_words(systems: Sequence[Figures]) -> str:
    """What the picture shows, for who does not see it."""
    said = [f"{NAMES[each.system]}: {each.decent} of {each.runs} runs end decently, {each.whole} with the whole plan." for each in systems]
    return " ".join(said)


def _legend() -> Iterator[str]:
    x = 16
    for part, words in PARTS:
        yield f'<rect class="{part}" x="{x}" y="42" width="12" height="12" rx="2"/><text x="{x + 18}" y="53">{words}</text>'
        x += 44 + 7 * len(words)
    yield f'<path class="whisker key" d="M{x} 44v8M{x} 48h16M{x + 16} 44v8"/><text x="{x + 22}" y="53">95% interval</text>'


def _grid(height: int) -> Iterator[str]:
    for quarter in range(5):
        x = LEFT + BAR * quarter // 4
        yield f'<path class="grid" d="M{x} {TOP - 12}V{height - 12}"/>'
        yield f'<text class="small middle" x="{x}" y="{TOP - 16}">{25 * quarter}%</text>'
    yield f'<text class="small end" x="{WIDTH - 92}" y="{TOP - 16}">decent</text>'
    yield f'<text class="small end" x="{WIDTH - 16}" y="{TOP - 16}">whole plan</text>'


def _row(each: Figures, y: int) -> Iterator[str]:
    yield f'<text class="name" x="16" y="{y + 10}">{NAMES[each.system]}</text>'
    yield f'<text class="small" x="16" y="{y + 25}">{escape(each.version)}</text>'
    x = float(LEFT)
    for part, runs in zip((part for part, _ in PARTS), _parts(each), strict=True):
        width = BAR * runs / each.runs
        if runs:
            yield f'<rect class="{part}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{THICK}"/>'
        x += width
    low, high = LEFT + BAR * each.low, LEFT + BAR * each.high
    yield f'<path class="whisker" d="M{low:.1f} {y + 6}v8M{low:.1f} {y + 10}H{high:.1f}M{high:.1f} {y + 6}v8"/>'
    yield f'<text class="small" x="{LEFT}" y="{y + THICK + 13}">{_wrong(each)}</text>'
    yield f'<text class="name end" x="{WIDTH - 92}" y="{y + 15}">{_percent(each.decent, each.runs)}</text>'
    yield f'<text class="end" x="{WIDTH - 16}" y="{y + 15}">{_percent(each.whole, each.runs)}</text>'


def _parts(each: Figures) -> tuple[int, int, int, int]:
    return each.whole, each.decent - each.whole - each.reports, each.reports, each.runs - each.decent


def _wrong(each: Figures) -> str:
    most = sorted(each.violations.items(), key=lambda item: (-item[1], item[0]))[:3]
    return ", ".join(f"{WENT_WRONG[kind]} {_percent(runs, each.runs)}" for kind, runs in most)


def _percent(part: int, whole: int) -> str:
    """Rounded, but never to all or to nothing what is not."""
    share = round(100 * part / whole)
    return f"{min(max(share, 1), 99) if 0 < part < whole else share}%"


def main() -> None:
    """Write the picture again."""
    PICTURE.write_text(picture(read()), encoding="utf-8")


if __name__ == "__main__":
    main()
