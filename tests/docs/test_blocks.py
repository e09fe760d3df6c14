"""The code in the documentation is code.

Every python block compiles. A block under `<!-- run -->` runs: the blocks of a page in order, each as a script of its own, in one
temporary folder. A first line `# file: name.py` keeps it there under that name, so that a later block can import it. A block under
`<!-- output -->` is what the block before it prints. There is no key and no network, and a warning is an error.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import DOCS, ROOT, Block, blocks

FOLDERS = (DOCS / "howto", DOCS / "reference/guards")
PAGES = [ROOT / "README.md", DOCS / "quickstart.md", *(page for folder in FOLDERS for page in sorted(folder.glob("*.md")))]
RUNNER = Path(__file__).with_name("run_block.py")
LONGEST = 120  # seconds: a block that hangs fails the test instead of stopping it; nothing is judged by how fast it is


def _run(block: Block, page: Path, folder: Path) -> str:
    path = folder / (block.file or f"block_at_line_{block.line}.py")
    path.write_text(block.text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "HANDRAIL_"))}
    environment["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(RUNNER), str(path)],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LONGEST, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{page.name}:{block.line} fails:\n{done.stderr}"
    return done.stdout


def _run_page(page: Path, folder: Path) -> int:
    ran, printed = 0, None
    for block in blocks(page):
        match block.mark:
            case "run":
                printed = _run(block, page, folder)
                ran += 1
            case "output":
                assert printed is not None, f"{page.name}:{block.line}: nothing ran before this output"
                assert printed.strip() == block.text.strip(), f"{page.name}:{block.line}: it prints something else"
            case _:
                if block.file:
                    (folder / block.file).write_text(block.text, encoding="utf-8")
    return ran


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_python_block_compiles(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            compile(block.text, f"{page.name}:{block.line}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_that_is_said_to_run_runs(page: Path, tmp_path: Path) -> None:
    assert _run_page(page, tmp_path) == sum(block.mark == "run" for block in blocks(page))


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text.replace("'''", "```"))
    return page


def test_blocks_run_in_order_in_one_folder_and_may_await(tmp_path: Path) -> None:
    page = _page(
        tmp_path,
        "'''python\n# file: one.py\nN = 1\n'''\n\n"
        "<!-- run -->\n'''python\nimport asyncio\nfrom one import N\nawait asyncio.sleep(0)\nprint(N)\n'''\n\n"
        "<!-- output -->\n'''text\n1\n'''\n",
    )
    assert _run_page(page, tmp_path) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!-- run -->\n'''python\nraise ValueError('no')\n'''\n", "page.md:2 fails"),
        ("<!-- run -->\n'''python\nimport warnings\nwarnings.warn('old')\n'''\n", "UserWarning: old"),
        ("<!-- run -->\n'''python\nprint(1)\n'''\n<!-- output -->\n'''text\n2\n'''\n", "page.md:6: it prints something else"),
    ],
)
def test_a_block_that_fails_warns_or_prints_something_else_is_found(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=words):
        _run_page(_page(tmp_path, text), tmp_path)
