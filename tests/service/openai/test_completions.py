"""`POST /v1/chat/completions`, as the official client sees it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, tool
from handrail.service import App
from handrail.testing import calls, fails, says
from handrail.vocab.requests import ModelAnswer
from tests.service.branch import LONGEST, Branch, opened
from tests.service.openai.kit import Chat, answering, chatting, client, streamed, text, user


async def test_the_apps_are_the_models(branch: Branch) -> None:
    async with chatting(branch) as chat:
        found = [model async for model in chat.client.models.list()]
        assert [(model.id, model.object, model.owned_by) for model in found] == [("bank", "model", "handrail")]
        assert found[0].created == int(branch.clock.now().timestamp())
        assert await chat.client.models.retrieve("bank") == found[0]
        with pytest.raises(openai.NotFoundError) as refused:
            await chat.client.models.retrieve("gpt-4o")
        assert refused.value.code == "model_not_found" and "gpt-4o" not in refused.value.message


async def test_a_completion_is_the_answer_of_a_job(branch: Branch) -> None:
    async with chatting(branch) as chat:
        raw = await chat.client.chat.completions.with_raw_response.create(model="bank", messages=[{"role": "user", "content": "hello"}])
        found = raw.parse()
    job = await branch.running.desk.job("alice", raw.headers["x-job-id"])
    assert (job.status.value, job.message, job.app, job.session_id) == ("COMPLETE", "hello", "bank", raw.headers["x-session-id"])
    assert found.choices[0].message.content == job.response == "You said: hello"
    assert (found.object, found.model, found.id, found.choices[0].finish_reason) == (
        "chat.completion",
        "bank",
        f"chatcmpl-{job.job_id}",
        "stop",
    )
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (10, 5, 15)


async def test_a_stream_says_its_role_its_text_and_its_end(branch: Branch) -> None:
    async with chatting(branch) as chat:
        chunks = await streamed(chat, [user("hello")])
        assert [choice.delta.role for choice in chunks[0].choices] == ["assistant"]
        assert text(chunks) == "You said: hello"
        assert [chunk.choices[0].finish_reason for chunk in chunks] == [*[None] * (len(chunks) - 1), "stop"]
        assert {(chunk.id, chunk.model, chunk.object) for chunk in chunks} == {(chunks[0].id, "bank", "chat.completion.chunk")}
        assert not any(chunk.usage for chunk in chunks)
        with_usage = await streamed(chat, [user("hello")], stream_options={"include_usage": True})
        assert with_usage[-1].choices == [] and with_usage[-1].usage is not None and with_usage[-1].usage.total_tokens == 15


async def test_the_bytes_of_a_stream_are_events_that_nobody_keeps_back(branch: Branch) -> None:
    async with branch.client("alice") as asking:
        answer = await asking.post("/v1/chat/completions", json={"model": "bank", "messages": [user("hello")], "stream": True})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
    events = answer.text.removesuffix("\n\n").split("\n\n")
    assert all(event.startswith("data: {") for event in events[:-1]) and events[-1] == "data: [DONE]"


class Speaking:
    """A model that writes its text in pieces and waits between them, so that a test can look."""

    def __init__(self, branch: Branch) -> None:
        self.written = asyncio.Event()
        self.go_on = asyncio.Event()
        branch.model.reply = self.reply  # type: ignore[method-assign]  # another model for this branch

    async def reply(self, request: Any, *, on_delta: Any = None) -> ModelAnswer:
        assert on_delta is not None, "somebody listens, and the model is not told"
        on_delta("The first half,")
        self.written.set()
        await self.go_on.wait()
        on_delta(" the second half.")
        return says("The first half, the second half.")


async def test_text_comes_as_the_model_writes_it(branch: Branch) -> None:
    speaking = Speaking(branch)
    async with chatting(branch) as chat, asyncio.timeout(LONGEST):
        stream: Any = await chat.client.chat.completions.create(model="bank", messages=[{"role": "user", "content": "hello"}], stream=True)
        chunks = [await anext(stream), await anext(stream)]
        assert speaking.written.is_set() and text(chunks) == "The first half,"
        speaking.go_on.set()
        chunks += [chunk async for chunk in stream]
    assert text(chunks) == "The first half, the second half."


async def test_what_is_said_beside_calls_is_a_paragraph_of_its_own(branch: Branch) -> None:
    replies = [calls(("pay", {"to": "bob"}), text="Let me see."), says("I cannot pay.")]

    async def reply(request: Any, *, on_delta: Any = None) -> ModelAnswer:
        answer = replies.pop(0)
        on_delta(answer.text)
        return answer

    branch.model.reply = reply  # type: ignore[method-assign]  # another model for this branch
    async with chatting(branch) as chat:
        chat.messages = [user("hello")]
        said = text(await streamed(chat, chat.messages))
        assert said == "Let me see.\n\nI cannot pay."


async def test_where_nobody_listens_nothing_is_streamed(branch: Branch) -> None:
    asked: list[Any] = []

    async def reply(request: Any, *, on_delta: Any = None) -> ModelAnswer:
        asked.append(on_delta)
        return says("yes")

    branch.model.reply = reply  # type: ignore[method-assign]  # another model for this branch
    async with chatting(branch) as chat:
        assert await chat.say("hello") == "yes"
    assert asked == [None]


async def test_the_run_in_another_process_brings_the_whole_text_at_the_end(database: AsyncEngine) -> None:
    async with opened(database, start=False) as front, opened(database) as back, chatting(front) as chat:
        coming = asyncio.create_task(streamed(chat, [user("hello")]))
        async with asyncio.timeout(LONGEST):
            while not coming.done():
                for branch in (front, back):
                    branch.clock.advance(1)
                await asyncio.sleep(0)
        assert text(await coming) == "You said: hello"


async def test_while_nothing_happens_a_stream_is_kept_alive(branch: Branch) -> None:
    body = {"model": "bank", "messages": [user("wait")], "stream": True}
    headers = {"Authorization": f"Bearer {await branch.key('alice')}"}
    async with (
        answering(branch) as address,
        httpx2.AsyncClient(timeout=LONGEST, trust_env=False) as asking,
        asking.stream("POST", f"{address}/chat/completions", json=body, headers=headers) as stream,
        asyncio.timeout(LONGEST),
    ):
        lines = stream.aiter_lines()
        await branch.model.asked.wait()
        alive = asyncio.create_task(_until(lines, ": keep-alive"))
        while not alive.done():
            branch.clock.advance(1)
            await asyncio.sleep(0)
        branch.model.go_on.set()
        assert [line async for line in lines if line][-1] == "data: [DONE]"


async def _until(lines: AsyncIterator[str], wanted: str) -> None:
    async for line in lines:
        if line == wanted:
            return


async def test_a_client_that_goes_away_ends_no_run(branch: Branch) -> None:
    async with answering(branch) as address:
        async with client(branch, address) as made:
            stream: Any = await made.chat.completions.create(model="bank", messages=[{"role": "user", "content": "wait"}], stream=True)
            async with asyncio.timeout(LONGEST):
                await branch.model.asked.wait()
            await stream.close()
        branch.model.go_on.set()
        (job,) = await branch.running.desk.jobs("alice")
        await branch.ended(job.job_id)
        assert (await branch.running.desk.job("alice", job.job_id)).response == "You said: wait"


async def test_a_run_that_fails_is_an_error_that_is_not_asked_again(branch: Branch) -> None:
    asked: list[str] = []

    async def reply(request: Any, *, on_delta: Any = None) -> ModelAnswer:
        asked.append("once")
        raise fails()

    branch.model.reply = reply  # type: ignore[method-assign]  # another model for this branch
    async with answering(branch) as address, client(branch, address, max_retries=2) as made:
        with pytest.raises(openai.InternalServerError) as failed:
            await Chat(made).say("hello")
        assert (failed.value.status_code, failed.value.code, failed.value.type) == (502, "model_failed", "server_error")
        assert len(asked) == 1
        with pytest.raises(openai.APIError, match="The model did not answer") as broken:
            await streamed(Chat(made), [user("hello")])
        assert broken.value.code == "model_failed"


async def test_a_job_that_is_cancelled_is_an_error_too(branch: Branch) -> None:
    async with chatting(branch) as chat:
        coming = asyncio.create_task(chat.say("wait"))
        async with asyncio.timeout(LONGEST):
            await branch.model.asked.wait()
            (job,) = await branch.running.desk.jobs("alice")
            await branch.running.desk.cancel("alice", job.job_id)
            with pytest.raises(openai.InternalServerError) as failed:
                await coming
        assert (failed.value.status_code, failed.value.code) == (503, "cancelled")


async def test_a_server_that_stops_says_so_and_the_job_goes_on_later(branch: Branch) -> None:
    async with chatting(branch) as chat:
        coming = asyncio.create_task(chat.say("wait"))
        async with asyncio.timeout(LONGEST):
            await branch.model.asked.wait()
            branch.running.streams.close()
            with pytest.raises(openai.InternalServerError) as failed:
                await coming
        assert (failed.value.status_code, failed.value.code) == (503, "stopping")
        branch.model.go_on.set()


UNSUPPORTED: list[dict[str, Any]] = [
    {"n": 2},
    {"logprobs": True},
    {"top_logprobs": 3},
    {"modalities": ["text", "audio"]},
    {"audio": {"voice": "alloy", "format": "wav"}},
    {"response_format": {"type": "json_object"}},
]


async def test_what_cannot_be_had_is_refused_and_nothing_runs(branch: Branch) -> None:
    async with chatting(branch) as chat:
        for options in UNSUPPORTED:
            with pytest.raises(openai.BadRequestError, match=next(iter(options))) as refused:
                await chat.asked([user("hello")], **options)
            assert refused.value.code == "unsupported"
    assert branch.model.requests == []


async def test_what_providers_know_and_agents_do_not_is_ignored(branch: Branch) -> None:
    ignored = {"temperature": 0.2, "max_tokens": 5, "max_completion_tokens": 5, "top_p": 1, "stop": ["x"], "seed": 1, "user": "u"}
    plain = {"n": 1, "logprobs": False, "response_format": {"type": "text"}, "modalities": ["text"], "extra_body": {"num_ctx": 4096}}
    async with chatting(branch) as chat:
        assert await chat.asked([user("hello")], **ignored, **plain) == "You said: hello"


async def test_only_text_is_read(branch: Branch) -> None:
    async with chatting(branch) as chat:
        for part in ({"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "input_audio", "input_audio": {}}):
            with pytest.raises(openai.BadRequestError, match="text only"):
                await chat.asked([user([{"type": "text", "text": "look"}, part])])
        joined = await chat.asked([user([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])])
        assert joined == "You said: one\ntwo"


async def test_every_error_under_v1_is_one_of_openais(database: AsyncEngine) -> None:
    async with opened(database, most_body_bytes=2_000) as branch:
        async with branch.stranger() as stranger:
            refused = await stranger.post("/v1/chat/completions", json={})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        async with branch.client("alice") as asking:
            answers = [
                refused,
                await asking.post("/v1/chat/completions", json={"model": "bank", "messages": []}),
                await asking.post("/v1/chat/completions", json={"model": "nobody", "messages": [user("x")]}),
                await asking.post("/v1/chat/completions", json={"model": "bank", "messages": [user("x" * 2_000)]}),
                await asking.post("/v1/chat/completions", content=b"{"),
                await asking.post("/v1/chat/completions", json={"model": "bank", "messages": [user(" ")]}),
                await asking.get("/v1/embeddings"),
                await asking.delete("/v1/models"),
            ]
        assert [answer.status_code for answer in answers] == [401, 422, 404, 413, 422, 400, 404, 405]
        for answer in answers:
            assert answer.headers["content-type"] == "application/json"
            error = answer.json()["error"]
            assert list(answer.json()) == ["error"] and set(error) == {"message", "type", "param", "code"}
        assert answers[1].json()["error"]["param"] == "messages"


async def test_more_than_one_may_follow_at_once_is_refused_before_anything_is_taken_on(database: AsyncEngine) -> None:
    async with opened(database, most_streams=1) as branch, chatting(branch) as chat:
        coming = asyncio.create_task(chat.say("wait"))
        async with asyncio.timeout(LONGEST):
            await branch.model.asked.wait()
        with pytest.raises(openai.RateLimitError):
            await Chat(chat.client).say("hello")
        branch.model.go_on.set()
        await coming
        assert len(await branch.running.desk.jobs("alice")) == 1


@tool(effect="read")
async def hand_in(total: int) -> dict[str, int]:
    """Hand the result in.

    Args:
        total: the sum.
    """
    return {"total": total}


def adder() -> Agent:
    return Agent(name="adder", instructions="Add.", model="m", tools=[hand_in], submit="hand_in")


@pytest.mark.parametrize(("shown", "said"), [(None, '{"total":3}'), (lambda outcome: f"**{outcome.output['total']}**", "**3**")])
async def test_an_answer_that_is_no_text_is_said_as_people_read_it(shown: Any, said: str, database: AsyncEngine) -> None:
    app = App(name="adder", summary="Adds.", agent=adder, shown=shown)
    async with opened(database, apps=[app]) as branch, chatting(branch) as chat:

        async def reply(request: Any, *, on_delta: Any = None) -> ModelAnswer:
            return calls(("hand_in", {"total": 3}))

        branch.model.reply = reply  # type: ignore[method-assign]  # another model for this branch
        assert await chat.say("1 and 2", model="adder") == said
