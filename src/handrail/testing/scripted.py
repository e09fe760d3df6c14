"""`ScriptedModel`: a model for tests that says exactly what the test wrote down, and is strict about the rest.

- Each request is held against the contract of a strict provider; a request that such a provider would refuse fails the test.
- It fails when it is asked more often than there are replies, and `assert_used` (or leaving `with`) fails when some are left.
- Requests are kept, so that a test can look at what the model was told.
"""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import msgspec

from handrail.errors import ModelError
from handrail.ports import OnDelta
from handrail.vocab.contract import check_transcript
from handrail.vocab.failures import FailureKind
from handrail.vocab.requests import AnsweredCall, ModelAnswer, ModelRequest
from handrail.vocab.usage import Usage

Reply = ModelAnswer | ModelError | Callable[[ModelRequest], ModelAnswer]
"""One reply: an answer, a failure, or a function that makes an answer from the request."""

USAGE = Usage(input_tokens=10, output_tokens=5, calls=1)


def says(text: str | None, **fields: Any) -> ModelAnswer:
    """A text; further fields of the answer by name."""
    return ModelAnswer(**{"text": text, "usage": USAGE, **fields})


def calls(
    *wanted: tuple[str, Mapping[str, Any] | str | None], text: str | None = None, ids: tuple[str, ...] = (), **fields: Any
) -> ModelAnswer:
    """Calls, each a tool and its arguments: a mapping, or a text (or none at all) to be sent as it is. `ids` are the provider's."""
    answered = tuple(
        AnsweredCall(provider_id=ids[at] if at < len(ids) else "", name=name, arguments=_text(arguments))
        for at, (name, arguments) in enumerate(wanted)
    )
    return ModelAnswer(**{"text": text, "calls": answered, "finish": "tool_calls", "usage": USAGE, **fields})


def cut(answer: ModelAnswer) -> ModelAnswer:
    """The same answer, cut off by the output limit."""
    return msgspec.structs.replace(answer, finish="length")


def refuses(text: str) -> ModelAnswer:
    """The provider or the model declines."""
    return ModelAnswer(refusal=text, usage=USAGE)


def fails(kind: FailureKind = FailureKind.UNAVAILABLE, detail: str = "scripted failure", *, retry_after: float | None = None) -> ModelError:
    """A failure."""
    return ModelError(kind, detail, retry_after=retry_after)


class ScriptedModel:
    """A model that plays replies one after the other (`handrail.ports.Model`)."""

    def __init__(self, *replies: Reply) -> None:
        """Take the replies, in order."""
        self.requests: list[ModelRequest] = []
        self._replies = replies
        self._complaint: AssertionError | None = None

    @property
    def unused(self) -> tuple[Reply, ...]:
        """The replies that nobody has asked for yet."""
        return self._replies[len(self.requests) :]

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """The next reply.

        Raises:
            AssertionError: no reply is left, or a strict provider would have refused the request.
            ModelError: the script says so.
        """
        if wrong := check_model_request(request):
            raise self._complain("A strict provider would refuse this request:\n- " + "\n- ".join(wrong))
        if not self.unused:
            raise self._complain(f"The script has {len(self._replies)} replies, and one more was asked for: {_last(request)}")
        reply = self.unused[0]
        self.requests.append(request)
        if isinstance(reply, ModelError):
            raise reply
        answer = reply if isinstance(reply, ModelAnswer) else reply(request)
        if on_delta is not None and answer.text:
            on_delta(answer.text)
        return answer

    def assert_used(self) -> None:
        """Fail if replies are left, or if something was wrong that somebody has caught meanwhile.

        Raises:
            AssertionError: so it is.
        """
        if self._complaint:
            raise self._complaint
        if self.unused:
            raise AssertionError(
                f"{len(self.unused)} of {len(self._replies)} replies were not asked for; the next one is {self.unused[0]!r}"
            )

    def _complain(self, what: str) -> AssertionError:
        self._complaint = AssertionError(what)
        return self._complaint

    def __enter__(self) -> Self:
        """Nothing to do before."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Fail if replies are left, unless something else went wrong already."""
        if error is None:
            self.assert_used()


def check_model_request(request: ModelRequest) -> list[str]:
    """What a strict provider would refuse in our own form of a request, whatever is done to write it out."""
    wrong = check_transcript(request.messages)
    names = [tool.get("function", {}).get("name") for tool in request.tools]
    if len(set(names)) < len(names):
        wrong.append(f"tools: two with the same name among {names!r}")
    if request.choice not in ("auto", "none", *names):
        wrong.append(f"choice: {request.choice!r} is not offered")
    if not request.messages:
        wrong.append("messages: there are none")
    elif request.messages[-1].__struct_config__.tag == "assistant":
        wrong.append("messages: the last is the assistant's own")
    return wrong


def _text(arguments: Mapping[str, Any] | str | None) -> str | None:
    return arguments if arguments is None or isinstance(arguments, str) else msgspec.json.encode(arguments).decode()


def _last(request: ModelRequest) -> str:
    return repr(request.messages[-1])[:500]
