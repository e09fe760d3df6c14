"""The figures of the overhead benchmark as ratios, verdicts, tables and JSON."""

import json
from collections.abc import Mapping, Sequence

import msgspec
import pytest

from benchmarks.overhead.crowds import Together
from benchmarks.overhead.measuring import Measured, Plan, measured
from benchmarks.overhead.report import Report, as_json, beaten, growth, report, this_machine
from benchmarks.overhead.tables import PARTS, everything, with_tables
from benchmarks.sizes.imports import Imported
from benchmarks.sizes.installed import Size

MEDIANS = {
    "hand": [0.010, 0.020, 0.010, 0.010],
    "transport": [0.004, 0.008, 0.004, 0.004],
    "handrail": [0.005, 0.010, 0.005, 0.006],
    "aiohttp": [0.001, 0.002, 0.001, 0.001],
    "agno": [0.020, 0.040, 0.020, 0.020],
}
SIZES = dict.fromkeys(MEDIANS, 1_000)
CROWD = Together(system="hand", runs=100, latency_ms=0, k=4, cpu_ms=12.0, wall_s=1.5, peak_mb=90.0)
IMPORT = Imported(system="hand", import_ms=400.0, first_ms=450.0, modules=1_234, memory_mb=60.0, agent_ms=0.01)
SIZE = Size(packages=26, packages_mb=40.0, handrail_mb=2.5, pages_mb=1.0)


def taken(*ks: int, medians: Mapping[str, Sequence[float]] = MEDIANS) -> list[Measured]:
    """What these medians come to, with so many tool turns."""
    return [each for k in ks for each in measured(Plan(k, 4, 1, 1), medians, SIZES)]


def of(name: str, k: int) -> Measured:
    return next(each for each in taken(k) if each.system == name)


def whole(*ks: int) -> Report:
    return report(taken(*ks), [CROWD], [IMPORT], SIZE)


def test_a_ratio_is_taken_within_a_round() -> None:
    assert of("hand", 4).ratio == 1.0
    assert of("handrail", 4).ratio == pytest.approx(0.5)
    assert of("handrail", 4).quartiles[1] > 0.5
    assert of("handrail", 4).cpu_ms == pytest.approx(5.5)


@pytest.mark.parametrize(
    ("name", "k", "kept"), [("aiohttp", 4, True), ("aiohttp", 64, False), ("handrail", 4, False), ("handrail", 16, None), ("hand", 4, None)]
)
def test_a_target_is_kept_where_the_ratio_is_not_above_it(name: str, k: int, kept: bool | None) -> None:
    assert of(name, k).kept is kept


def test_handrail_is_below_all_where_it_is_below_each_at_every_number_of_turns() -> None:
    assert beaten(taken(4, 64)) == {"handrail": True, "aiohttp": True}
    dearer = {**MEDIANS, "handrail": [0.030] * 4}
    assert beaten([*taken(4), *taken(64, medians=dearer)]) == {"handrail": False, "aiohttp": True}


def test_only_who_was_measured_is_said_to_be_below_and_only_beside_a_peer() -> None:
    assert beaten(taken(4, medians={name: MEDIANS[name] for name in ("hand", "handrail", "aiohttp")})) is None
    assert beaten(taken(4, medians={name: MEDIANS[name] for name in ("hand", "aiohttp", "agno")})) == {"aiohttp": True}


@pytest.mark.parametrize(("sent", "kept"), [(4_000, True), (2_000, True), (1_500, False)])
def test_growth_is_held_against_the_bytes_that_are_sent(sent: int, kept: bool) -> None:
    short = measured(Plan(4, 1, 1, 1), {"hand": [0.010]}, {"hand": 1_000})
    long = measured(Plan(64, 1, 1, 1), {"hand": [0.020]}, {"hand": sent})
    (grown,) = growth([*short, *long])
    assert (grown.cpu, grown.bytes, grown.kept) == (2.0, sent / 1_000, kept)


def test_the_tables_say_whether_a_target_is_kept_and_who_is_dearer() -> None:
    printed = everything(whole(64, 4))
    assert "at most 0.12: kept" in printed and "at most 0.03: NOT kept" in printed
    assert "every peer at every number of turns: kept" in printed
    assert printed.index("**handrail.run, HANDRAIL_TRANSPORT=aiohttp**") < printed.index("**handrail.run**") < printed.index("| agno 3")


@pytest.mark.parametrize(
    "text",
    [
        "| 100 runs at the same time, 4 tool turns, 0 ms an answer | CPU a run | until the last is over | peak memory |",
        "450 ms |        1,234 |       60 MB |       0.01 ms |",
        "26 packages of 40 MB in all, and handrail itself with its four apps: 2.5 MB",
    ],
)
def test_the_tables_show_crowds_imports_and_sizes(text: str) -> None:
    assert text in everything(whole(4, 64))


def test_what_was_not_measured_is_said_not_to_be() -> None:
    assert "was not measured" in everything(report(taken(4, 64)))


def test_the_json_holds_everything_that_the_tables_need() -> None:
    made = whole(4, 16, 64)
    read = msgspec.json.decode(as_json(made), type=Report)
    assert everything(read) == everything(made)
    assert read.machine == this_machine()
    assert list(read.peers) == ["agno"]


def test_the_json_has_a_line_for_each_system_and_number_of_turns() -> None:
    first = json.loads(as_json(whole(4)))["systems"][2]
    assert {name: first[name] for name in ("system", "k", "ratio", "cpu_ms")} == {"system": "handrail", "k": 4, "ratio": 0.5, "cpu_ms": 5.5}


def page(*parts: str) -> str:
    return "# Page\n\n" + "".join(
        f"<!-- made by python -m benchmarks.overhead: {part} -->\n\nold\nlines\n\n<!-- made so far -->\n\nMore\n" for part in parts
    )


def test_new_tables_take_the_place_of_the_old_ones_on_the_page() -> None:
    made = with_tables(page(*PARTS), whole(4, 64))
    assert "old" not in made
    assert made.count("\nMore\n") == len(PARTS)
    assert with_tables(made, whole(4, 64)) == made


def test_a_page_without_a_place_for_each_table_is_refused() -> None:
    with pytest.raises(ValueError, match="'growth', 'machine'"):
        with_tables(page("runs"), whole(4, 64))
