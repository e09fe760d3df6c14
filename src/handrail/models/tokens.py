"""How many tokens a text or a request has, with the model's own vocabulary where it is known, without a network.

- Where the vocabulary is not known, or the extra `tokens` is not installed, the count is an estimate (`handrail.vocab.estimating`) that
  says it is one.
- Counting costs 0.1 s for a million bytes of ordinary text and up to 0.5 s for a million that nothing cuts into words; reading a vocabulary
  costs up to 0.4 s, once a process. The caller does both in a thread, where the event loop goes on.
"""

import re
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import assert_never

from handrail.models.wire import arguments_text, encode, user_text
from handrail.ports import TokenCounter
from handrail.vocab.estimating import A_MESSAGE, estimated_tokens, most_tokens
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage
from handrail.vocab.requests import Counted, ModelRequest

ESTIMATE = "estimate"
A_REPLY = 3
"""What the reply begins with."""

_BEFORE_THE_NAME = re.compile(r"^(?:.*/|ft:)+")
_VOCABULARIES = (
    ("o200k_base", re.compile(r"chatgpt-4o|gpt-(4o|4\.1|4\.5|5|oss)|o[134]\b|codex-mini")),
    ("cl100k_base", re.compile(r"gpt-(4|3\.5|35)\b|text-embedding-(3-|ada-002)|davinci-002|babbage-002")),
)
"""The first that fits the beginning of a name; as in `tiktoken.model`."""


class _Exact:
    """Counts with a vocabulary; where that turns out not to be readable, this is an estimate too."""

    def __init__(self, vocabulary: str) -> None:
        self._vocabulary = vocabulary

    @property
    def exact(self) -> bool:
        return _usable(self._vocabulary) is not None

    @property
    def name(self) -> str:
        return self._vocabulary if self.exact else ESTIMATE

    def count(self, text: str) -> int:
        module = _usable(self._vocabulary)
        if module is None:
            return _estimated(text)
        counted: int = module.count_tokens(module.Vocabulary(self._vocabulary), text)
        return counted


class _Estimate:
    """Counts bytes."""

    exact = False
    name = ESTIMATE

    def count(self, text: str) -> int:
        return _estimated(text)


def counter_for(model: str) -> TokenCounter:
    """The counter for a model, by its name: a deployment's prefix (`openai/`, `azure/eu/`) and `ft:` do not matter.

    This is quick: a vocabulary is read when a counter is first used.
    """
    vocabulary = vocabulary_of(model)
    return _Exact(vocabulary) if vocabulary else _Estimate()


def vocabulary_of(model: str) -> str | None:
    """The vocabulary of a model, `None` where it is not known."""
    name = _BEFORE_THE_NAME.sub("", model.strip().lower())
    return next((vocabulary for vocabulary, names in _VOCABULARIES if names.match(name)), None)


def request_tokens(counter: TokenCounter, request: ModelRequest) -> Counted:
    """Count a request.

    What surrounds a message is counted as OpenAI's cookbook does, 'How to count tokens with tiktoken'
    (https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken): three tokens and the role's for each message, three
    for the beginning of the reply. Declarations and calls are counted as the JSON that is sent; providers write them shorter.
    """
    system = A_MESSAGE + counter.count(request.system) if request.system else 0
    tools = sum(counter.count(encode(tool).decode()) for tool in request.tools)
    messages = tuple(_message_tokens(counter, message) for message in request.messages)
    return Counted(exact=counter.exact, fixed=system + tools + A_REPLY, messages=messages)


def _message_tokens(counter: TokenCounter, message: Message) -> int:
    match message:
        case UserMessage():
            texts = [user_text(message)]
        case AssistantMessage():
            calls = [{"name": call.name, "arguments": arguments_text(call.arguments)} for call in message.calls]
            texts = [message.text or "", *(encode(part).decode() for part in (*calls, *message.extra.values()))]
        case ToolMessage():
            texts = [message.content]
        case _:
            assert_never(message)
    return A_MESSAGE + sum(map(counter.count, texts))


def _estimated(text: str) -> int:
    return estimated_tokens(most_tokens(text))


@cache
def _usable(vocabulary: str) -> ModuleType | None:
    """The module that counts, with the vocabulary read; `None` where the extra or the file is not there."""
    try:
        module = import_module("handrail.models.vocabularies")
        module.loaded(module.Vocabulary(vocabulary))
    except (ImportError, LookupError):
        return None
    return module
