"""Approval: a person says yes to this very call, with these arguments and this document, before it runs.

The guard says Hold each time; the core counts a hold on the same digest that has its yes as allowed, once.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Literal

import msgspec

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import duration, function, one_of, tool_name
from handrail.vocab.calls import By
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import ALLOW, Hold, Lens, Verdict

Show = Callable[[Mapping[str, Any], Ledger], str | Mapping[str, Any]]


def arguments(arguments: Mapping[str, Any], ledger: Ledger) -> dict[str, Any]:
    """The document that is shown by default: the call's own arguments."""
    return dict(arguments)


class Approval(BaseGuard):
    """A person confirms each call of the tool.

    Args:
        tool: the tool.
        show: makes the document to say yes or no to, of the arguments and the ledger; it reads nothing else.
        by: who is asked.
        expires: how long they may take. Afterwards it is a no.
    """

    def __init__(
        self,
        tool: str,
        *,
        show: Show = arguments,
        by: Literal["person"] = "person",
        expires: timedelta = timedelta(days=1),
    ) -> None:
        """Check the declaration.

        Raises:
            AgentError: `show` cannot be called, `by` is not a person, or `expires` is not above 0.
        """
        kind = type(self).__name__
        self.tool = tool_name(kind, tool)
        one_of(kind, "by", by, ("person",))
        self.show: Show = function(kind, "show", show)
        self.by = By.PERSON
        self.expires = duration(kind, "expires", expires)
        super().__init__(tool)
        self.tools = (tool,)
        self.holds = ((tool, By.PERSON),)
        self.looks = () if show is arguments else (Lens("ledger"),)

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """Hold it for the person."""
        if call.tool != self.tool:
            return ALLOW
        return Hold(by=self.by, show=self._document(state, call), expires=self.expires)

    def _document(self, state: Reading, call: JudgedCall) -> str | dict[str, Any]:
        # The default document needs no ledger, so the guard does not claim to read it: `check` has fewer states to walk.
        ledger = Ledger() if self.show is arguments else state.ledger
        document = self.show(call.arguments, ledger)
        if isinstance(document, str):
            return document
        if isinstance(document, Mapping):
            # As the journal will give it back, so that the digest that a yes is bound to stays what it was.
            shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
            return shown
        raise AgentError(f"{self.name}: 'show' returns a text or a mapping, not {document!r}")
