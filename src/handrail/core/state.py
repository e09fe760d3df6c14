"""A run's whole state, one frozen value, and what a guard may read of it.

Counters, satisfied edges, remaining time and review rounds are here and nowhere else, so they survive a restart by construction.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec

from handrail.core.events import LandingStage
from handrail.core.table import OVER, Phase, Stage
from handrail.vocab.calls import By, ProposedCall, ToolEffect, Where
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.messages import AssistantMessage, Message
from handrail.vocab.outcomes import Outcome
from handrail.vocab.reviews import HoldAnswer
from handrail.vocab.usage import Usage


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What a call is held for. The hold's id is the call's id and how many holds it has had."""

    id: str
    guard: str
    by: By
    digest: str
    show: str | dict[str, Any]
    expires_at: datetime | None = None


class OpenCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the open turn.

    Args:
        arguments: canonical JSON, once the ring has seen that they fit.
        after: the earlier call that it waits for.
        held: what it is held for, while it is.
        answers: what came back for it so far; they die with the call.
        started: how often it was started; a crash can make that two for what is safe to repeat.
        reopen: the agent has changed since it was judged.
        content: what the model sees of the result.
        output: the whole result where the model sees less.
        mark: a digest of tool, arguments and result, by which a repetition is told.
    """

    proposed: ProposedCall
    stage: Stage = Stage.PROPOSED
    effect: ToolEffect = ToolEffect.WRITE
    where: Where = Where.SERVER
    timeout: float = 0.0
    arguments: str | None = None
    after: str | None = None
    held: Held | None = None
    holds: int = 0
    answers: tuple[HoldAnswer, ...] = ()
    started: int = 0
    started_at: datetime | None = None
    expires_at: datetime | None = None
    reopen: bool = False
    content: str | None = None
    output: str | None = None
    text: bool = False
    mark: str = ""

    @property
    def id(self) -> str:
        """Our id of the call."""
        return self.proposed.id

    @property
    def name(self) -> str:
        """The tool that the model asked for."""
        return self.proposed.name

    @property
    def over(self) -> bool:
        """Nothing leads on from here."""
        return self.stage in OVER


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A call that succeeded: its tool and what it ran with."""

    tool: str
    call: str
    arguments: str


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A person's no, and how much they had said by then: it stands until they say more."""

    comment: str
    said: int


