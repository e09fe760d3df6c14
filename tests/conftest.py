"""What holds for every test.

Rules: property tests draw the same examples on every machine and every day (an unlucky draw would prove nothing but bad luck), and no test
sees the settings or the keys of the person who runs it.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

# too_slow measures the machine, not the code.
for _profile in ("default", "ci"):
    settings.register_profile(_profile, derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")

_PRIVATE = ("HANDRAIL_", "OPENAI_")


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the caller's handrail settings and provider keys."""
    for name in [name for name in os.environ if name.startswith(_PRIVATE)]:
        monkeypatch.delenv(name)
