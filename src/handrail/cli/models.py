"""Which model answers: the named one at the provider that the environment names, or the rule-based stand-in; and it is said."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from handrail.models import OpenAIChat
from handrail.models.rehearsal.scenario import Scenario

REHEARSAL = "rehearsal"
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
        InputError: a model is named, and there is no key.
    """
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    if name == REHEARSAL or (name is None and not has_key):
        # Its server needs an extra, and this module does not.
        from handrail.models.rehearsal.server import started

        why = "" if name == REHEARSAL else " (OPENAI_API_KEY is not set)"
        # A proxy of this machine's has nothing to do with a server on this machine.
        direct = DefaultAsyncHttpxClient(trust_env=False)
        async with started(scenarios) as url, AsyncOpenAI(base_url=url, api_key=REHEARSAL, http_client=direct) as client:
            yield Chosen(model=OpenAIChat(client=client), name=None, said=f"The model is the rehearsal, {WHAT_IT_IS}{why}.")
        return
    model = OpenAIChat()
    try:
        yield Chosen(model=model, name=name, said=f"The model is {name or 'the one that the agent names'}.")
    finally:
        await model.close()
