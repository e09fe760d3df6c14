"""Links between pages lead somewhere."""

from pathlib import Path

import pytest

from tests.docs.markdown import DOCS, ROOT, anchors, links, pages


def _broken(page: Path, target: str) -> str | None:
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.exists():
        return "there is no such file"
    if page.is_relative_to(DOCS) and not path.is_relative_to(DOCS):
        return "it leads out of the site"
    if anchor and anchor not in anchors(path):
        return f"that page has no heading #{anchor}"
    return None


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_page_and_a_heading_that_exist(page: Path) -> None:
    assert [f"line {line}: {target}: {why}" for line, target in links(page) if (why := _broken(page, target))] == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One & two\n\n[a](gone.md) [b](#three) [c](#one-two) `[d](gone.md)` [e](https://example.com/x)\n\n```\n[f](gone.md)\n```\n"
    )
    assert [target for _, target in links(page) if _broken(page, target)] == ["gone.md", "#three"]
    assert anchors(page) == {"one-two"}
