"""`python -m benchmarks` runs all of them, and says how each went."""

from importlib.util import find_spec

import pytest

from benchmarks import __main__ as command
from benchmarks.__main__ import Benchmark


def known(**short: list[str]) -> dict[str, Benchmark]:
    return {name: Benchmark(answers=f"what {name} answers", command=("no_such_module",), short=args) for name, args in short.items()}


@pytest.mark.slow
def test_one_that_fails_does_not_stop_the_others_and_the_exit_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--short"], known(first=["no_such_module"], second=["calendar", "2026"])) == 1
    printed = capfd.readouterr().out
    assert "== second: what second answers" in printed
    assert [line.split()[0] + line.partition(" s ")[2] for line in printed.splitlines()[-2:]] == ["first failed: exit 1", "second done"]


@pytest.mark.slow
def test_all_that_go_well_exit_with_zero() -> None:
    assert command.main(["--short", "only"], known(only=["calendar", "2026"], other=["no_such_module"])) == 0


def test_what_lacks_something_is_left_out_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    without = Benchmark(answers="nothing", command=("no_such_module",), short=(), lacks=lambda: "no model was fetched")
    assert command.main([], {"weak_model": without}) == 0
    assert "left out: no model was fetched" in capsys.readouterr().out


def test_the_help_names_each_with_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--help"])
    printed = capsys.readouterr().out
    assert [name for name in command.benchmarks() if f"  {name} " not in printed] == []


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["speed"])
    assert "there is no benchmark speed" in capsys.readouterr().err


def test_each_is_a_module_that_can_be_run() -> None:
    modules = {each for benchmark in command.benchmarks().values() for each in (benchmark.command[0], benchmark.short[0])}
    assert [module for module in sorted(modules) if find_spec(f"{module}.__main__") is None] == []


def test_the_short_form_of_each_writes_none_of_the_committed_figures() -> None:
    told = {name: benchmark.short for name, benchmark in command.benchmarks().items() if "--json" in benchmark.short}
    assert {name: short[list(short).index("--json") + 1] for name, short in told.items()} == {
        "throughput": "-",
        "weak_model": "{folder}/weak_model.json",
    }
