"""Whether a request fits: measured before each model call, without a network, and almost always without counting.

- No text has more tokens than bytes, so a request with fewer bytes than it may have tokens fits. Only a longer one is counted, in a thread.
- What was measured of a transcript is not measured again while it only grows.
- A model that cannot count is estimated.
"""

import asyncio
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from handrail.ports import CountingModel, Model
from handrail.vocab.estimating import A_MESSAGE, estimated_tokens
from handrail.vocab.messages import AssistantMessage, Message, Said, UserMessage
from handrail.vocab.requests import Counted, ModelAnswer, ModelRequest
from handrail.vocab.usage import Usage

AROUND = 8
"""Bytes a message that stand for what a provider puts around it; no provider puts more tokens there."""


class Ruler:
    """Measures the requests of one run.

    Args:
        model: counts with its own vocabulary, where it knows it.
    """

    def __init__(self, model: Model) -> None:
        """Measure nothing yet."""
        self._count = model.counted if isinstance(model, CountingModel) else estimated
        self._sized: tuple[int, Message | None, int] = (0, None, 0)
        self._declarations: dict[tuple[int, ...], tuple[tuple[Mapping[str, object], ...], int]] = {}

    def most(self, request: ModelRequest) -> int:
        """A number of tokens that the request has at most."""
        return _size(request.system) + AROUND + self._declared(request.tools) + self._said(request.messages)

    async def too_long(self, request: ModelRequest, most: int) -> Counted | None:
        """What the request was counted as, if it has more than so many tokens."""
        if self.most(request) <= most:
            return None
        counted = await self.counted(request)
        return counted if counted.total > most else None

    async def counted(self, request: ModelRequest) -> Counted:
        """The tokens of a request."""
        return await asyncio.to_thread(self._count, request)

    async def with_usage(self, request: ModelRequest, answer: ModelAnswer) -> ModelAnswer:
        """The answer with what it used, where its provider did not say."""
        if answer.usage.total:
            return answer
        said = AssistantMessage(text="".join((answer.text or "", *(f"{call.name}{call.arguments or ''}" for call in answer.calls))))
        counted = await self.counted(replace(request, messages=(*request.messages, said)))
        *asked, replied = counted.messages
        return replace(answer, usage=Usage(input_tokens=counted.fixed + sum(asked), output_tokens=replied))

    async def text(self, model: str, text: str) -> int:
        """The tokens of a text, as a message to that model."""
        return (await self.counted(ModelRequest(model=model, system="", messages=(UserMessage(said=(Said(text=text),)),)))).messages[0]

    def _said(self, messages: tuple[Message, ...]) -> int:
        many, last, size = self._sized
        if many > len(messages) or (many and messages[many - 1] is not last):
            many, size = 0, 0
        size += sum(map(_size, messages[many:])) + AROUND * (len(messages) - many)
        self._sized = (len(messages), messages[-1] if messages else None, size)
        return size

    def _declared(self, tools: tuple[Mapping[str, object], ...]) -> int:
        key = tuple(map(id, tools))
        if key not in self._declarations:
            self._declarations[key] = (tools, _size(tools))  # kept, so that the ids stay theirs
        return self._declarations[key][1]


def estimated(request: ModelRequest) -> Counted:
    """About how many tokens a request has."""
    fixed = estimated_tokens(_size(request.system)) + estimated_tokens(_size(request.tools))
    messages = tuple(A_MESSAGE + estimated_tokens(_size(message)) for message in request.messages)
    return Counted(exact=False, fixed=fixed, messages=messages)


def _size(value: object) -> int:
    """Bytes as JSON."""
    return len(msgspec.json.encode(value))
