"""Telemetry that waits is sent at once where a process is about to be frozen."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from handrail import run
from handrail.service.settings import Settings
from handrail.service.telemetry.watching import Telemetry
from handrail.testing import ScriptedModel, says
from tests.drivers.kit import agent
from tests.service.telemetry.outside import Collector, serving

PATIENCE = 30.0


@contextmanager
def collecting(monkeypatch: pytest.MonkeyPatch, kind: type[Collector]) -> Iterator[None]:
    """A collector, to which the environment leads."""
    with serving(kind) as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        yield


async def one_run(telemetry: Telemetry) -> None:
    with ScriptedModel(says("Hello.")) as model:
        await run(agent(), "Hello?", model=model, on_event=telemetry.saw)


async def test_what_waits_is_sent_and_again_what_came_since(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(Collector):
        got = []

    telemetry = Telemetry(Settings(telemetry="otlp"), streams=float)
    with collecting(monkeypatch, Kept):
        async with telemetry.opened({"mini": agent()}):
            for _ in range(2):
                Kept.got.clear()
                await one_run(telemetry)
                await telemetry.flush(PATIENCE)
                assert sorted(path for path, _ in Kept.got) == ["/v1/metrics", "/v1/traces"]


async def test_a_collector_that_is_slow_is_waited_for_no_longer_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Collector):
        got = []
        may = threading.Event()

    telemetry = Telemetry(Settings(telemetry="otlp"), streams=float)
    with collecting(monkeypatch, Slow):
        async with telemetry.opened({"mini": agent()}):
            await one_run(telemetry)
            await asyncio.gather(*(telemetry.flush(0.01) for _ in range(3)))
            assert Slow.got == []
            Slow.may.set()
    assert sorted({path for path, _ in Slow.got}) == ["/v1/metrics", "/v1/traces"], "what is left is sent at the end"


async def test_without_telemetry_there_is_nothing_to_send() -> None:
    telemetry = Telemetry(Settings(), streams=float)
    await telemetry.flush(PATIENCE)
    async with telemetry.opened({}):
        await telemetry.flush(PATIENCE)