class Count(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often a tool was cleared, succeeded and failed; in the run, and since the user last spoke."""

    cleared: int = 0
    succeeded: int = 0
    failed: int = 0
    cleared_since: int = 0
    succeeded_since: int = 0

    def plus(self, *, cleared: int = 0, succeeded: int = 0, failed: int = 0) -> "Count":
        """The counts with so many more."""
        return Count(
            cleared=self.cleared + cleared,
            succeeded=self.succeeded + succeeded,
            failed=self.failed + failed,
            cleared_since=self.cleared_since + cleared,
            succeeded_since=self.succeeded_since + succeeded,
        )


class Condensing(msgspec.Struct, frozen=True, kw_only=True):
    """How far the history of the open turn has been made to fit.

    Args:
        tokens: of each message, as it was measured; empty once the history was cut.
        fixed: tokens of all the rest of the request.
        limit: what all of it has to fit into.
        upto: messages that are being summarised.
        summary: the text that came of it.
        size: its tokens.
        failures: summaries that came to nothing.
        cuts: how often the history was cut in this turn.
    """

    tokens: tuple[int, ...] = ()
    fixed: int = 0
    limit: int = 0
    upto: int | None = None
    summary: str | None = None
    size: int = 0
    failures: int = 0
    cuts: int = 0


class Screening(msgspec.Struct, frozen=True, kw_only=True):
    """How far what the user said last has been looked at.

    Args:
        guard: whose screener is looking.
        passed: the guards whose screeners had nothing against it.
        flawed: the guard whose screener had.
        failures: looks in a row that came to nothing.
    """

    guard: str | None = None
    passed: tuple[str, ...] = ()
    flawed: str | None = None
    failures: int = 0


class RunClock(msgspec.Struct, frozen=True, kw_only=True):
    """The latest time known, and the seconds in which the run was not waiting for people."""

    at: datetime
    active: float = 0.0


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What the open turn offers; see `TurnOpened`."""

    offered: tuple[str, ...] = ()
    choice: str = "auto"
    soft: float | None = None
    until: float | None = None
    turns_left: int | None = None
    hold_text: bool = False


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came of this turn's model call."""

    message: AssistantMessage | None = None
    finish: str = "stop"
    refusal: str | None = None
    failure: str | None = None
    detail: str = ""
    retry_at: datetime | None = None
    dropped: int = 0
    notes: tuple[str, ...] = ()
    text_refused: bool = False
    amended_by: tuple[str, ...] = ()
    text_held: bool = False
    text_expires: datetime | None = None


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a run.

    Args:
        seq: events folded so far.
        turn: turns opened so far; the open one's number.
        reply: what came of the open turn's model call, until the next turn takes it into the transcript.
        said: what the user has said in this run, for reviewers.
        inbox: what the user said since the open turn was opened.
        unseen: the same with answers to questions: what no screener's yes covers yet.
        asides: what the interface said beside the user's words since the open turn was opened.
        condensing: the open turn's history is too long, and what is done about it.
        confirmed_before: what people have confirmed earlier in this conversation.
        recent: digests of the last successes, by which a fruitless turn is told.
        fruitless: turns in a row without a new success or a new word from the user.
        questions: texts held as questions in a row without a successful call between.
        empties: empty replies in a row.
        failures: failed model calls in a row.
        text_refusals: guards whose refusal of a text still stands since the user last spoke.
        denied: digests of calls that a person refused.
        reviews: reviewers' rounds per tool; `flaws` what they last found; `review_failures` rounds that failed.
        rung_turn: the turn after which the landing last went down, so that it goes down once a turn.
        last_tools: tools that were called in the fruitless turns.
        takeovers: take-overs of a working (not a waiting) run since the last progress, five at most.
        stop: why a run has to end now: `cancelled` or `landing`.
    """

    run_id: str = ""
    agent: str = ""
    fingerprint: str = ""
    seq: int = 0
    phase: Phase = Phase.READY
    transcript: tuple[Message, ...] = ()
    turn: int = 0
    attempt: int = 0
    offer: Offer = Offer()
    reply: Reply | None = None
    calls: tuple[OpenCall, ...] = ()
    counts: Mapping[str, Count] = {}
    done: tuple[Done, ...] = ()
    ledger: Ledger = Ledger()
    said: tuple[str, ...] = ()
    inbox: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    screening: Screening | None = None
    history_limit: int | None = None
    condensing: Condensing | None = None
    confirmed_before: tuple[Fact, ...] = ()
    clock: RunClock | None = None
    usage: Usage = Usage()
    can_ask: bool = True
    landing: LandingStage = LandingStage.NONE
    rung_turn: int = -1
    limit: str | None = None
    recent: tuple[str, ...] = ()
    fruitless: int = 0
    last_tools: tuple[str, ...] = ()
    questions: int = 0
    empties: int = 0
    failures: int = 0
    text_refusals: tuple[str, ...] = ()
    denied: Mapping[str, Denial] = {}
    reviews: Mapping[str, int] = {}
    flaws: Mapping[str, tuple[str, ...]] = {}
    review_failures: Mapping[str, int] = {}
    takeovers: int = 0
    stop: Literal["cancelled", "landing"] | None = None
    stop_reason: str = ""
    outcome: Outcome | None = None

    def call(self, call_id: str) -> OpenCall | None:
        """The call of the open turn with that id."""
        for call in self.calls:
            if call.proposed.id == call_id:
                return call
        return None

    def used(self, tool: str, *, per: str = "run") -> int:
        """Calls of the tool that were cleared, in the run or since the user's last message (`per="message"`)."""
        count = self.counts.get(tool)
        if count is None:
            return 0
        return count.cleared if per == "run" else count.cleared_since

    def ok(self, tool: str, *, per: str = "run") -> int:
        """Calls of the tool that succeeded."""
        count = self.counts.get(tool)
        if count is None:
            return 0
        return count.succeeded if per == "run" else count.succeeded_since

    def computed(self, tool: str) -> tuple[Mapping[str, Any], ...]:
        """The arguments of every successful call of the tool."""
        return tuple(msgspec.json.decode(done.arguments) for done in self.done if done.tool == tool)

    def facts(self, kind: str) -> tuple[Fact, ...]:
        """The ledger's facts of that kind."""
        return self.ledger.of(kind)

    def rounds(self, tool: str) -> int:
        """Rounds of review that drafts of the tool have had."""
        return self.reviews.get(tool, 0)

    def refused_texts(self, guard: str) -> int:
        """Texts that the guard has refused since the user last spoke."""
        return self.text_refusals.count(guard)

    def waits_for(self, call_id: str, tool: str) -> str | None:
        """The last call of that tool that is before `call_id` in the same reply and still open."""
        found = None
        for call in self.calls:
            if call.id == call_id:
                return found
            if call.name == tool and not call.over:
                found = call.id
        return None

    @property
    def turns_left(self) -> int | None:
        """Turns after the open one, where turns are limited."""
        return self.offer.turns_left


class Reading(Protocol):
    """What a guard may read of a run. `RunState` is one; `handrail check` hands out a masked one.

    What a guard reads it also declares in `looks`, a `Lens` for each of these methods and attributes.
    """

    @property
    def ledger(self) -> Ledger: ...
    @property
    def fruitless(self) -> int: ...
    @property
    def last_tools(self) -> tuple[str, ...]: ...
    @property
    def turns_left(self) -> int | None: ...
    @property
    def landing(self) -> LandingStage: ...
    def used(self, tool: str, *, per: str = "run") -> int: ...
    def ok(self, tool: str, *, per: str = "run") -> int: ...
    def computed(self, tool: str) -> tuple[Mapping[str, Any], ...]: ...
    def facts(self, kind: str) -> tuple[Fact, ...]: ...
    def rounds(self, tool: str) -> int: ...
    def refused_texts(self, guard: str) -> int: ...
    def waits_for(self, call_id: str, tool: str) -> str | None: ...
