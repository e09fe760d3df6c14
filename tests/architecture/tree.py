"""What the architecture tests look at: the files of the repository, and Python files as syntax trees."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "handrail"


@cache
def files() -> tuple[Path, ...]:
    """Every file that git tracks or would take in, by name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return tuple(sorted(path for name in set(listed.stdout.split("\0")) - {""} if (path := ROOT / name).is_file()))


@cache
def text(path: Path) -> str:
    """The file as text; empty for a binary one."""
    raw = path.read_bytes()
    return "" if b"\0" in raw else raw.decode("utf-8")


@cache
def python(*folders: str) -> tuple[Path, ...]:
    """Python files below those folders of the repository."""
    return tuple(path for path in files() if path.suffix == ".py" and any(path.is_relative_to(ROOT / folder) for folder in folders))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(text(path), filename=str(path))


def shown(path: Path, line: int | None = None) -> str:
    """The path as a person would click on it."""
    name = path.relative_to(ROOT).as_posix()
    return name if line is None else f"{name}:{line}"
