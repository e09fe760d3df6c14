"""House rules that no linter knows. Each failure names the file, the line and what to do."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import PACKAGE, ROOT, files, parsed, python, shown, text

LONGEST_MODULE = 400
LONGEST_TEST_MODULE = 600
PURE = ("src/handrail/core", "src/handrail/guards", "src/handrail/vocab")
FOR_APPS = {"apps", "guards", "models", "service", "testing"}

# Put together here, so that this file does not hold them.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
    )
)
UNDONE = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
SILENCED = re.compile(r"#\s*no" + r"qa\b")
IGNORED = re.compile(r"#\s*type:\s*ig" + r"nore(\[[\w, -]+\])?(?P<reason>\s+#.*\w)?")


def _lines(paths: tuple[Path, ...], wrong: re.Pattern[str]) -> list[str]:
    return [shown(path, number) for path in paths for number, line in enumerate(text(path).splitlines(), 1) if wrong.search(line)]


def _longer_than(limit: int, *folders: str) -> list[str]:
    sizes = {path: len(text(path).splitlines()) for path in python(*folders)}
    assert sizes, f"nothing was looked at in {folders}"
    return [f"{shown(path)}: {size} lines" for path, size in sizes.items() if size >= limit]


def test_a_module_is_shorter_than_400_lines() -> None:
    assert _longer_than(LONGEST_MODULE, "src") == []


def test_a_test_module_is_shorter_than_600_lines() -> None:
    assert _longer_than(LONGEST_TEST_MODULE, "tests") == []


def test_no_file_names_the_host_of_a_package_registry() -> None:
    assert _lines(files(), re.compile("|".join(map(re.escape, REGISTRIES)))) == []


def test_a_lock_holds_no_address() -> None:
    locks = tuple(path for path in files() if path.suffix == ".lock")
    assert locks
    assert _lines(locks, re.compile(r"://|^--?(extra-)?index|find-links|trusted-host")) == []


def test_every_pin_of_a_lock_has_a_hash() -> None:
    for path in files():
        if path.suffix == ".lock":
            pins = re.split(r"\n(?=\S)", text(path).strip())
            assert [shown(path) + ": " + pin.splitlines()[0] for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []


def test_nothing_is_left_undone_in_a_comment() -> None:
    assert _lines(files(), UNDONE) == []


def test_no_linter_is_silenced_on_a_line() -> None:
    assert _lines(python("src", "tests", "benchmarks"), SILENCED) == []


def test_a_type_that_is_ignored_says_which_error_and_why() -> None:
    found = [
        shown(path, number)
        for path in python("src", "tests", "benchmarks")
        for number, line in enumerate(text(path).splitlines(), 1)
        if (match := IGNORED.search(line)) and not (match[1] and match["reason"])
    ]
    assert found == []


def _impure(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith():
                yield node.lineno, "awaits: only drivers do"
            case ast.Call(func=ast.Attribute(attr="now" | "today" | "utcnow")):
                yield node.lineno, "reads a clock: time comes in with inputs, as `at`"
            case ast.Call(func=ast.Name(id="hash")):
                yield node.lineno, "hash() differs from process to process: use a canonical digest"
            case ast.Call(func=ast.Name(id="open" | "print" | "input")):
                yield node.lineno, "does I/O: only drivers do"
            case _:
                pass


def test_core_guards_and_vocab_read_no_clock_and_await_nothing() -> None:
    looked_at = python(*PURE)
    assert looked_at
    assert [f"{shown(path, line)}: {why}" for path in looked_at for line, why in _impure(parsed(path))] == []


def test_an_impure_line_is_found() -> None:
    source = "async def f():\n    await g()\nhash(1)\ndatetime.now(UTC)\nopen('x')\nsorted([1])"
    assert [line for line, _ in sorted(_impure(ast.parse(source)))] == [1, 2, 3, 4, 5]


def test_the_contract_for_apps_forbids_every_package_that_is_not_for_apps() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    forbidden = next(set(contract["forbidden_modules"]) for contract in contracts if contract["id"] == "apps-use-the-door")
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    inside = {f"handrail.{name}" for name in names - FOR_APPS - {"__init__", "__main__"}}
    assert inside - forbidden == set(), "add them to forbidden_modules of 'apps-use-the-door' in pyproject.toml"
    assert forbidden.isdisjoint(f"handrail.{name}" for name in FOR_APPS)


def test_every_folder_of_python_files_is_a_package() -> None:
    folders = {path.parent for path in python("src/handrail")}
    assert [shown(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []
