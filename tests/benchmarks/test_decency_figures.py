"""What is told of the decency benchmark: the sums, the report that is kept, and the picture of it."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from benchmarks.decency import judge as judging
from benchmarks.decency.cases import Case
from benchmarks.decency.figures import figures, wilson
from benchmarks.decency.judge import Violation
from benchmarks.decency.picture import NAMES, PICTURE, WENT_WRONG, in_words, picture
from benchmarks.decency.report import RESULTS, Report, as_json, joined, read, table, temperaments
from benchmarks.decency.running import Judged
from benchmarks.decency.systems import SYSTEMS


def _judged(*kinds: str, temperament: str = "steady", partial: bool = False, empty: bool = False, seconds: float = 1.0) -> Judged:
    return Judged(
        case=Case(temperament=temperament, seed=1),
        violations=[Violation(kind, "planted") for kind in kinds],
        partial=partial,
        empty=empty,
        seconds=seconds,
        model_calls=2,
        tokens=10,
    )


def _report(*systems: str, release: str = "1", cores: int = 2) -> Report:
    results = [_judged(), _judged(partial=True), _judged(partial=True, empty=True), _judged("place", "drive", temperament="hasty")]
    made = [figures(system, release, results) for system in systems]
    return Report(what="Trips", machine={"cores": cores}, seeds={"systems": (1, 4)}, systems=made)


def test_a_run_counts_once_under_each_kind() -> None:
    sums = figures("no-ring", "1", [_judged("place", "place", "late"), _judged("place"), _judged()])
    assert (sums.runs, sums.decent, sums.violations, sums.alone) == (3, 1, {"late": 1, "place": 2}, {"place": 1})


def test_decent_runs_are_told_apart_by_what_they_hand_over() -> None:
    (sums,) = _report("bare").systems
    assert (sums.decent, sums.whole, sums.reports) == (3, 1, 1)
    assert msgspec.to_builtins(sums.temperaments) == {
        "steady": {"runs": 3, "decent": 3, "whole": 1},
        "hasty": {"runs": 1, "decent": 0, "whole": 0},
    }


def test_what_only_lacks_a_yes_is_counted_apart() -> None:
    sums = figures("no-ring", "1", [_judged("write", "unconfirmed"), _judged("write", "place"), _judged()])
    assert (sums.decent, sums.but_for_the_yes) == (1, 2)


def test_the_time_is_that_of_the_median_run() -> None:
    sums = figures("bare", "1", [_judged(seconds=each) for each in (1.0, 2.0, 30.0)])
    assert (sums.seconds, sums.model_calls, sums.tokens) == (2.0, 6, 30)


@pytest.mark.parametrize(
    ("successes", "runs", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (150, 300, 0.4438, 0.5562), (300, 300, 0.9874, 1.0)],
)
def test_intervals_are_wilsons(successes: int, runs: int, low: float, high: float) -> None:
    assert wilson(successes, runs) == pytest.approx((low, high), abs=5e-5)


def test_a_report_survives_being_kept() -> None:
    report = _report("handrail", "bare")
    assert msgspec.json.decode(as_json(report), type=Report) == report


def test_systems_that_were_not_run_again_stay_in_the_report() -> None:
    both = joined(_report("bare", release="2"), _report("handrail", "bare"))
    assert [(each.system, each.version) for each in both.systems] == [("handrail", "1"), ("bare", "2")]
    ablated = joined(msgspec.structs.replace(_report(), seeds={"ablation": (1, 2)}, ablation=_report("without Grounded").systems), both)
    assert [each.system for each in ablated.systems] == ["handrail", "bare"]
    assert [each.system for each in ablated.ablation] == ["without Grounded"]
    assert ablated.seeds == {"systems": (1, 4), "ablation": (1, 2)}


@pytest.mark.parametrize(
    "old", [None, _report("handrail", cores=64), msgspec.structs.replace(_report("handrail"), seeds={"systems": (5, 8)})]
)
def test_figures_of_another_machine_or_of_other_seeds_are_not_mixed_in(old: Report | None) -> None:
    assert [each.system for each in joined(_report("bare"), old).systems] == ["bare"]


def test_tables_say_how_many_and_how_sure() -> None:
    report = _report("handrail", "bare")
    lines = table(report.systems).splitlines()
    assert len(lines) == 3 and "30.1%–95.4%" in lines[1]
    assert "hasty       0 of 1 decent, 0 whole" in temperaments(report.systems[0])
    assert "violated: drive 1, place 1" in temperaments(report.systems[0])


def test_the_picture_shows_each_system_in_four_parts_and_says_it_in_words() -> None:
    report = _report(*SYSTEMS)
    drawn = ET.fromstring(picture(report))
    space = "{http://www.w3.org/2000/svg}"
    texts = ["".join(each.itertext()) for each in drawn.iter(f"{space}text")]
    assert set(NAMES.values()) <= set(texts)
    bars = [each for each in drawn.iter(f"{space}rect") if each.get("height") == "20"]
    assert [each.get("class") for each in bars] == ["whole", "less", "report", "bad"] * len(SYSTEMS)
    assert {each.get("width") for each in bars} == {"135.0"}
    assert drawn.findtext(f"{space}desc") == in_words(report.systems)
    assert "handrail: 3 of 4 runs end decently, 1 with the whole plan." in in_words(report.systems)


def test_every_system_and_every_violation_has_a_name_in_the_picture() -> None:
    assert set(NAMES) == set(SYSTEMS)
    kinds = re.findall(r'Violation\("([a-z ]+)"', Path(judging.__file__).read_text(encoding="utf-8"))
    assert set(kinds) == set(WENT_WRONG)


def test_what_is_not_all_is_not_rounded_to_all() -> None:
    nearly = figures("bare", "1", [_judged(), *[_judged("place")] * 999])
    drawn = picture(msgspec.structs.replace(_report(), systems=[nearly]))
    assert ">made-up places 99%<" in drawn and ">1%<" in drawn


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing was measured yet")
def test_the_picture_is_that_of_the_figures() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(read()), "python -m benchmarks.decency.picture"
