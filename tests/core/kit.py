"""What the core's tests play with: small tools, small guards, and `Play`, a run whose world is the test.

Each step of a `Play` also holds what is true of every step: the transcript is valid for a strict provider, and the
journal folds to the state.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.core.effects import Effect
from handrail.core.events import (
    Cancelled,
    Event,
    FactsNoted,
    HistoryMeasured,
    HoldAnswered,
    Input,
    InputScreened,
    LandRequested,
    ModelFailed,
    ModelReplied,
    RunStarted,
    Summarised,
    SummaryFailed,
    TakenOver,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    UserSaid,
)
from handrail.core.evolve import fold
from handrail.core.outstanding import outstanding
from handrail.core.react import step
from handrail.core.ring import JudgedCall, Parsed, Silent, Unfit
from handrail.core.state import Held, OpenCall, Reading, RunState
from handrail.core.table import Phase, Stage
from handrail.vocab.calls import By, ProposedCall, ToolEffect, Where, call_id
from handrail.vocab.canonical import canonical, digest
from handrail.vocab.contract import check_transcript
from handrail.vocab.facts import Fact
from handrail.vocab.messages import Message, ToolMessage, UserMessage
from handrail.vocab.outcomes import Outcome
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage
from handrail.vocab.verdicts import Lens, Limit, TextVerdict, Verdict

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
Call = tuple[str, Mapping[str, Any] | str | None] | str
"""A tool's name with its arguments (a mapping, or the text as it is), or the name alone."""


class FakeTool:
    """A tool that is only judged: it takes a JSON object, and what `needs` names has to be in it."""

    def __init__(
        self,
        name: str,
        effect: ToolEffect = ToolEffect.READ,
        where: Where = Where.SERVER,
        *,
        timeout: float = 30.0,
        needs: Sequence[str] = (),
        version: int = 1,
    ) -> None:
        self.name = name
        self.effect = effect
        self.where = where
        self.timeout = timeout
        self.needs = tuple(needs)
        self.produces: frozenset[str] = frozenset()
        self.declaration: Mapping[str, Any] = {
            "type": "function",
            "function": {"name": name, "description": f"v{version}", "parameters": {"type": "object"}},
        }
        self.digest = digest(self.declaration)

    def parse(self, arguments: str | None) -> Parsed | Unfit:
        try:
            values = msgspec.json.decode(arguments or "{}", type=dict[str, Any])
        except msgspec.DecodeError:
            return Unfit("JSON object expected")
        missing = [name for name in self.needs if name not in values]
        return Unfit(f"{missing[0]} is required") if missing else Parsed(canonical(values), values)


def read(name: str = "search", **more: Any) -> FakeTool:
    return FakeTool(name, ToolEffect.READ, **more)


def idempotent(name: str = "book", **more: Any) -> FakeTool:
    return FakeTool(name, ToolEffect.IDEMPOTENT, **more)


def write(name: str = "pay", **more: Any) -> FakeTool:
    return FakeTool(name, ToolEffect.WRITE, **more)


class FakeGuard(Silent):
    """A guard that says what the test wants it to say."""

    looks: tuple[Lens, ...] | None = None
    may_withdraw_submit = True

    def __init__(
        self,
        name: str = "fake",
        *,
        judging: Callable[[Reading, JudgedCall], Any] | None = None,
        accepting: Callable[[Reading, str], Any] | None = None,
        offering: Callable[[Reading, str], Any] | None = None,
        limiting: Callable[[Reading], Any] | None = None,
        holds: tuple[tuple[str, By], ...] = (),
    ) -> None:
        self.name = name
        self.judging, self.accepting, self.offering, self.limiting = judging, accepting, offering, limiting
        self.refuses_text = accepting is not None
        self.tools: tuple[str, ...] = ()
        self.holds = holds
        self.settings: Mapping[str, Any] = {}

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        said: Verdict = super().judges(state, call) if self.judging is None else self.judging(state, call)
        return said

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        said: TextVerdict = super().accepts(state, text) if self.accepting is None else self.accepting(state, text)
        return said

    def offers(self, state: Reading, tool: str) -> bool:
        said: bool = super().offers(state, tool) if self.offering is None else self.offering(state, tool)
        return said

    def limits(self, state: Reading) -> Limit | None:
        return super().limits(state) if self.limiting is None else self.limiting(state)


