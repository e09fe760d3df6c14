"""What a model is asked, and what it answers, in our own form; `handrail.models` speaks the wire's."""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.vocab.examples import Example
from handrail.vocab.messages import Message
from handrail.vocab.usage import Usage


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One model call.

    Args:
        model: the provider's name of the model.
        system: the one leading system text.
        messages: the transcript, valid for a strict provider.
        tools: declarations of the tools on offer.
        choice: `auto`, `none`, or the name of the tool that has to be called.
        settings: further fields of the request, sent as they are.
        text: whether the ring could take a text now. A provider is not told; a model whose replies are made to fit a form can be.
        declared: declarations of all the agent's tools, in its order; a provider is sent those on offer only.
        examples: for a model that has to be shown how the tools are used; a provider is not sent them.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    choice: str = "auto"
    settings: Mapping[str, Any] = {}
    text: bool = True
    declared: tuple[Mapping[str, Any], ...] = ()
    examples: tuple[Example, ...] = ()


class AnsweredCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call as the provider sent it: its id may be empty or taken twice, its arguments may be absent or broken."""

    provider_id: str
    name: str
    arguments: str | None


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A whole reply.

    Args:
        text: what people may see; no reasoning in it.
        calls: in the model's order.
        finish: `stop`, `tool_calls`, `length` (also where the label lies, case 17) or `content_filter`.
        refusal: the provider or the model declines to answer.
        extra: fields that go back to this provider unchanged, such as `reasoning_content`.
        usage: tokens of this call.
    """

    text: str | None = None
    calls: tuple[AnsweredCall, ...] = ()
    finish: str = "stop"
    refusal: str | None = None
    extra: dict[str, Any] = {}
    usage: Usage = Usage()


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a request.

    Args:
        exact: whether the texts were counted with the model's own vocabulary. What the provider puts round them is its own affair, so a
            whole request may still be some tokens off.
        fixed: what is sent each time: the system text, the declarations, the beginning of the reply.
        messages: one number a message, in the order of the request's.
    """

    exact: bool
    fixed: int
    messages: tuple[int, ...]

    @property
    def total(self) -> int:
        """The whole request."""
        return self.fixed + sum(self.messages)
