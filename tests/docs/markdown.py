"""As much Markdown as the documentation tests need: fenced blocks with the comment before them, headings, links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n`]*$")
_COMMENT = re.compile(r"^\s*<!--\s*(?P<mark>[\w ]+?)\s*-->\s*$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)(?:\s+\{#(?P<anchor>[\w-]+)\})?\s*$")
_LINK = re.compile(r"(?<!\\)\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")


@dataclass(frozen=True)
class Block:
    """One fenced block: the comment just above it (`run`, `output`), its language, its text, and where it begins."""

    mark: str
    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The name that a first line `# file: name.py` gives it."""
        match = re.match(r"# file: (\S+)\n", self.text)
        return match[1] if match else None


def pages() -> tuple[Path, ...]:
    """Every Markdown page that people read, by name."""
    top = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md")]
    return (*top, *sorted(DOCS.rglob("*.md")))


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    mark, begun = "", None
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if begun is None and fence:
            begun, body = (number, fence), []
        elif begun is not None and line.strip() == "```":
            indent = len(begun[1]["indent"])
            found.append(Block(mark, begun[1]["language"], "".join(f"{each[indent:]}\n" for each in body), begun[0]))
            mark, begun = "", None
        elif begun is not None:
            body.append(line)
        elif line.strip():
            comment = _COMMENT.match(line)
            mark = comment["mark"] if comment else ""
    if begun is not None:
        msg = f"{page}:{begun[0]}: this block has no end"
        raise ValueError(msg)
    return found


def prose(page: Path) -> list[tuple[int, str]]:
    """The numbered lines outside fenced blocks, without `code`."""
    lines, inside = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if _FENCE.match(line) or line.strip() == "```":
            inside = not inside
        elif not inside:
            lines.append((number, re.sub(r"`[^`]*`", "``", line)))
    return lines


def anchors(page: Path) -> set[str]:
    """What `#...` may name on a page, as mkdocs makes it from the headings."""
    found, inside = set(), False
    for line in page.read_text(encoding="utf-8").splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside and (heading := _HEADING.match(line)):
            slug = re.sub(r"[^\w\s-]", "", heading["title"].lower().encode("ascii", "ignore").decode()).strip()
            found.add(heading["anchor"] or re.sub(r"[-\s]+", "-", slug))
    return found


def links(page: Path) -> list[tuple[int, str]]:
    """The links of a page that stay inside the repository: (line, target)."""
    targets = [(number, match["target"]) for number, line in prose(page) for match in _LINK.finditer(line)]
    return [(number, target) for number, target in targets if not re.match(r"[a-z][a-z+.-]*:", target)]
