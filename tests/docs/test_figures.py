"""Figures on pages are those that the benchmarks have written down."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.docs import parts, results
from tests.docs.markdown import ROOT

MACHINE = {"processor": "A processor", "cores": 2, "python": "CPython 3.11.7"}
HANDRAIL = {
    "system": "handrail", "version": "0.1.0", "runs": 300, "decent": 297, "low": 0.971, "high": 0.997, "whole": 120,
    "violations": {"late": 3}, "model_calls": 5580, "tokens": 42_000_000, "seconds": 1.24,
    "temperaments": {"steady": {"runs": 22, "decent": 22}},
}  # fmt: skip
BARE = HANDRAIL | {"system": "bare", "version": None, "decent": 12, "violations": {"write": 200, "odd": 1}, "temperaments": {}}
ALONE = HANDRAIL | {"system": "without Approval(submit_plan)", "violations": {"write": 288, "unconfirmed": 12}}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of results with nothing in it."""
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    return tmp_path


def _write(folder: Path, name: str, figures: Mapping[str, Any]) -> None:
    (folder / f"{name}.json").write_bytes(msgspec.json.encode({"what": "anything", "machine": MACHINE, **figures}))


def _page(name: str, part: str) -> str:
    return f"Before.\n\n<!-- made from benchmarks/results/{name}.json: {part} -->\n\nold 17\n\n<!-- made so far -->\n\nAfter.\n"


@pytest.mark.parametrize("page", parts.pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_part_of_a_page_says_what_the_results_say(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == parts.with_figures(text), f"{page.relative_to(ROOT)} is behind benchmarks/results: run `make pages`"


@pytest.mark.parametrize("page", parts.pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_part_that_begins_ends(page: Path) -> None:
    assert parts.BEGIN not in parts.without_figures(page.read_text(encoding="utf-8"))


def test_every_part_is_on_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in parts.pages())
    assert [name for name in parts.PARTS if f"{parts.BEGIN}benchmarks/results/{name[0]}.json: {name[1]} -->" not in text] == []


def _figures(text: str) -> list[str]:
    """The numbers in what people read, outside the parts that are made, blocks of code and addresses."""
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>", "", parts.without_figures(text), flags=re.DOTALL)
    return re.findall(r"\d[\d.,]*\d|\d", prose)


def test_the_readme_shows_no_figure_but_those_that_are_made() -> None:
    assert set(_figures((ROOT / "README.md").read_text(encoding="utf-8"))) <= {"3.11", "2.0"}, "put it into a part that is made"


def test_a_figure_outside_a_part_is_found() -> None:
    assert _figures(_page("decency", "summary") + "It takes 8.2 ms (`17`, [a](b/3.md)), and 1,000 jobs.") == ["8.2", "1,000"]


def test_a_part_without_its_results_says_what_writes_them(measured: Path) -> None:
    made = parts.with_figures(_page("decency", "summary"))
    assert "Not measured yet: `python -m benchmarks.decency` writes these figures." in made
    assert made == parts.with_figures(made)


def test_decency_is_told_by_system_kind_temperament_and_guard(measured: Path) -> None:
    _write(measured, "decency", {"seeds": 300, "systems": [HANDRAIL, BARE], "ablation": [ALONE]})
    made = {part: parts.with_figures(_page("decency", part)) for part in ("summary", "violations", "temperaments", "ablation")}
    assert "| **handrail** | 297 of 300 | 97% to 100% | 120 | 18.6 | 1.2 |\n" in made["summary"]
    assert "| a loop by hand | 12 of 300 |" in made["summary"]
    assert "| a write without a yes | 0 | 200 |\n| late | 3 | 0 |\n| odd | 0 | 1 |\n" in made["violations"]
    assert "handrail 0.1.0. A processor, 2 cores, CPython 3.11.7." in made["violations"]
    assert "| steady | 22 of 22 | – |" in made["temperaments"]
    assert "| without Approval(submit_plan) | 297 of 300 | 97% to 100% | a write without a yes 288, a plan that" in made["ablation"]


def test_overhead_is_told_in_ratios_the_cheapest_first(measured: Path) -> None:
    costs = [
        {"system": name, "k": k, "ratio": ratio, "cpu_ms": 8.25}
        for name, k, ratio in [("hand", 4, 1.0), ("handrail", 4, 0.41), ("handrail", 16, 0.2), ("pydantic_ai", 4, 2.0), ("new", 4, 3.0)]
    ]
    _write(measured, "overhead", {"systems": costs})
    made = parts.with_figures(_page("overhead", "summary"))
    order = ["**handrail** | 0.41 | 0.20", "by hand, `chat.completions.create` | 1.00 | –", "Pydantic AI | 2.00", "new | 3.00"]
    assert [made.index(row) for row in order] == sorted(made.index(row) for row in order)
    assert "| new |" not in parts.with_figures(_page("overhead", "brief"))
    assert "1,111 × 8.2 ms = 9.2" in parts.with_figures(_page("overhead", "cores"))


def test_a_weak_models_tasks_are_told_for_the_half_that_was_held_out(measured: Path) -> None:
    one = {"app": "orders", "system": "ring", "size": 1_117_000_000, "tasks": 20, "right": 18, "low": 0.7, "high": 0.97, "seconds": 12.4}
    _write(measured, "weak_model", {"systems": [one | {"model": "1.5B", "half": "held-out"}, one | {"model": "0.5B", "half": "tuning"}]})
    made = parts.with_figures(_page("weak_model", "summary"))
    assert "| 1.5B, 1.1 GB | orders | **constrained, in the ring** | 18 of 20 | 70% to 97% | 12 |" in made
    assert "0.5B" not in made


def test_a_part_that_nothing_makes_is_refused(measured: Path) -> None:
    _write(measured, "decency", {})
    with pytest.raises(KeyError, match="nothing"):
        parts.with_figures(_page("decency", "nothing"))
