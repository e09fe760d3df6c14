"""What a local model is sent, and what is done with what it writes: the replies are written down here, all the rest is real."""

import json
from typing import Any

import msgspec
import pytest

from handrail.models import OpenAIChat
from handrail.models.local import LocalModel
from handrail.models.local.from_nowhere import from_nowhere
from handrail.models.transports import Response
from handrail.vocab.messages import user
from handrail.vocab.requests import AnsweredCall, ModelRequest
from tests.models.local.test_showing import ASKED

UUID = "f2f86d1c-3d7c-5f0e-8f0e-000000000001"


class Written:
    """A transport whose other side writes these replies."""

    def __init__(self, *replies: Any) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._replies = list(replies)

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        self.bodies.append(json.loads(body))
        message = {"role": "assistant", "content": json.dumps(self._replies.pop(0))}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
        return Response(status=200, headers={}, body=json.dumps(whole).encode())

    async def close(self) -> None:
        pass


def made(tiny: Any, *replies: Any) -> tuple[LocalModel, Written]:
    written = Written(*replies)
    return LocalModel(tiny, chat=OpenAIChat(transport=written)), written


def look(city: str) -> dict[str, Any]:
    return {"tool": "look", "arguments": {"city": city}}


def said(text: str) -> ModelRequest:
    return msgspec.structs.replace(ASKED, messages=(user(text),))


async def test_tools_go_as_text_and_the_form_as_a_grammar(tiny: Any) -> None:
    model, written = made(tiny, look("Rome"))
    answer = await model.reply(ASKED)
    (body,) = written.bodies
    assert answer.calls == (AnsweredCall(provider_id="", name="look", arguments='{"city": "Rome"}'),)
    assert "tools" not in body and "tool_choice" not in body
    assert body["grammar"].startswith("%llguidance {}\nstart: %json {") and body["max_tokens"] == 512
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user", "assistant", "user"]


async def test_what_an_agent_sets_goes_along(tiny: Any) -> None:
    model, written = made(tiny, {"say": "Hi."})
    await model.reply(msgspec.structs.replace(ASKED, settings={"max_tokens": 7, "temperature": 0}))
    assert (written.bodies[0]["max_tokens"], written.bodies[0]["temperature"]) == (7, 0)


async def test_without_tools_there_is_no_grammar(tiny: Any) -> None:
    model, written = made(tiny, "free")
    answer = await model.reply(msgspec.structs.replace(ASKED, tools=(), declared=(), examples=()))
    assert answer.text == '"free"' and "grammar" not in written.bodies[0]


async def test_a_call_with_an_address_from_nowhere_is_asked_for_again_without_that_tool(tiny: Any) -> None:
    model, written = made(tiny, look("max@example.org"), {"say": "Whose?"})
    answer = await model.reply(said("What is there?"))
    assert answer.text == "Whose?" and answer.calls == ()
    assert answer.extra == {"from_nowhere": ["max@example.org"]}
    assert (answer.usage.input_tokens, answer.usage.calls) == (200, 2)
    assert "Nobody has named max@example.org in this conversation." in written.bodies[1]["messages"][-1]["content"]
    assert '"look"' in written.bodies[0]["grammar"] and '"look"' not in written.bodies[1]["grammar"]


async def test_with_no_other_tool_there_is_only_a_text_left(tiny: Any) -> None:
    model, written = made(tiny, look("max@example.org"), {"say": "Whose?"})
    answer = await model.reply(msgspec.structs.replace(said("What is there?"), tools=ASKED.tools[:1]))
    assert answer.text == "Whose?"
    assert '"say"' in written.bodies[1]["grammar"] and '"const"' not in written.bodies[1]["grammar"]


@pytest.mark.parametrize("changes", [{"choice": "look"}, {"tools": ASKED.tools[:1], "text": False}])
async def test_where_nothing_else_could_be_replied_the_ring_judges_the_call(tiny: Any, changes: dict[str, Any]) -> None:
    model, written = made(tiny, look("max@example.org"))
    answer = await model.reply(msgspec.structs.replace(said("What is there?"), **changes))
    assert len(answer.calls) == 1 and len(written.bodies) == 1


@pytest.mark.parametrize(
    ("arguments", "known", "found"),
    [
        ({"email": "max@example.org"}, "orders of Max@Example.org, please", ()),
        ({"email": "max@example.org"}, "orders of max", ("max@example.org",)),
        ({"ids": [UUID, "id-9"]}, "id 9", (UUID, "id-9")),
        ({"a": {"b": UUID}}, UUID, ()),
        ({"note": "write to max@example.org", "n": 7, "name": "Max"}, "", ()),
    ],
)
def test_addresses_and_ids_are_from_nowhere_where_nobody_has_said_them(arguments: Any, known: str, found: tuple[str, ...]) -> None:
    assert from_nowhere(arguments, known) == found
