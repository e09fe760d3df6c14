"""The service answers what its own description says. Nothing here is left to chance: the same requests are made every time."""

import json

import pytest

from benchmarks.contract.__main__ import main


@pytest.mark.slow
def test_the_service_does_as_its_description_says(capfd: pytest.CaptureFixture[str]) -> None:
    status = main(["--examples", "70", "--phases", "coverage,fuzzing"])
    printed = capfd.readouterr()
    found = json.loads(printed.out)
    assert (status, found["failures"]) == (0, []), printed.err
    assert found["operations"] >= 14 and found["requests"] > 300
