"""For tools that no scenario knows: each offered tool once, with the smallest arguments, then a text that says what it is."""

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say, call
from handrail.models.rehearsal.slots import minimal

WHAT_THIS_IS = "This is handrail's rehearsal: a few rules, not a language model."
LONGEST_RESULT = 300


class Fallback:
    """Any tools, any task."""

    name = "fallback"

    def fits(self, conversation: Conversation) -> bool:
        """Always."""
        return True

    def move(self, conversation: Conversation) -> Move:
        """The next tool that was not called since, in the order in which they are offered."""
        tried = {result.tool for result in conversation.results}
        left = [tool for tool in conversation.declarations if tool not in tried and conversation.offers(tool)]
        if left:
            return filled(conversation, left[0])
        if not conversation.results:
            return Say(f"{WHAT_THIS_IS} There is no tool to call, so this is all that it can say.")
        last = conversation.results[-1]
        return Say(f"{WHAT_THIS_IS} It called {', '.join(sorted(tried))}. The last result: {last.content[:LONGEST_RESULT]}")


def filled(conversation: Conversation, tool: str) -> Call:
    """A call with the smallest arguments that the tool's schema takes."""
    return call(tool, minimal(conversation.declarations[tool].get("parameters", {})))
