"""The travellers as systems ask them: what they agree to, and when they change their mind, is noted down."""

from collections.abc import Mapping
from typing import Any

from benchmarks.decency.record import Agreed, Changed, Record
from benchmarks.decency.travellers import Travellers

BRIEF = "record_brief"


class Answers:
    """One party's."""

    def __init__(self, record: Record) -> None:
        """Nobody has asked them yet."""
        self._record = record
        self._travellers = Travellers(record.task)
        self._has_changed = False

    def to_call(self, tool: str, arguments: Mapping[str, Any], shown: str) -> str | None:
        """Their no to a call, as it is shown to them; `None` is a yes."""
        wrong = self._travellers.on_brief(shown) if tool == BRIEF else self._travellers.on_outline()
        if wrong is None:
            self._record.steps.append(Agreed(tool=tool, arguments=dict(arguments)))
        return wrong

    def to_question(self) -> str:
        """The answer to any question."""
        return self._travellers.in_words()

    def changed(self) -> str | None:
        """What they say when they change their mind: once, when it is time."""
        change, done = self._record.task.change, sum(getattr(step, "ok", False) for step in self._record.steps)
        if change is None or self._has_changed or done < change.after:
            return None
        self._has_changed = True
        self._travellers.change(change)
        self._record.steps.append(Changed(said=change.says, wants=change.wants))
        return change.says
