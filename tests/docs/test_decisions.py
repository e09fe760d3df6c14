"""Every decision has a number, the four headings, and its line in the table."""

import re

from tests.docs.markdown import DOCS

FOLDER = DOCS / "decisions"
HEADINGS = ["Context", "Decision", "Consequences", "To undo it"]
PAGES = sorted(FOLDER.glob("[0-9]*.md"))


def test_decisions_are_numbered_without_a_gap() -> None:
    assert PAGES
    assert [int(page.name[:4]) for page in PAGES] == list(range(1, len(PAGES) + 1))


def test_a_decision_has_its_four_headings_and_its_number_in_the_title() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {page.name[:4]}: "), page.name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS, page.name


def test_every_decision_is_in_the_table() -> None:
    assert re.findall(r"^\| \[\d{4}\]\((.+?)\)", (FOLDER / "index.md").read_text(encoding="utf-8"), re.MULTILINE) == [
        page.name for page in PAGES
    ]