def agent(*tools: FakeTool, **more: Any) -> Agent:
    """An agent with these tools, or with a read `search` and a write `pay`."""
    return Agent(**({"name": "test", "instructions": "Help.", "model": "none", "tools": tools or (read(), write())} | more))


class Play:
    """A run, played by hand. A call is named by its place in the open turn, from 1 on."""

    def __init__(self, agent: Agent, *, at: datetime = NOON) -> None:
        self.agent = agent
        self.now = at
        self.journal: tuple[Event, ...] = ()
        self.last: tuple[Event, ...] = ()
        self.state = RunState()

    def give(self, event: Input) -> "Play":
        self.last, self.state = step(self.agent, self.state, event)
        self.journal += self.last
        assert check_transcript(self.state.transcript) == []
        assert fold(self.journal) == self.state
        return self

    # the world

    def started(
        self, message: str = "Help me.", *, run_id: str = "r1", history: Sequence[Message] = (), can_ask: bool = True, **more: Any
    ) -> "Play":
        return self.give(
            RunStarted(
                at=self.now,
                run_id=run_id,
                agent=self.agent.name,
                fingerprint=self.agent.fingerprint,
                message=message,
                history=tuple(history),
                can_ask=can_ask,
                **more,
            )
        )

    def after(self, seconds: float) -> "Play":
        self.now += timedelta(seconds=seconds)
        return self

    def ticked(self) -> "Play":
        return self.give(Ticked(at=self.now))

    def user_said(self, text: str) -> "Play":
        return self.give(UserSaid(at=self.now, text=text))

    def facts_noted(self, *facts: Fact, source: str = "page", replaces: Sequence[str] = ()) -> "Play":
        return self.give(FactsNoted(at=self.now, source=source, facts=facts, replaces=tuple(replaces)))

    def taken_over(self, agent: Agent | None = None) -> "Play":
        self.agent = agent or self.agent
        return self.give(TakenOver(at=self.now, fingerprint=self.agent.fingerprint))

    def cancelled(self, reason: str = "") -> "Play":
        return self.give(Cancelled(at=self.now, reason=reason))

    def land_requested(self) -> "Play":
        return self.give(LandRequested(at=self.now))

    # the model

    def called(self, *calls: Call, text: str | None = None, **more: Any) -> "Play":
        proposed = tuple(_proposed(self.state.turn, place, call) for place, call in enumerate(calls, 1))
        return self.replied(text=text, calls=proposed, **more)

    def answered(self, text: str | None, **more: Any) -> "Play":
        return self.replied(text=text, **more)

    def replied(self, *, tokens: int = 0, **fields: Any) -> "Play":
        return self.give(ModelReplied(at=self.now, turn=self.state.turn, usage=Usage(input_tokens=tokens), **fields))

    def failed(self, kind: str = "unavailable", *, detail: str = "", retry_in: float | None = None) -> "Play":
        retry_at = None if retry_in is None else self.now + timedelta(seconds=retry_in)
        return self.give(ModelFailed(at=self.now, turn=self.state.turn, kind=kind, detail=detail, retry_at=retry_at))

    def measured(self, *tokens: int, fixed: int = 10, limit: int = 100) -> "Play":
        """The request is too long; without numbers each message but the user's alone is as long as may be."""
        each = tokens or tuple(5 if isinstance(message, UserMessage) else limit for message in self.state.transcript)
        return self.give(HistoryMeasured(at=self.now, turn=self.state.turn, tokens=each, fixed=fixed, limit=limit))

    def summarised(self, text: str = "They talked.", *, tokens: int = 5, **more: Any) -> "Play":
        return self.give(Summarised(at=self.now, upto=self.upto, text=text, tokens=tokens, **more))

    def summary_failed(self, detail: str = "no words", **more: Any) -> "Play":
        return self.give(SummaryFailed(at=self.now, upto=self.upto, detail=detail, **more))

    def screened(self, answer: Answer = Answer.PASSED, **more: Any) -> "Play":
        guard = self.state.screening.guard if self.state.screening is not None else None
        fields: dict[str, Any] = {"at": self.now, "guard": guard or "nobody", "said": len(self.state.unseen), "answer": answer}
        return self.give(InputScreened(**(fields | more)))

    # the tools

    def ran(self, place: int = 1) -> "Play":
        return self.give(ToolStarted(at=self.now, call=self.id(place)))

    def returned(self, place: int = 1, value: Any = "ok", *, facts: Sequence[Fact] = (), shown: str | None = None) -> "Play":
        text = isinstance(value, str)
        content = value if text else msgspec.json.encode(value).decode()
        return self.give(ToolReturned(at=self.now, call=self.id(place), content=content, text=text, facts=tuple(facts), shown=shown))

    def did(self, place: int = 1, value: Any = "ok", **more: Any) -> "Play":
        return self.ran(place).returned(place, value, **more)

    def tool_failed(self, place: int = 1, error: str = "no luck") -> "Play":
        return self.give(ToolFailed(at=self.now, call=self.id(place), error=error))

    def lost(self, place: int = 1, error: str = "timed out") -> "Play":
        return self.give(ToolLost(at=self.now, call=self.id(place), error=error))

    # people and reviewers

    def decided(self, answer: Answer, place: int = 1, **more: Any) -> "Play":
        held = self.held(place)
        fields: dict[str, Any] = {"at": self.now, "hold": held.id, "digest": held.digest, "answer": answer}
        return self.give(HoldAnswered(**(fields | more)))

    def yes(self, place: int = 1) -> "Play":
        return self.decided(Answer.YES, place)

    def no(self, place: int = 1, comment: str = "") -> "Play":
        return self.decided(Answer.NO, place, comment=comment)

    # what to look at

    def id(self, place: int) -> str:
        return call_id(self.state.turn, place)

    def call(self, place: int = 1) -> OpenCall:
        call = self.state.call(self.id(place))
        assert call is not None
        return call

    def held(self, place: int = 1) -> Held:
        held = self.call(place).held
        assert held is not None
        return held

    @property
    def upto(self) -> int:
        """How many messages are being summarised."""
        found = self.state.condensing
        return found.upto if found is not None and found.upto is not None else 0

    @property
    def stages(self) -> list[Stage]:
        return [call.stage for call in self.state.calls]

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def effects(self) -> tuple[Effect, ...]:
        return outstanding(self.state)

    @property
    def outcome(self) -> Outcome:
        assert self.state.outcome is not None
        return self.state.outcome

    @property
    def results(self) -> list[Any]:
        """What the model was told of the calls of the turn before, decoded where it is JSON."""
        found: list[Any] = []
        for message in reversed(self.state.transcript):
            if isinstance(message, ToolMessage):
                found.insert(0, _decoded(message.content))
            elif found:
                break
        return found

    @property
    def notes(self) -> list[str]:
        """What was said last in the user's role as notes of ours."""
        last = self.state.transcript[-1]
        return [said.text for said in last.said if said.ours] if isinstance(last, UserMessage) else []

    def judged(self, kind: type[Any]) -> list[Any]:
        """The judgements of a kind that the last input led to."""
        return [event for event in self.last if isinstance(event, kind)]


def _proposed(turn: int, place: int, call: Call) -> ProposedCall:
    name, arguments = (call, {}) if isinstance(call, str) else call
    text = msgspec.json.encode(arguments).decode() if isinstance(arguments, Mapping) else arguments
    return ProposedCall(id=call_id(turn, place), name=name, arguments=text)


def _decoded(content: str) -> Any:
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return content
