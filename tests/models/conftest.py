"""What holds for every transport is tested with each of them."""

import pytest

from tests.models.carrying import PROXIES, Carrier, made


@pytest.fixture(params=["official", "aiohttp"])
def carrier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Carrier:
    return made(request.param, monkeypatch)


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
