"""The console that asks: the real service, the real client, and a provider on this machine that plays what a test wrote down."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from openai import AsyncOpenAI
from starlette.responses import Response

from handrail.models import OpenAIChat
from handrail.service import find_app
from handrail.service.app import make_app
from handrail.testing import check_request
from tests.models.providing import Provider, replies, serving, whole
from tests.service.kit import asking

Played = Callable[[], Response]
CHAT = "/orders/chat"


def says(text: str | None, **message: Any) -> Played:
    """A reply without calls."""
    return replies(whole({"content": text, **message}))


def calls(*wanted: Mapping[str, Any] | str | None, name: str = "lookup_orders", content: str | None = None) -> Played:
    """A reply with calls of one tool, under the ids `call_1`, `call_2`, …; arguments that are a text are sent as they are."""
    made: list[dict[str, Any]] = []
    for number, arguments in enumerate(wanted, 1):
        text = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
        made.append({"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": text}})
    return replies(whole({"content": content, "tool_calls": made}, finish="tool_calls"))


class Console:
    """Asks, and shows what the provider was asked in turn."""

    def __init__(self, client: httpx2.AsyncClient, provider: Provider) -> None:
        self._client = client
        self.provider = provider

    async def ask(self, message: str = "Which orders?") -> httpx2.Response:
        return await self._client.post(CHAT, json={"message": message})

    async def post(self, **request: Any) -> httpx2.Response:
        return await self._client.post(CHAT, **request)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What the provider was asked, each valid for a strict one."""
        assert [wrong for body in self.provider.bodies for wrong in check_request(body)] == []
        return self.provider.bodies

    def results(self, request: int = -1) -> list[Any]:
        """The contents of the tool messages after the last assistant message of a request."""
        messages = self.bodies[request]["messages"]
        last = max(at for at, message in enumerate(messages) if message["role"] == "assistant")
        assert {message["role"] for message in messages[last + 1 :]} == {"tool"}
        return [json.loads(message["content"]) for message in messages[last + 1 :]]


@asynccontextmanager
async def console(*played: Played, timeout: float = 20.0) -> AsyncIterator[Console]:
    """A service whose model is the official client on a provider that plays these replies, the last one for ever."""
    provider = Provider(*played)
    async with serving(provider.app) as url, AsyncOpenAI(base_url=url, api_key="sk-test-hunter2", timeout=timeout) as client:
        service = make_app([find_app("orders")], model=OpenAIChat(client=client))
        async with asking(service) as asked:
            yield Console(asked, provider)
