"""What a model sees: a beginning that stays, its own calls in the form, and each result after its call."""

from typing import Any

import msgspec

from handrail import Example, Shown, tool
from handrail.models.local.showing import said_in, shown
from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage, user
from handrail.vocab.requests import ModelRequest


@tool(effect="read")
async def look(city: str, most: int = 3) -> str:
    """Look.

    Args:
        city: Which one.
        most: How many.
    """
    return city


@tool(effect="write")
async def book() -> str:
    """Book it."""
    return ""


BOTH = (look.declaration, book.declaration)
EXAMPLE = Example(user="Oslo?", calls=(Shown(tool="look", arguments={"city": "Oslo"}, result=[1]),), answer="One.")
ASKED = ModelRequest(model="m", system="Be brief.", messages=(user("Rome?"),), tools=BOTH, declared=BOTH, examples=(EXAMPLE,))
CALLED = AssistantMessage(
    text="Let me see.",
    calls=(ProposedCall(id="t1c1", name="look", arguments='{"city":"Rome"}'), ProposedCall(id="t1c2", name="book", arguments="")),
)
RESULTS = (ToolMessage(call="t1c1", content="[2]"), ToolMessage(call="t1c2", content=""))


def lines(*messages: Message) -> list[tuple[str, str]]:
    return [
        ("user", "|".join(part.text for part in message.said))
        if isinstance(message, UserMessage)
        else ("model", str(getattr(message, "text", None)))
        for message in messages
    ]


def asked(**changes: Any) -> ModelRequest:
    return msgspec.structs.replace(ASKED, **changes)


def test_examples_go_first_in_exactly_the_form() -> None:
    assert lines(*shown(ASKED).messages) == [
        ("user", "Oslo?"),
        ("model", '{"tool": "look", "arguments": {"city": "Oslo"}}'),
        ("user", "Result of look: [1]"),
        ("model", '{"say": "One."}'),
        ("user", "Rome?"),
    ]


def test_calls_of_one_reply_become_calls_one_after_the_other_each_with_its_result() -> None:
    messages = (user("Rome?"), CALLED, *RESULTS, AssistantMessage(text="Two."), user("And now?"))
    assert lines(*shown(asked(messages=messages, examples=())).messages) == [
        ("user", "Rome?"),
        ("model", '{"tool": "look", "arguments": {"city": "Rome"}}'),
        ("user", "Result of look: [2]"),
        ("model", '{"tool": "book", "arguments": {}}'),
        ("user", "Result of book: (no output)"),
        ("model", '{"say": "Two."}'),
        ("user", "And now?"),
    ]


def test_the_beginning_stays_when_a_tool_is_withdrawn_and_when_the_conversation_grows() -> None:
    before = shown(ASKED)
    after = shown(asked(tools=(look.declaration,), messages=(*ASKED.messages, CALLED, *RESULTS)))
    assert after.system == before.system
    assert after.messages[: len(before.messages)] == before.messages


def test_tools_are_signatures() -> None:
    assert (
        "look(city: string, most?: integer)\n    Look.\n    city: Which one.\n    most: How many.\nbook()\n    Book it."
        in shown(ASKED).system
    )


def test_without_tools_the_text_of_the_agent_is_all_that_there_is() -> None:
    assert shown(asked(tools=(), declared=(), examples=())).system == "Be brief."


def test_what_was_said_is_what_people_models_and_results_said_and_no_example() -> None:
    messages = (user("Rome?"), CALLED, *RESULTS)
    assert said_in(asked(messages=messages)) == "Rome?\nLet me see.\n[2]\n"
