"""What holds for every test.

Rules: property tests draw the same 50 examples on every machine and every day (an unlucky draw would prove nothing but bad luck); with
`HANDRAIL_TESTS=long` they draw 1,000 others each time, for a run at night that looks for what nobody has thought of. No test
sees the settings or the keys of the person who runs it. Modules are compiled once, whatever the environment says: otherwise each of the
hundred processes that tests start would compile everything anew, which takes as long as all that is tested in it.
"""

import gc
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# too_slow measures the machine, not the code.
_ALWAYS = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
for _profile in ("default", "ci"):
    settings.register_profile(_profile, _ALWAYS, derandomize=True, max_examples=50)
settings.register_profile("long", _ALWAYS, derandomize=False, max_examples=1_000, print_blob=True)
settings.load_profile("long" if os.environ.get("HANDRAIL_TESTS") == "long" else "default")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_PRIVATE = ("HANDRAIL_", "OPENAI_")


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is loaded by now stays: no garbage collection need look through all modules and tests again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the caller's handrail settings and provider keys."""
    for name in [name for name in os.environ if name.startswith(_PRIVATE)]:
        monkeypatch.delenv(name)
