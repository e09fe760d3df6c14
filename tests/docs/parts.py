"""The parts of pages that are made from benchmarks/results/*.json, so that no figure is ever copied by hand.

- Such a part stands between the lines `<!-- made from benchmarks/results/NAME.json: PART -->` and `<!-- made so far -->`.
- `PARTS` names them all. `make pages` writes them again, and a test holds each against what would be made now.
- A file that is not there yet makes a part that says so.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs import figures, results
from tests.docs.markdown import DOCS, ROOT

BEGIN = "<!-- made from "
_PART = re.compile(
    r"(?P<begin><!-- made from benchmarks/results/(?P<file>\w+)\.json: (?P<part>\w+) -->\n)(?P<body>.*?)(?P<end><!-- made so far -->)",
    re.DOTALL,
)

PARTS: Mapping[tuple[str, str], Callable[[], str]] = {
    ("decency", "summary"): figures.decency_summary,
    ("decency", "violations"): figures.decency_violations,
    ("decency", "temperaments"): figures.decency_temperaments,
    ("decency", "ablation"): figures.decency_ablation,
    ("overhead", "summary"): figures.overhead_summary,
    ("overhead", "brief"): figures.overhead_brief,
    ("overhead", "cores"): figures.cores,
    ("throughput", "summary"): figures.throughput_summary,
    ("throughput", "table"): figures.throughput_table,
    ("weak_model", "summary"): figures.weak_model_summary,
}
"""File and part -> what makes it."""


def pages() -> list[Path]:
    """The pages that have such parts."""
    found = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in found if _PART.search(page.read_text(encoding="utf-8"))]


def with_figures(page: str) -> str:
    """The page with each part made again.

    Raises:
        KeyError: a part that nothing makes.
    """
    return _PART.sub(lambda match: f"{match['begin']}\n{_made(match['file'], match['part'])}\n\n{match['end']}", page)


def without_figures(page: str) -> str:
    """The page without these parts."""
    return _PART.sub("", page)


def _made(file: str, part: str) -> str:
    if not (results.RESULTS / f"{file}.json").exists():
        return f"Not measured yet: `python -m benchmarks.{file}` writes these figures."
    return PARTS[file, part]()
