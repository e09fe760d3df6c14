"""A branch on a socket, and the real client of OpenAI's that talks to it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from handrail.cli.listening import listening, url
from handrail.service.http import Http
from tests.service.branch import LONGEST, Branch

Messages = list[dict[str, Any]]


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


@asynccontextmanager
async def answering(branch: Branch) -> AsyncIterator[str]:
    """The branch on a socket; what is given is `…/v1`."""
    with listening("127.0.0.1", 0) as listener:
        http = Http(branch.service, stopping=branch.running.streams.close)
        serving = asyncio.create_task(http.serve(listener))
        try:
            yield f"{url(listener)}/v1"
        finally:
            http.stop()
            async with asyncio.timeout(LONGEST):
                await serving


class Chat:
    """A front end: it keeps what was said, and sends all of it each time."""

    def __init__(self, client: AsyncOpenAI, model: str = "bank", **options: Any) -> None:
        self.client = client
        self.messages: Messages = []
        self.sessions: list[str] = []
        self._options = {"model": model, **options}

    async def say(self, text: str, **options: Any) -> str:
        """Say something, and keep the answer."""
        self.messages.append(user(text))
        found = await self.asked(self.messages, **options)
        self.messages.append(assistant(found))
        return found

    async def asked(self, messages: Sequence[Any], **options: Any) -> str:
        """The answer to these messages."""
        raw = await self.client.chat.completions.with_raw_response.create(messages=messages, **{**self._options, **options})
        self.sessions.append(raw.headers["x-session-id"])
        answer: ChatCompletion = raw.parse()
        return answer.choices[0].message.content or ""


@asynccontextmanager
async def client(branch: Branch, address: str, who: str = "alice", **options: Any) -> AsyncIterator[AsyncOpenAI]:
    """The official client, that asks once."""
    http = DefaultAsyncHttpxClient(trust_env=False)
    made = AsyncOpenAI(
        base_url=address, api_key=await branch.key(who), http_client=http, **{"max_retries": 0, "timeout": LONGEST, **options}
    )
    async with made:
        yield made


@asynccontextmanager
async def chatting(branch: Branch, who: str = "alice") -> AsyncIterator[Chat]:
    """A front end of somebody's, on a socket."""
    async with answering(branch) as address, client(branch, address, who) as made:
        yield Chat(made)


async def streamed(chat: Chat, messages: Sequence[Any], **options: Any) -> list[ChatCompletionChunk]:
    """All chunks."""
    stream: Any = await chat.client.chat.completions.create(messages=messages, stream=True, **{"model": "bank", **options})
    return [chunk async for chunk in stream]


def text(chunks: Sequence[ChatCompletionChunk]) -> str:
    """What the chunks say."""
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
