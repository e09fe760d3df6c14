"""What the site needs beside its plugins: diagrams without anything from elsewhere, and the constructors of structs."""

from pathlib import Path
from types import SimpleNamespace

import griffe
import pytest

from tests.docs import hooks
from tests.docs.markdown import ROOT
from tests.docs.structs import Structs

DRAWN = '<p>See:</p><pre class="mermaid"><code>a</code></pre>'


def test_a_page_with_a_diagram_names_our_own_mermaid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mermaid.js").write_text("draw()")
    (tmp_path / "assets").mkdir()
    monkeypatch.setattr(hooks, "MERMAID", tmp_path / "mermaid.js")
    made = hooks.on_page_content(DRAWN, page=SimpleNamespace(url="howto/serve/"))
    assert made == f'<script src="../../assets/mermaid.js"></script>\n{DRAWN}'
    assert hooks.on_page_content("<p>No diagram</p>", page=SimpleNamespace(url="")) == "<p>No diagram</p>"
    hooks.on_post_build(config={"site_dir": str(tmp_path)})
    assert (tmp_path / "assets" / "mermaid.js").read_text() == "draw()"


def test_without_it_a_diagram_is_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hooks, "MERMAID", tmp_path / "mermaid.js")
    assert hooks.on_page_content(DRAWN, page=SimpleNamespace(url="")) == "<p>See:</p><pre><code>a</code></pre>"
    hooks.on_post_build(config={"site_dir": str(tmp_path)})


@pytest.mark.slow
def test_a_struct_has_the_constructor_that_msgspec_makes() -> None:
    read = griffe.load("handrail", search_paths=[ROOT / "src"], extensions=griffe.load_extensions(Structs()))
    keyword, positional = read["vocab.outcomes.Outcome.__init__"].parameters, read["vocab.facts.Fact.__init__"].parameters
    assert [each.name for each in keyword][:3] == ["self", "status", "output"]
    assert keyword["partial"].kind is griffe.ParameterKind.keyword_only
    assert (positional["key"].kind, str(positional["key"].default)) == (griffe.ParameterKind.positional_or_keyword, "None")
