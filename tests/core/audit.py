"""A journal read by itself: what must never have happened, told from the events alone, without the core's own state."""

from collections import defaultdict
from collections.abc import Iterable

from handrail.core.agent import Agent
from handrail.core.events import (
    CallCleared,
    CallHeld,
    CallReopened,
    CallRequeued,
    Event,
    HoldAnswered,
    ModelReplied,
    RunFinished,
    ToolStarted,
    TurnOpened,
    UserSaid,
)
from handrail.vocab.calls import By, ToolEffect
from handrail.vocab.reviews import Answer


class Audit:
    """Reads events one by one, and raises at the first that must not be."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.names: dict[str, str] = {}
        self.cleared: dict[str, CallCleared] = {}
        self.may_start: set[str] = set()
        self.started: dict[str, int] = defaultdict(int)
        self.holds: dict[str, list[CallHeld]] = defaultdict(list)
        self.answers: dict[str, HoldAnswered] = {}
        self.turns = 0
        self.unseen = False
        self.over = False

    def read(self, events: Iterable[Event]) -> "Audit":
        for event in events:
            assert not self.over, "DONE is final"
            self._read(event)
        return self

    def _read(self, event: Event) -> None:
        match event:
            case ModelReplied():
                self.names |= {call.id: call.name for call in event.calls}
            case TurnOpened():
                self.turns, self.unseen = self.turns + 1, False
            case UserSaid():
                self.unseen = True
            case RunFinished():
                self.over = True
            case HoldAnswered():
                assert event.hold not in self.answers, "a hold is answered once"
                self.answers[event.hold] = event
            case _:
                self._read_of_a_call(event)

    def _read_of_a_call(self, event: Event) -> None:
        match event:
            case CallHeld():
                self.holds[event.call].append(event)
            case CallReopened():
                self.may_start.discard(event.call)
            case CallCleared():
                self._cleared(event)
            case CallRequeued():
                self._requeued(event)
            case ToolStarted():
                self._started(event)
            case _:
                pass

    def _cleared(self, event: CallCleared) -> None:
        tool = self.agent.tools[self.names[event.call]]
        assert not (self.unseen and (tool.effect is not ToolEffect.READ or tool.name == self.agent.submit)), "the last word was not read"
        holders = self.agent.holders(tool.name, By.PERSON)
        assert not holders or self._has_its_yes(event), "no held call runs without its exact yes"
        assert all(answer.answer is not Answer.NO for answer in self._answers_to(event.call)), "a no is a no"
        self.cleared[event.call] = event
        self.may_start.add(event.call)

    def _has_its_yes(self, event: CallCleared) -> bool:
        for number, hold in enumerate(self.holds[event.call], 1):
            answer = self.answers.get(f"{event.call}h{number}")
            exact = hold.by is By.PERSON and hold.arguments == event.arguments
            if exact and answer is not None and answer.answer is Answer.YES and answer.digest == hold.digest:
                return True
        return False

    def _answers_to(self, call: str) -> list[HoldAnswered]:
        return [answer for hold, answer in self.answers.items() if hold.rpartition("h")[0] == call]

    def _requeued(self, event: CallRequeued) -> None:
        assert self.cleared[event.call].effect != ToolEffect.WRITE, "a write is never run again by itself"
        self.may_start.add(event.call)

    def _started(self, event: ToolStarted) -> None:
        assert event.call in self.may_start, "nothing runs without its cleared judgement"
        self.may_start.discard(event.call)
        self.started[event.call] += 1
