"""Each small fault put into the core on purpose is found by the core's own narrow tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.mutants import MUTANTS, ROOT

BATCHES = 4
FAILED = 1
"""What pytest returns when a test failed; 2 to 5 say that it could not be told."""


def outcomes(folder: Path, numbers: list[int]) -> dict[int, int]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.mutants", str(folder), *map(str, numbers)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {int(number): code for number, code in json.loads(done.stdout).items()}


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_fault_is_found(batch: int, tmp_path: Path) -> None:
    numbers = list(range(len(MUTANTS)))[batch::BATCHES]
    came = outcomes(tmp_path, numbers)
    assert list(came) == numbers
    lived = {number: code for number, code in came.items() if code != FAILED}
    assert not lived, [f"{code}: {MUTANTS[number]}" for number, code in lived.items()]


@pytest.mark.slow
def test_without_a_fault_the_same_tests_pass(tmp_path: Path) -> None:
    assert outcomes(tmp_path, [-1]) == {-1: 0}


def test_every_fault_is_one_edit_of_what_is_there() -> None:
    for found in MUTANTS:
        text = (ROOT / "src" / "handrail" / "core" / found.file).read_text(encoding="utf-8")
        assert text.count(found.right) == 1, found
        assert found.right != found.wrong and all((ROOT / test).exists() for test in found.tests.split())
    assert len(set(MUTANTS)) == len(MUTANTS) >= 25
