"""For what no scenario knows: each offered tool once, with the smallest arguments, then a text that says what it is.

Where it is to summarise a conversation it tells what the user said, and where it is to give a verdict it passes everything: so that a long
conversation can be shown without a model, and a guard with a reviewer does not refuse all there is.
"""

import msgspec

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say, call
from handrail.models.rehearsal.slots import minimal

WHAT_THIS_IS = "This is handrail's rehearsal: a few rules, not a language model."
LONGEST_RESULT = 300
LONGEST_WORDS = 120
VERDICT = "verdict"
SUMMARISES = "Write a summary that the assistant can go on from"
"""What the built-in summariser is told; a test holds it against what it is told."""


class Fallback:
    """Any tools, any task."""

    name = "fallback"

    def fits(self, conversation: Conversation) -> bool:
        """Always."""
        return True

    def move(self, conversation: Conversation) -> Move:
        """The next tool that was not called since, in the order in which they are offered."""
        if SUMMARISES in conversation.system:
            return Say(_summary(conversation))
        if set(conversation.declarations) == {VERDICT} and not conversation.results:
            return call(VERDICT, {"passed": True, "flaws": []})
        tried = {result.tool for result in conversation.results}
        left = [tool for tool in conversation.declarations if tool not in tried and conversation.offers(tool)]
        if left:
            return filled(conversation, left[0])
        if not conversation.results:
            return Say(f"{WHAT_THIS_IS} There is no tool to call, so this is all that it can say.")
        last = conversation.results[-1]
        return Say(f"{WHAT_THIS_IS} It called {', '.join(sorted(tried))}. The last result: {last.content[:LONGEST_RESULT]}")


def _summary(conversation: Conversation) -> str:
    """What the user said, a line each, as far as it can be read out of the lines of JSON."""
    said = [word for line in "\n".join(conversation.said).splitlines() for word in _words(line)]
    return "\n".join(f"The user said: {word[:LONGEST_WORDS]}" for word in said) or "The user said nothing."


def _words(line: str) -> list[str]:
    try:
        said = msgspec.json.decode(line, type=dict[str, object]).get("user")
    except msgspec.DecodeError:
        return []
    return [word for word in said if isinstance(word, str)] if isinstance(said, list) else []


def filled(conversation: Conversation, tool: str) -> Call:
    """A call with the smallest arguments that the tool's schema takes."""
    return call(tool, minimal(conversation.declarations[tool].get("parameters", {})))
