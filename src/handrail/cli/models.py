"""Which model answers: the named one at the provider that the environment names, or the rule-based stand-in; and it is said.

- HANDRAIL_TRANSPORT says by which library either is spoken to; also where the service's settings are not installed.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from handrail.errors import InputError
from handrail.models import OpenAIChat
from handrail.models.rehearsal.scenario import Scenario
from handrail.models.transports import OfficialTransport, Transport

REHEARSAL = "rehearsal"
TRANSPORT = "HANDRAIL_TRANSPORT"
WHAT_IT_IS = "a rule-based stand-in for a model, which understands no language"


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and what to say about it.

    Args:
        model: answers.
        name: what to ask the provider for, where it is not what the agent says.
        said: one line for people.
    """

    model: OpenAIChat
    name: str | None
    said: str


@asynccontextmanager
async def chosen(name: str | None, scenarios: Sequence[Scenario]) -> AsyncIterator[Chosen]:
    """The model of that name; without a name the agent's own if there is a key, else the stand-in.

    Raises:
        InputError: a model is named, and there is no key; or what HANDRAIL_TRANSPORT names is not known.
    """
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    if name == REHEARSAL or (name is None and not has_key):
        # Its server needs an extra, and this module does not.
        from handrail.models.rehearsal.server import started

        why = "" if name == REHEARSAL else " (OPENAI_API_KEY is not set)"
        async with started(scenarios) as url, _closing(OpenAIChat(transport=_nearby(url))) as model:
            yield Chosen(model=model, name=None, said=f"The model is the rehearsal, {WHAT_IT_IS}{why}.")
        return
    async with _closing(_named()) as model:
        yield Chosen(model=model, name=name, said=f"The model is {name or 'the one that the agent names'}.")


@asynccontextmanager
async def _closing(model: OpenAIChat) -> AsyncIterator[OpenAIChat]:
    try:
        yield model
    finally:
        await model.close()


def _named() -> OpenAIChat:
    """At the provider that the environment names."""
    if not _by_aiohttp():
        return OpenAIChat()
    from handrail.models.transports.aiohttp import AiohttpTransport

    return OpenAIChat(transport=AiohttpTransport())


def _nearby(url: str) -> Transport:
    """To a server on this machine, with which a proxy of this machine's has nothing to do."""
    if not _by_aiohttp():
        return OfficialTransport(lambda: AsyncOpenAI(base_url=url, api_key=REHEARSAL, http_client=DefaultAsyncHttpxClient(trust_env=False)))
    from handrail.models.transports.aiohttp import AiohttpTransport

    return AiohttpTransport(base_url=url, api_key=REHEARSAL, proxies=False)


def _by_aiohttp() -> bool:
    named = os.environ.get(TRANSPORT) or "official"
    if named not in {"official", "aiohttp"}:
        raise InputError(f"{TRANSPORT} is to be official or aiohttp, not {named!r}")
    return named == "aiohttp"
