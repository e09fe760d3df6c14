"""`OpenAIChat`: a model behind any provider that speaks chat completions.

- Requests are written by `wire`, replies read by `replies` and `streaming`, bytes carried by `transports`; here they are only joined.
- Streaming and not streaming end in the same answer. It streams where somebody watches; watchers get text, never reasoning.
- The whole call, the client's retries included, has one limit of time; a stream that has begun also one of silence.
- What a failed stream has shown cannot be taken back: after that the failure is of kind `other`, which nobody asks again.
"""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Any

from openai import AsyncOpenAI

from handrail.errors import InputError, ModelError
from handrail.models.replies import answer, completion, sound
from handrail.models.streaming import Assembly, EventReader
from handrail.models.thinking import ThinkReader
from handrail.models.timers import CallLater, Patience, loop_call_later
from handrail.models.tokens import counter_for, request_tokens
from handrail.models.traits import OPENAI, ProviderTraits
from handrail.models.transports import OfficialTransport, Transport
from handrail.models.transports.official import opened
from handrail.models.transports.provider import NO_KEY
from handrail.models.wire import Wire
from handrail.ports import OnDelta
from handrail.vocab.failures import FailureKind
from handrail.vocab.requests import Counted, ModelAnswer, ModelRequest

PATH = "/chat/completions"
IDLE_SECONDS = 60.0
TOTAL_SECONDS = 600.0
AFTER_DONE_SECONDS = 1.0


class OpenAIChat:
    """A model behind chat completions (`handrail.ports.Model`).

    Args:
        client: a client of yours, with all its settings; it is for one event loop, and stays yours to close.
        base_url: where the provider is; else OPENAI_BASE_URL, else OpenAI.
        api_key: else OPENAI_API_KEY.
        provider: in what the provider differs.
        idle_seconds: the longest silence of a stream once content has begun to come; keep-alives are silence.
        total_seconds: the longest time for one reply, retries included.
        transport: another way to carry bytes, in place of the official client; it knows its address and key itself.
        call_later: the time, for tests.
    """

    def __init__(
        self,
        *,
        client: AsyncOpenAI | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        provider: ProviderTraits = OPENAI,
        idle_seconds: float = IDLE_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        transport: Transport | None = None,
        call_later: CallLater = loop_call_later,
    ) -> None:
        """Check that there is a key; nothing is opened yet.

        Raises:
            InputError: there is no key.
        """
        if transport is None and client is None and not (api_key or os.environ.get("OPENAI_API_KEY")):
            raise InputError(NO_KEY)
        self._transport = transport or OfficialTransport(client or (lambda: opened(base_url, api_key)))
        self._traits = provider
        self._wire = Wire(provider)
        self._idle_seconds = idle_seconds
        self._total_seconds = total_seconds
        self._call_later = call_later

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer, streaming where `on_delta` watches."""
        stream = on_delta is not None and self._traits.streams
        body = self._wire.body(request, stream=stream)
        watched = _Watched(on_delta)
        failed: ModelError | None = None
        try:
            async with self._patience() as patience:
                response = await self._transport.post(PATH, body, model=request.model, stream=stream)
                if isinstance(response.body, bytes):
                    return watched.whole(completion(response.body, request.settings))
                if "event-stream" not in response.headers.get("content-type", ""):
                    return watched.whole(completion(await _all(response.body), request.settings))
                return await _stream(response.body, patience, watched, request.settings)
        except ModelError as error:
            failed = error
        raise watched.failure(failed)

    def counted(self, request: ModelRequest) -> Counted:
        """The tokens of a request, by the model's name (`handrail.ports.CountingModel`)."""
        return request_tokens(counter_for(request.model), request)

    async def close(self) -> None:
        """Close what this event loop has open; it happens by itself when the loop ends."""
        await self._transport.close()

    def _patience(self) -> Patience:
        return Patience(self._call_later, idle_seconds=self._idle_seconds, total_seconds=self._total_seconds)


class _Watched:
    """What watchers have been shown so far."""

    def __init__(self, on_delta: OnDelta | None) -> None:
        self._on_delta = on_delta
        self._thinking = ThinkReader()
        self._blank = ""
        self._anything = False

    def show(self, piece: str) -> None:
        """Show a piece of text, without the reasoning in it."""
        self._pass_on(self._thinking.feed(piece))

    def end(self) -> None:
        """Show what was held back."""
        self._pass_on(self._thinking.end())

    def whole(self, answered: ModelAnswer) -> ModelAnswer:
        """Show a reply that came in one piece."""
        self._pass_on(answered.text or "")
        return answered

    def failure(self, failed: ModelError) -> ModelError:
        """The failure; one that nobody asks again where something has been shown."""
        if not self._anything:
            return failed
        return ModelError(FailureKind.OTHER, f"{failed} (after a part of the reply had been shown)")

    def _pass_on(self, text: str) -> None:
        text = self._blank + text
        if not self._anything and not text.strip():
            self._blank = text  # blank space alone is no reply, so it is not shown before something follows
        elif text and self._on_delta is not None:
            self._blank, self._anything = "", True
            self._on_delta(sound(text))


async def _stream(body: AsyncGenerator[bytes], patience: Patience, watched: _Watched, settings: Mapping[str, Any]) -> ModelAnswer:
    reader, assembly = EventReader(), Assembly()
    async with aclosing(body):
        async for piece in body:
            for data in reader.feed(piece):
                text, content = assembly.add(data)
                watched.show(text)
                if content:
                    patience.heard()
            if assembly.done:
                await _drain(body, patience)
                break
    watched.end()
    return answer(assembly.message(), assembly.finish, assembly.usage, settings)


async def _drain(body: AsyncGenerator[bytes], patience: Patience) -> None:
    """Read what is left after the end, which lets the connection be used again; a server that holds it open is not waited for."""
    with suppress(ModelError):
        async with patience.shorter(AFTER_DONE_SECONDS):
            async for _ in body:
                pass


async def _all(body: AsyncGenerator[bytes]) -> bytes:
    async with aclosing(body):
        return b"".join([piece async for piece in body])
