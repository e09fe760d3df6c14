"""Write the pages again that are made from the code: `python -m tests.docs.regenerate` (or `make pages`).

A page is a path and a function without arguments that returns its text; of some pages only parts are made (`parts.py`). Tests hold each
committed page against what would be made now.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import typer
from typer.cli import get_docs_for_click

from handrail.cli import app
from handrail.core import diagrams
from tests.adapters import hosts_table
from tests.docs import parts, tables
from tests.docs.markdown import DOCS, ROOT

MADE = "<!-- Made by `make pages`; a change made here is lost. -->\n\n"
_CASE = re.compile(r"^\s*(?:async )?def (?P<name>test_case(?P<rows>(?:_\d\d)+)_\w+)", re.MULTILINE)


def lifecycle() -> str:
    """The lifecycles of a run and of a call, drawn from the core's two tables."""
    return MADE + diagrams.page().strip() + "\n"


def cli() -> str:
    """Every command with its arguments and options."""
    command = typer.main.get_command(app)
    described: str = get_docs_for_click(obj=command, ctx=typer.Context(command, info_name="handrail"), name="handrail")
    tidy = re.sub(r"\n{3,}", "\n\n", described).strip()
    return f"{MADE}{tidy}\n"


def case_rows() -> dict[int, list[str]]:
    """Row of the fault corpus -> the tests that carry its number, as pytest names their place."""
    rows: dict[int, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for match in _CASE.finditer(path.read_text(encoding="utf-8")):
            for row in match["rows"].strip("_").split("_"):
                rows[int(row)].append(f"{path.relative_to(ROOT).as_posix()}::{match['name']}")
    return dict(sorted(rows.items()))


def cases() -> str:
    """Which tests carry which row of the fault corpus."""
    rows = case_rows()
    head = [
        "# Faults that must not come back",
        "",
        "handrail was written against a corpus of faults reported in other agent frameworks, each cut down to its smallest input.",
        "A test that holds one of them carries the number of its row in its name: `test_case_07_…`.",
        "",
        f"{len(rows)} rows are held by {len({test for tests in rows.values() for test in tests})} tests.",
        "",
        "| row | held by |",
        "|---|---|",
    ]
    return MADE + "\n".join([*head, *(f"| {row} | {'<br>'.join(f'`{test}`' for test in tests)} |" for row, tests in rows.items())]) + "\n"


PAGES: Mapping[Path, Callable[[], str]] = {
    DOCS / "lifecycle.md": lifecycle,
    DOCS / "reference" / "cases.md": cases,
    DOCS / "reference" / "cli.md": cli,
    DOCS / "reference" / "hosts.md": hosts_table.page,
    DOCS / "reference" / "limits.md": lambda: MADE + tables.limits(),
    DOCS / "reference" / "settings.md": lambda: MADE + tables.settings(),
}


def main() -> None:
    """Write each page that has changed, and say which."""
    made = {path: make() for path, make in PAGES.items()}
    made |= {path: parts.with_figures(path.read_text(encoding="utf-8")) for path in parts.pages()}
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
