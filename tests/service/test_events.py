"""What happens in a job, as server-sent events: each once, in order, and from any number on (case 66)."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, TypeVar

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent
from handrail.cli.listening import listening, url
from handrail.core.events import RunStarted
from handrail.service.http import Http
from handrail.service.problems import Problem
from handrail.service.streams import KEEP_ALIVE
from tests.service.branch import LONGEST, Branch, invoke, opened, teller

T = TypeVar("T")
Sent = list[tuple[int, dict[str, Any]]]


def parsed(text: str) -> Sent:
    """The events of a stream, by the rules of the specification, as far as we use them."""
    found: Sent = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if fields:
            assert set(fields) == {"id", "data"}
            found.append((int(fields["id"]), json.loads(fields["data"])))
    return found


async def _events(client: httpx2.AsyncClient, job_id: str, last: int | None = None) -> Sent:
    answer = await client.get(f"/agent/jobs/{job_id}/events", headers={} if last is None else {"Last-Event-ID": str(last)})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
    return parsed(answer.text)


async def test_a_job_that_has_ended_is_sent_whole_and_the_stream_ends(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "hello")
        await branch.ended(job_id)
        sent = await _events(client, job_id)
    assert [number for number, _ in sent] == list(range(len(sent)))
    assert sent[0][1]["event"] == "RunStarted" and sent[-1][1]["event"] == "RunFinished"
    assert sent[-1][1]["outcome"]["output"] == "You said: hello"


async def test_what_was_said_in_earlier_runs_is_in_the_session_and_not_in_the_stream(branch: Branch) -> None:
    async with branch.client("alice") as client:
        await branch.ended(await invoke(client, "the first"))
        job_id = await invoke(client, "the second")
        await branch.ended(job_id)
        sent = await _events(client, job_id)
    assert "history" not in sent[0][1] and "the first" not in json.dumps(sent[0][1])


async def test_case_66_whoever_comes_back_gets_what_came_after(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "hello")
        await branch.ended(job_id)
        whole = await _events(client, job_id)
        for last in range(len(whole) - 1):
            assert await _events(client, job_id, last) == whole[last + 1 :]
        assert await _events(client, job_id, len(whole) - 2) == whole[-1:]  # the last one can be had again
        nothing = await client.get(f"/agent/jobs/{job_id}/events", headers={"Last-Event-ID": str(len(whole) - 1)})
        assert (nothing.status_code, nothing.content) == (204, b"")


@pytest.mark.parametrize(("last", "status"), [("9999", 400), ("", 422), ("x", 422), ("-1", 422), ("1e3", 422), ("٣", 422), ("9" * 20, 422)])
async def test_case_66_an_unknown_number_is_refused_without_content(last: str, status: int, branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "the secret word")
        await branch.ended(job_id)
        answer = await client.get(f"/agent/jobs/{job_id}/events", headers=httpx2.Headers([(b"Last-Event-ID", last.encode())]))
    assert answer.status_code == status and "secret" not in answer.text


async def test_case_66_a_number_leads_to_no_other_jobs_events(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("bob") as bob:
        mine, theirs = await invoke(alice, "mine"), await invoke(bob, "theirs", session="s2")
        for job_id in (mine, theirs):
            await branch.ended(job_id)
        for client, own, other in ((alice, mine, theirs), (bob, theirs, mine)):
            assert (await _events(client, own, 0))[-1][1]["outcome"]["output"] == f"You said: {'mine' if own == mine else 'theirs'}"
            for last in ({}, {"Last-Event-ID": "0"}):
                refused = await client.get(f"/agent/jobs/{other}/events", headers=last)
                assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_a_job_that_has_not_begun_has_no_event_to_come_back_with(database: AsyncEngine) -> None:
    async with opened(database, start=False) as branch, branch.client("alice") as client:
        job_id = await invoke(client, "hello")
        answer = await client.get(f"/agent/jobs/{job_id}/events", headers={"Last-Event-ID": "0"})
        assert (answer.status_code, answer.json()["code"]) == (400, "unknown_event")


async def _next(stream: AsyncGenerator[bytes, None]) -> bytes:
    async with asyncio.timeout(LONGEST):
        return await anext(stream)


async def _opened(branch: Branch, job_id: str, after: int = -1) -> AsyncGenerator[bytes, None]:
    stream = await branch.running.streams.opened("alice", job_id, after=after)
    assert stream is not None
    return stream


async def test_events_come_as_they_happen_each_once(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "wait")
        await branch.until(job_id, RunStarted)
        stream = await _opened(branch, job_id)
        first = [parsed((await _next(stream)).decode())[0] for _ in range(2)]
        assert [event["event"] for _, event in first] == ["RunStarted", "TurnOpened"]
        coming = asyncio.create_task(_next(stream))
        async with asyncio.timeout(LONGEST):
            await branch.model.asked.wait()
        assert not coming.done()
        branch.model.go_on.set()
        rest = [parsed((await coming).decode())[0]]
        async with asyncio.timeout(LONGEST):
            rest += [parsed(chunk.decode())[0] async for chunk in stream]
        assert first + rest == await _events(client, job_id)


async def _meanwhile(coming: asyncio.Task[T], *branches: Branch) -> T:
    """Let time go on until it is there, however long the machine takes."""
    async with asyncio.timeout(LONGEST):
        while not coming.done():
            for branch in branches:
                branch.clock.advance(1)
            await asyncio.sleep(0)
        return await coming


def patient() -> Agent:
    """No hurry: the time that a test lets pass does not end what it waits for."""
    return teller(timedelta(days=100_000))


async def test_while_nothing_happens_the_stream_is_kept_alive(database: AsyncEngine) -> None:
    async with opened(database, agent=patient) as branch, branch.client("alice") as client:
        job_id = await invoke(client, "pay 5 to bob")
        await branch.waits(job_id)
        last = len(await branch.running.desk.lines("alice", job_id, after=-1)) - 1
        stream = await _opened(branch, job_id, last)
        began = branch.clock.now()
        assert await _meanwhile(asyncio.create_task(_next(stream)), branch) == b": keep-alive\n\n"
        assert branch.clock.now() - began >= KEEP_ALIVE
        await branch.running.desk.cancel("alice", job_id)
        assert parsed((await _next(stream)).decode())[0][0] == last + 1
        await stream.aclose()


async def test_events_of_a_run_in_another_process_are_found_by_looking(database: AsyncEngine) -> None:
    async with opened(database, start=False) as front, opened(database) as back, front.client("alice") as client:
        job_id = await invoke(client, "hello")
        stream = await _opened(front, job_id)
        chunks = await _meanwhile(asyncio.create_task(_all(stream)), front, back)
        events = [event["event"] for _, event in parsed("".join(chunk.decode() for chunk in chunks))]
        assert (events[0], events[-1], len(events)) == ("RunStarted", "RunFinished", len(set(events)))


async def _all(stream: AsyncGenerator[bytes, None]) -> list[bytes]:
    return [chunk async for chunk in stream]


async def test_one_user_may_have_so_many_streams_open(database: AsyncEngine) -> None:
    async with opened(database, most_streams=2) as branch, branch.client("alice") as client:
        job_id = await invoke(client, "pay 5 to bob")
        await branch.waits(job_id)
        streams = [await _opened(branch, job_id) for _ in range(2)]
        for stream in streams:
            await _next(stream)
        with pytest.raises(Problem, match="more than 2 streams"):
            await branch.running.streams.opened("alice", job_id, after=-1)
        for stream in streams:
            await stream.aclose()
        await (await _opened(branch, job_id)).aclose()


@asynccontextmanager
async def _answering(branch: Branch) -> AsyncIterator[tuple[str, Http]]:
    """The branch on a socket."""
    with listening("127.0.0.1", 0) as listener:
        http = Http(branch.service, stopping=branch.running.streams.close)
        serving = asyncio.create_task(http.serve(listener))
        try:
            yield url(listener), http
        finally:
            http.stop()
            async with asyncio.timeout(LONGEST):
                await serving


async def test_a_client_that_goes_away_ends_no_run(branch: Branch) -> None:
    async with _answering(branch) as (address, _):
        key = await branch.key("alice")
        async with httpx2.AsyncClient(base_url=address, headers={"X-API-Key": key}, timeout=LONGEST, trust_env=False) as client:
            job_id = await invoke(client, "wait")
            async with asyncio.timeout(LONGEST):
                await branch.model.asked.wait()
            async with client.stream("GET", f"/agent/jobs/{job_id}/events") as stream:
                async for line in stream.aiter_lines():
                    if "TurnOpened" in line:
                        break
        # The client is gone, with its connections.
        branch.model.go_on.set()
        await branch.ended(job_id)
        job = await branch.running.desk.job("alice", job_id)
        assert job.response == "You said: wait"


async def test_a_stop_ends_streams_and_the_run_can_be_gone_on_with(branch: Branch) -> None:
    async with _answering(branch) as (address, http):
        key = await branch.key("alice")
        async with httpx2.AsyncClient(base_url=address, headers={"X-API-Key": key}, timeout=LONGEST, trust_env=False) as client:
            job_id = await invoke(client, "pay 5 to bob")
            await branch.waits(job_id)
            async with client.stream("GET", f"/agent/jobs/{job_id}/events") as stream:
                lines = stream.aiter_lines()
                async with asyncio.timeout(LONGEST):
                    assert (await anext(lines)).startswith("id: 0")
                    http.stop()
                    rest = [line async for line in lines]
                assert not any("RunFinished" in line for line in rest)
    assert (await branch.running.desk.job("alice", job_id)).status == "INPUT_REQUIRED"


async def test_a_request_that_its_client_drops_is_taken_on_once_it_was_read(branch: Branch) -> None:
    async with _answering(branch) as (address, _):
        body = json.dumps({"session_id": "s1", "message": "hello"}).encode()
        head = f"POST /agent/invoke HTTP/1.1\r\nHost: x\r\nX-API-Key: {await branch.key('alice')}\r\nContent-Length: {len(body)}\r\n"
        host, port = address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        await writer.drain()
        assert (await reader.readline()).startswith(b"HTTP/1.1 202")
        sock: socket.socket = writer.get_extra_info("socket")
        assert sock.fileno() >= 0
        writer.close()
        await writer.wait_closed()
        jobs = await branch.running.desk.jobs("alice")
        await branch.ended(jobs[0].job_id)
    assert [job.status.value for job in await branch.running.desk.jobs("alice")] == ["COMPLETE"]
