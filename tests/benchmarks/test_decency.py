"""A slice of benchmarks/decency: real processes, real HTTP, every temperament. What is counted never depends on how fast a machine is.

The limits of a run are seconds, so these runs get more of them than anybody needs, or may be late: that alone is not looked at.
"""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.decency import workers
from benchmarks.decency.__main__ import main
from benchmarks.decency.cases import Case, cases, measured
from benchmarks.decency.judge import judge
from benchmarks.decency.ours import handrail, parts, without
from benchmarks.decency.record import Changed
from benchmarks.decency.running import Judged, judged, serving
from benchmarks.decency.systems import SYSTEMS, system_of
from benchmarks.decency.travellers import TASKS, task_for
from benchmarks.decency.workers import Worker, working
from handrail.models.rehearsal.temperaments import TEMPERAMENTS

PLENTY = 600.0
PYTHON = Path(sys.executable)
STEADY = Case(temperament="steady", seed=1)


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
        results = [each async for each in judged("handrail", PYTHON, wanted, url, given_up=PLENTY)]
    assert [each.case for each in results] == wanted
    assert [(each.case.model, each.violations) for each in results if _kinds(each)] == []
    assert all(each.model_calls and each.tokens for each in results if each.case.temperament == "steady")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["careless:20956", "careless:50270"])
async def test_seeds_that_were_hard_before_are_decent(name: str) -> None:
    temperament, _, seed = name.partition(":")
    with serving() as url:
        record = await measured(handrail, Case(temperament=temperament, seed=int(seed)), url, limit=PLENTY)
    assert judge(record) == []


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bare", "openai-agents"])  # what handrail's own environment has
async def test_with_a_good_model_others_are_decent_for_every_task(system: str) -> None:
    seeds = {task_for(seed).name: seed for seed in range(40)}
    with serving() as url:
        for name, seed in seeds.items():
            record = await measured(system_of(system), Case(temperament="steady", seed=seed), url, limit=PLENTY)
            assert judge(record) == [], name
            assert not record.partial and record.output["days"], name


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bare", "openai-agents"])
async def test_others_write_nothing_without_a_yes_whatever_the_model_does(system: str) -> None:
    with serving() as url:
        for temperament in ("hasty", "parallel", "stubborn"):
            record = await measured(system_of(system), Case(temperament=temperament, seed=4), url, limit=PLENTY)
            assert {violation.kind for violation in judge(record)} & {"write", "unconfirmed"} == set()


@pytest.mark.slow
async def test_without_its_approvals_the_ring_lets_a_write_pass_that_nobody_agreed_to() -> None:
    with serving() as url:
        record = await measured(without("Approval(record_brief)"), STEADY, url, limit=PLENTY)
    assert {violation.kind for violation in judge(record)} == {"write"}


async def test_every_part_of_the_ring_can_be_taken_out() -> None:
    named = parts()
    assert len(named) == len(set(named)) and {"TimeLimit", "Grounded", "hours_are_bearable", "Approval(submit_plan)"} <= set(named)
    for part in named:
        assert callable(system_of(f"without {part}"))


@pytest.mark.slow
async def test_a_system_runs_in_a_process_of_its_own_a_few_runs_at_once() -> None:
    wanted = [Case(temperament="steady", seed=seed) for seed in (1, 2, 3)]
    with serving() as url:
        results = [each async for each in judged("bare", PYTHON, wanted, url, at_once=3, limit=PLENTY)]
    assert [each.case for each in results] == wanted
    assert [each.violations for each in results] == [[], [], []]
    assert not any(each.empty for each in results)


async def test_a_process_that_dies_is_told_and_started_again() -> None:
    worker = Worker([PYTHON, "-c", "import sys; print(flush=True); sys.stdin.readline(); sys.exit(3)"])
    try:
        records = [await worker.run(Case(temperament="steady", seed=seed), "http://nowhere", limit=PLENTY) for seed in (1, 2)]
    finally:
        await worker.close()
    assert [record.raised for record in records] == ["the process has ended with 3"] * 2
    assert records[0].task == task_for(1)


async def test_a_process_that_cannot_be_started_is_told() -> None:
    worker = Worker([PYTHON, "-c", "import sys; sys.exit(4)"])
    try:
        record = await worker.run(STEADY, "http://nowhere", limit=PLENTY)
    finally:
        await worker.close()
    assert record.raised == "the process has ended with 4"


async def test_a_process_that_does_not_say_anything_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "TIME_TO_STOP", 0.0)
    worker = Worker([PYTHON, "-c", "import sys; print(flush=True); sys.stdin.read()"])
    try:
        record = await worker.run(STEADY, "http://nowhere", limit=0.0)
    finally:
        await worker.close()
    assert record.raised == "the process did not say anything any more"


@pytest.mark.slow
async def test_what_a_run_raises_is_in_its_record_and_the_process_goes_on() -> None:
    async with working("no-ring", PYTHON) as worker:
        records = [await worker.run(Case(temperament="grumpy", seed=seed), "no address at all", limit=PLENTY) for seed in (1, 2)]
    assert all(record.raised or record.partial for record in records)


@pytest.mark.slow
def test_the_command_writes_what_it_has_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--system", "handrail", "--system", "no-ring", "--run", "steady:1", "--run", "hasty:2", "--limit", "600"])
    told = capsys.readouterr()
    report = json.loads(told.out)
    assert [each["system"] for each in report["systems"]] == ["handrail", "no-ring"]
    assert all(each["runs"] == 2 for each in report["systems"]) and report["systems"][1]["decent"] == 0
    assert report["seeds"] == {"systems": [1, 2]} and report["ablation"] == [] and "processor" in report["machine"]
    assert "Runs may take 600 s" in told.err and "no-ring" in told.err
    main(["--system", "bare", "--run", "chatty:3", "--json", str(tmp_path / "out.json")])
    assert json.loads((tmp_path / "out.json").read_text())["systems"][0]["system"] == "bare"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--run", "grumpy:1"], "such as careless:20956"),
        (["--run", "steady:x"], "such as careless:20956"),
        (["--seeds", "0"], "'0' is no whole number from 1 on"),
        (["--seeds", "-3"], "'-3' is no whole number from 1 on"),
        (["--at-once", "0"], "'0' is no whole number from 1 on"),
        (["--system", "somebody-elses"], "invalid choice"),
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


def test_every_system_is_a_file_that_its_users_can_read() -> None:
    here = Path(__file__).parents[2]
    for name, source in SYSTEMS.items():
        module, _, function = source.place.partition(":")
        assert f"async def {function}(" in (here / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"), name


def _kinds(result: Judged) -> set[str]:
    return {violation.kind for violation in result.violations} - {"late"}
