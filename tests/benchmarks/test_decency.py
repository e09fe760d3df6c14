"""A slice of benchmarks/decency: real processes, real HTTP, every temperament. What is counted never depends on how fast a machine is.

The limits of a run are seconds, so these runs get more of them than anybody needs, or may be late: that alone is not looked at.
"""

import json
from pathlib import Path

import pytest

from benchmarks.decency.__main__ import main
from benchmarks.decency.judge import Violation, judge
from benchmarks.decency.record import Changed
from benchmarks.decency.running import Judged, cases, figures, judged, serving
from benchmarks.decency.systems import Case, handrail, measured
from benchmarks.decency.travellers import TASKS, task_for
from handrail.models.rehearsal.temperaments import TEMPERAMENTS

PLENTY = 600.0


def test_runs_are_spread_evenly_over_the_temperaments_each_with_its_own_seed() -> None:
    wanted = cases(3 * len(TEMPERAMENTS), 5)
    assert [case.temperament for case in wanted] == list(TEMPERAMENTS) * 3
    assert [case.seed for case in wanted] == list(range(5, 5 + len(wanted)))


def test_every_task_comes_up() -> None:
    assert {task_for(seed).name for seed in range(40)} == {task.name for task in TASKS}


@pytest.mark.slow
async def test_a_good_model_gets_whole_plans_for_every_task() -> None:
    seeds = {task_for(seed).name: seed for seed in range(40)}
    with serving() as url:
        for name, seed in seeds.items():
            record = await measured(handrail, Case(temperament="steady", seed=seed), url, limit=PLENTY)
            assert judge(record) == [], name
            assert not record.partial and not record.unconfirmed, name
            assert any(isinstance(step, Changed) for step in record.steps) == (record.task.change is not None)


@pytest.mark.slow
async def test_handrail_is_decent_under_every_temperament() -> None:
    wanted = cases(2 * len(TEMPERAMENTS), 101)
    with serving() as url:
        results = [each async for each in judged("handrail", wanted, url, given_up=PLENTY)]
    assert len(results) == len(wanted)
    assert [(each.case.model, each.violations) for each in results if _kinds(each)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["careless:20956", "careless:50270"])
async def test_seeds_that_were_hard_before_are_decent(name: str) -> None:
    temperament, _, seed = name.partition(":")
    with serving() as url:
        record = await measured(handrail, Case(temperament=temperament, seed=int(seed)), url, limit=PLENTY)
    assert judge(record) == []


@pytest.mark.slow
def test_the_command_prints_one_line_a_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--run", "steady:1", "--run", "hasty:2", "--json", "-"])
    told = capsys.readouterr()
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert [line["system"] for line in lines] == ["handrail", "no-ring"]
    assert all(list(line) == ["system", "runs", "decent", "violations", "model_calls", "tokens"] for line in lines)
    assert lines[0]["runs"] == lines[1]["runs"] == 2 and lines[1]["decent"] == 0
    assert "scaled down to 6 s" in told.err
    main(["--system", "no-ring", "--run", "chatty:3", "--json", str(tmp_path / "out.json")])
    (line,) = (tmp_path / "out.json").read_text().splitlines()
    assert json.loads(line)["decent"] == 0 and capsys.readouterr().out == ""


def test_a_run_counts_once_under_each_kind() -> None:
    results = [_judged("place", "place", "late"), _judged("place"), _judged()]
    sums = figures("no-ring", results)
    assert (sums.runs, sums.decent, sums.violations) == (3, 1, {"late": 1, "place": 2})


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--run", "grumpy:1"], "such as careless:20956"),
        (["--run", "steady:x"], "such as careless:20956"),
        (["--seeds", "0"], "'0' is no whole number from 1 on"),
        (["--seeds", "-3"], "'-3' is no whole number from 1 on"),
        (["--at-once", "0"], "'0' is no whole number from 1 on"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2 and told in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told_before_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^The figures cannot be written to .*: No such file or directory\. Name another file"):
        main(["--json", str(tmp_path / "missing" / "x.json")])
    assert capsys.readouterr().err == ""


def _judged(*kinds: str) -> Judged:
    violations = [Violation(kind, "planted") for kind in kinds]
    return Judged(case=Case(temperament="steady", seed=1), violations=violations, partial=False, seconds=1, model_calls=1, tokens=1)


def _kinds(result: Judged) -> set[str]:
    return {violation.kind for violation in result.violations} - {"late"}
