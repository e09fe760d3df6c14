"""Behind a gateway that waits for whole answers: a stream ends in time, and the gateway's key is nobody's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from handrail.ports import Clock
from handrail.service.gateway import SLICE, BehindGateway
from handrail.service.streams import MEDIA_TYPE
from handrail.testing import ManualClock
from tests.service.branch import LONGEST, Branch


@asynccontextmanager
async def behind(app: ASGIApp, clock: Clock, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(BehindGateway(app, clock=clock))
    async with httpx2.AsyncClient(transport=transport, base_url="http://service.test", headers=headers) as client:
        yield client


class Endless:
    """A stream that has something to say once, and never ends."""

    def __init__(self, media_type: str) -> None:
        self.said = asyncio.Event()
        self.go_on = asyncio.Event()
        self.ended = False
        self.app = Starlette(routes=[Route("/", self._answer)])
        self._media_type = media_type

    async def _answer(self, request: Request) -> StreamingResponse:
        return StreamingResponse(self._lines(), media_type=self._media_type)

    async def _lines(self) -> AsyncIterator[bytes]:
        try:
            yield b"id: 0\n\n"
            self.said.set()
            await self.go_on.wait()
            yield b"id: 1\n\n"
        finally:
            self.ended = True


async def test_a_stream_of_events_is_ended_in_time_with_what_it_has_said() -> None:
    clock, endless = ManualClock(), Endless(MEDIA_TYPE)
    async with behind(endless.app, clock) as client, asyncio.timeout(LONGEST):
        reading = asyncio.create_task(client.get("/"))
        await endless.said.wait()
        await clock.until_waiting()
        clock.advance(SLICE.total_seconds())
        answer = await reading
    assert (answer.status_code, answer.text, endless.ended, clock.waiting) == (200, "id: 0\n\n", True, 0)


async def test_a_stream_that_ends_by_itself_is_whole() -> None:
    clock, endless = ManualClock(), Endless(MEDIA_TYPE)
    endless.go_on.set()
    async with behind(endless.app, clock) as client:
        answer = await client.get("/")
    assert (answer.text, clock.waiting) == ("id: 0\n\nid: 1\n\n", 0)


async def test_only_events_are_cut() -> None:
    clock, endless = ManualClock(), Endless("text/plain")
    async with behind(endless.app, clock) as client, asyncio.timeout(LONGEST):
        reading = asyncio.create_task(client.get("/"))
        await endless.said.wait()
        assert clock.waiting == 0
        endless.go_on.set()
        assert (await reading).text == "id: 0\n\nid: 1\n\n"


async def test_the_gateways_own_key_ends_there(branch: Branch) -> None:
    key = await branch.key("ada")
    both: dict[str, Any] = {"X-API-Key": "the gateway's", "Authorization": f"Bearer {key}"}
    async with behind(branch.service, branch.clock, **both) as client:
        assert (await client.get("/agent/sessions")).status_code == 200
    alone: dict[str, Any] = {"X-API-Key": key}
    async with behind(branch.service, branch.clock, **alone) as client:
        assert (await client.get("/agent/sessions")).status_code == 401, "who calls is told by Authorization alone"
