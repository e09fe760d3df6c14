"""Pages that are made from the code say what the code says."""

from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tests.docs.regenerate import PAGES


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_made_page_says_what_the_code_says(path: Path) -> None:
    assert path.exists(), "run `make pages`"
    assert path.read_text(encoding="utf-8") == PAGES[path](), f"{path.relative_to(ROOT)} is behind the code: run `make pages`"
