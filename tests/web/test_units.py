"""The front end's own checks: its unit and component tests, types and style."""

import subprocess

import pytest

from tests.web.browsing import ROOT

LONGEST = 600
COMMANDS = (("test",), ("types",), ("lint",))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_front_ends_own_checks_hold(command: tuple[str, ...]) -> None:
    ran = subprocess.run(
        [ROOT / "scripts" / "npm.sh", "run", "--silent", *command],
        cwd=ROOT / "web",
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
