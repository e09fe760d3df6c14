"""`LocalModel`: a small model in a file, run here, whose replies can only be calls of the tools on offer, or a text.

- The client path is that of every model: `OpenAIChat` over a transport. What differs is said in the request: tools as text, and the form
  of the reply as a grammar.
- Small models have to be shown: an agent's examples go before the conversation, exactly in that form.
- A call with an address or an id that stands nowhere in the conversation is asked for again, once, without that tool.
- Without tools (a summary, say) nothing is held to a form.
"""

import json
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from handrail.errors import InputError
from handrail.models.local.engine import EngineSettings
from handrail.models.local.files import model_file
from handrail.models.local.forms import Schema, form, grammar
from handrail.models.local.from_nowhere import from_nowhere
from handrail.models.local.reading import read, words
from handrail.models.local.showing import Prompt, said_in, shown
from handrail.models.local.transport import LocalTransport
from handrail.models.openai_chat import OpenAIChat
from handrail.ports import OnDelta
from handrail.vocab.messages import Said, UserMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

THREADS, CONTEXT_SIZE = "HANDRAIL_LOCAL_THREADS", "HANDRAIL_LOCAL_CONTEXT"
CONTEXT = 16_384
MOST_TOKENS = 512
"""Of a reply, where an agent does not say: a model that repeats itself comes to an end."""
TOTAL_SECONDS = 1_800.0
FROM_NOWHERE = "from_nowhere"


class LocalModel:
    """A model in a GGUF file (`handrail.ports.Model`).

    Args:
        path: the file, or the name of one that was fetched.
        threads: that compute; as many as there are cores where it is not said.
        context: tokens that fit into one request and its reply.
        chat: another way to the model.
    """

    def __init__(self, path: str | Path, *, threads: int | None = None, context: int = CONTEXT, chat: OpenAIChat | None = None) -> None:
        """Look at the file; nothing is started yet.

        Raises:
            InputError: it is not there or cannot be run.
            ModuleNotFoundError: the extra `local` is not installed.
        """
        if find_spec("xllamacpp") is None:
            raise ModuleNotFoundError("running a model here needs handrail[local]: install it", name="xllamacpp")
        file = model_file(str(path))
        self.name = file.stem
        settings = EngineSettings(path=file, threads=threads or os.cpu_count() or 1, context=context)
        self._chat = chat or OpenAIChat(transport=LocalTransport(settings), total_seconds=TOTAL_SECONDS)

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer in the form, and read it; watchers get the words of a text."""
        watcher = on_delta or _nobody  # it always streams: llama.cpp notices only when it writes that nobody listens any more
        answer = await self._answered(request, watcher)
        named = [name for call in answer.calls for name in from_nowhere(json.loads(call.arguments or "{}"), said_in(request))]
        others = tuple(tool for tool in request.tools if tool["function"]["name"] not in {call.name for call in answer.calls})
        if not named or request.choice != "auto" or not (others or request.text):
            return answer
        again = await self._answered(_without(request, others, named), watcher)
        return msgspec.structs.replace(again, usage=answer.usage + again.usage, extra={**again.extra, FROM_NOWHERE: named})

    async def close(self) -> None:
        """End the model's process."""
        await self._chat.close()

    async def _answered(self, request: ModelRequest, watcher: OnDelta) -> ModelAnswer:
        prompt, wanted = shown(request), form(request.tools, choice=request.choice, text=request.text)
        asked = _asked(request, prompt, wanted)
        if wanted is None:
            return await self._chat.reply(asked, on_delta=watcher)
        answer = await self._chat.reply(asked, on_delta=_Words(watcher).add)
        schemas = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in request.tools}
        return read(answer, schemas, said=said_in(request), aliases=prompt.aliases)


def _nobody(piece: str) -> None:
    """Watches nothing."""


class _Words:
    """Passes on the words of a text while it is written."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._written = ""
        self._shown = 0

    def add(self, piece: str) -> None:
        self._written += piece
        text = words(self._written)
        if len(text) > self._shown:
            self._on_delta(text[self._shown :])
            self._shown = len(text)


def _without(request: ModelRequest, others: tuple[Mapping[str, Any], ...], named: Sequence[str]) -> ModelRequest:
    """The same once more, without the tool that was called with what nobody has named; with no other tool left, only a text."""
    note = Said(text=f"Nobody has named {' or '.join(named)} in this conversation. Ask the user for it, or look it up.", ours=True)
    messages = (*request.messages, UserMessage(said=(note,)))
    if not others:
        return msgspec.structs.replace(request, choice="none", messages=messages)
    return msgspec.structs.replace(request, tools=others, messages=messages)


def _asked(request: ModelRequest, prompt: Prompt, wanted: Schema | None) -> ModelRequest:
    settings: dict[str, Any] = {"max_tokens": MOST_TOKENS, **request.settings}
    if wanted is not None:
        settings["grammar"] = grammar(wanted)
    return msgspec.structs.replace(request, system=prompt.system, messages=prompt.messages, tools=(), choice="auto", settings=settings)


def local_model(name: str) -> LocalModel:
    """The model of that name, as the environment sets it.

    Raises:
        InputError: a setting is no number, or the model cannot be run.
        ModuleNotFoundError: the extra `local` is not installed.
    """
    return LocalModel(name, threads=_number(THREADS), context=_number(CONTEXT_SIZE) or CONTEXT)


def _number(name: str) -> int | None:
    text = os.environ.get(name)
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"{name} is to be a whole number from 1 on, not {text!r}")
    return int(text)
