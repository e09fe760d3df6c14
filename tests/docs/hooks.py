"""What mkdocs does beside its plugins: diagrams are drawn by a Mermaid of our own, on the pages that have one.

The theme would fetch it from elsewhere. Where `scripts/web.sh modules` has not brought it, a diagram is shown as the text that it is
drawn from. Nothing of mkdocs is imported: it is there only where the site is built.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MERMAID = Path(__file__).parents[2] / "web" / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
PLACE = "assets/mermaid.js"
DIAGRAM = '<pre class="mermaid">'


def on_page_content(html: str, *, page: Any, **rest: Any) -> str:
    """Name it on a page with a diagram, before the theme looks for it."""
    if DIAGRAM not in html:
        return html
    if not MERMAID.exists():
        return html.replace(DIAGRAM, "<pre>")
    return f'<script src="{"../" * page.url.count("/")}{PLACE}"></script>\n{html}'


def on_post_build(*, config: Mapping[str, Any], **rest: Any) -> None:
    """Put it beside the other scripts."""
    if MERMAID.exists():
        shutil.copy(MERMAID, Path(config["site_dir"]) / PLACE)
