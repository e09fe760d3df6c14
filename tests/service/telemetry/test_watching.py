"""Telemetry is off until it is wanted, and then it needs its extra."""

import subprocess
import sys

import pytest

from handrail.errors import InputError
from handrail.service.settings import Settings
from handrail.service.telemetry import watching
from handrail.service.telemetry.watching import Telemetry
from tests.cli.processes import environment

IMPORTED = """
import asyncio, sys
import handrail.service.app
from handrail.service.settings import Settings
from handrail.service.telemetry.watching import Telemetry

async def opened():
    async with Telemetry(Settings(telemetry=sys.argv[1]), streams=float).opened({}):
        print("opentelemetry.sdk" in sys.modules)

asyncio.run(opened())
"""


@pytest.mark.slow
@pytest.mark.parametrize(("to", "is_there"), [("off", "False"), ("console", "True")])
def test_nothing_of_opentelemetrys_sdk_is_loaded_until_it_is_wanted(to: str, is_there: str) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED, to], env=environment(), capture_output=True, encoding="utf-8", check=False)
    assert (done.stdout.strip(), done.stderr) == (is_there, "")


async def test_without_the_extra_the_setting_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "EXPORTING", "no_such_module_anywhere:exporting")
    with pytest.raises(InputError, match=r"install handrail\[telemetry\]"):
        async with Telemetry(Settings(telemetry="otlp"), streams=lambda: 0.0).opened({}):
            pass
