"""The worked journal of docs/explain/core.md is what the core really writes."""

from pathlib import Path

from handrail.core.effects import Effect
from handrail.core.events import (
    CallCleared,
    CallHeld,
    CallRefused,
    Event,
    HoldAnswered,
    ModelReplied,
    RunFinished,
    RunStarted,
    ToolReturned,
    ToolStarted,
    TurnOpened,
)
from handrail.core.evolve import evolve
from handrail.core.outstanding import outstanding
from handrail.core.state import RunState
from handrail.guards import Approval, Grounded
from handrail.vocab.facts import Fact
from tests.core.kit import Play, agent, read, write

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explain" / "core.md"


def example() -> Play:
    ring = [Grounded("refund", "order", kind="order"), Approval("refund")]
    play = Play(agent(read("find_orders"), write("refund"), guards=ring)).started("My lamp came broken.")
    play.called(("refund", {"order": "B-1"}), ("find_orders", {"item": "lamp"})).did(2, ["A-7"], facts=[Fact("order", "A-7")])
    play.called(("refund", {"order": "A-7"})).after(3600).yes().did(1, "refunded")
    return play.answered("You get your money back for A-7.")


def told(event: Event) -> str:
    """What the page says of an event beside its name."""
    match event:
        case RunStarted():
            return f'"{event.message}"'
        case TurnOpened():
            return f"turn {event.turn}, offered: {', '.join(event.offered)}"
        case ModelReplied():
            return f'"{event.text}"' if event.text else ", ".join(f"{call.name} {call.arguments}" for call in event.calls)
        case CallRefused():
            return f"{event.call} by {event.guard}: {event.code}"
        case CallHeld():
            return f"{event.call} by {event.guard}, for a {event.by.value}"
        case CallCleared() | ToolStarted():
            return event.call
        case ToolReturned():
            return f"{event.call}: {event.content}"
        case HoldAnswered():
            return f"{event.hold}: {event.answer.value}"
        case RunFinished():
            return event.outcome.status.value
        case _:
            return ""


def named(effect: Effect) -> str:
    name = type(effect).__name__
    return f"{name} {effect.call}" if hasattr(effect, "call") else name


def lines(play: Play) -> list[str]:
    """Each event with its number and, where the core comes to rest after it, what is outstanding then."""
    written, state = [], RunState()
    for number, event in enumerate(play.journal):
        state = evolve(state, event)
        following = play.journal[number + 1 : number + 2]
        rest = not following or hasattr(following[0], "at")
        going_on = ", ".join(map(named, outstanding(state))) or "nothing"
        written.append(f"{number:>2}  {type(event).__name__:<13} {told(event)}".rstrip())
        if rest:
            written.append(f"      → {going_on}")
    return written


def test_the_worked_journal_is_what_the_core_writes() -> None:
    assert "```text\n" + "\n".join(lines(example())) + "\n```" in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    print("\n".join(lines(example())))
