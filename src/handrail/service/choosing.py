"""Which model answers: the named one at the provider that the environment names, one in a file, or the rule-based stand-in; and it is said.

- The one place where that is chosen: for every command, for the service, and for AWS Lambda.
- HANDRAIL_TRANSPORT says by which library either is spoken to; also where the service's settings are not installed.
- What an extra brings is named by its place, and imported when it is chosen.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pkgutil import resolve_name
from typing import Protocol

import msgspec
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from handrail.errors import InputError
from handrail.models import OpenAIChat
from handrail.models.rehearsal.scenario import Scenario
from handrail.models.transports import OfficialTransport, Transport
from handrail.ports import Model

REHEARSAL = "rehearsal"
LOCAL = "local:"
TRANSPORT = "HANDRAIL_TRANSPORT"
STAND_IN = "handrail.models.rehearsal.server:started"
BY_AIOHTTP = "handrail.models.transports.aiohttp:AiohttpTransport"
IN_A_FILE = "handrail.models.local:local_model"
WHAT_IT_IS = "a rule-based stand-in for a model, which understands no language"


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and what to say about it.

    Args:
        model: answers.
        name: what to ask the provider for, where it is not what the agent says.
        said: one line for people.
    """

    model: Model
    name: str | None
    said: str


@asynccontextmanager
async def chosen(name: str | None, scenarios: Sequence[Scenario], *, standing_in: bool = True) -> AsyncIterator[Chosen]:
    """The model of that name; without a name the agent's own if there is a key, else the stand-in.

    Args:
        name: the provider's name of a model, `rehearsal`, or `local:` and a file.
        scenarios: what the stand-in does.
        standing_in: the stand-in may answer though nobody has asked for it. People read what is said of it; where nobody does, it may not.

    Raises:
        InputError: there is no key, and the stand-in may not answer; the file cannot be run; or what HANDRAIL_TRANSPORT names is not known.
    """
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    if name == REHEARSAL or (name is None and standing_in and not has_key):
        why = "" if name == REHEARSAL else " (OPENAI_API_KEY is not set)"
        async with resolve_name(STAND_IN)(scenarios) as url, _closing(OpenAIChat(transport=_nearby(url))) as model:
            yield Chosen(model=model, name=None, said=f"The model is the rehearsal, {WHAT_IT_IS}{why}.")
        return
    if name is not None and name.startswith(LOCAL):
        in_a_file = resolve_name(IN_A_FILE)(name.removeprefix(LOCAL))
        async with _closing(in_a_file) as model:
            yield Chosen(model=model, name=in_a_file.name, said=f"The model is {in_a_file.name}, which runs here.")
        return
    async with _closing(_named()) as model:
        yield Chosen(model=model, name=name, said=f"The model is {name or 'the one that the agent names'}.")


class _Closed(Model, Protocol):
    """A model that is to be closed."""

    async def close(self) -> None: ...


@asynccontextmanager
async def _closing(model: _Closed) -> AsyncIterator[Model]:
    try:
        yield model
    finally:
        await model.close()


def _named() -> OpenAIChat:
    """At the provider that the environment names."""
    return OpenAIChat(transport=resolve_name(BY_AIOHTTP)()) if _by_aiohttp() else OpenAIChat()


def _nearby(url: str) -> Transport:
    """To a server on this machine, with which a proxy of this machine's has nothing to do."""
    if _by_aiohttp():
        by_aiohttp: Transport = resolve_name(BY_AIOHTTP)(base_url=url, api_key=REHEARSAL, proxies=False)
        return by_aiohttp
    return OfficialTransport(lambda: AsyncOpenAI(base_url=url, api_key=REHEARSAL, http_client=DefaultAsyncHttpxClient(trust_env=False)))


def _by_aiohttp() -> bool:
    named = os.environ.get(TRANSPORT) or "official"
    if named not in {"official", "aiohttp"}:
        raise InputError(f"{TRANSPORT} is to be official or aiohttp, not {named!r}")
    return named == "aiohttp"
