"""Any inputs in any order, thrown at agents with every guard: what holds at each step, and that every run comes to an end."""

from collections import Counter
from datetime import timedelta
from random import Random

import msgspec
import pytest
from hypothesis import Phase as HypothesisPhase
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from handrail.core.agent import Agent
from handrail.core.effects import CallModel, RunTool, StartTool, WakeAt
from handrail.core.events import (
    INPUTS,
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
    TurnOpened,
    UserSaid,
)
from handrail.core.evolve import fold
from handrail.core.judge import judge
from handrail.core.outstanding import outstanding
from handrail.core.react import step
from handrail.core.stale import StaleCode
from handrail.core.state import RunState
from handrail.core.table import RUN, Phase, Stage
from handrail.errors import StaleInput
from handrail.vocab.contract import check_transcript
from handrail.vocab.facts import Fact
from handrail.vocab.messages import Message
from handrail.vocab.reviews import Answer
from tests.core import cells, world
from tests.core.audit import Audit
from tests.core.kit import NOON
from tests.core.world import AGENTS, MODELS, TURNS, Model

SEEDS = st.integers(0, 2**32)
GAPS = (0, 0, 1, 1, 2, 5, -3, 30, 200, 100_000)
PLACES = st.sampled_from([Phase.THINKING, Phase.ACTING, Phase.WAITING, Stage.PROPOSED, Stage.HELD, Stage.CLEARED, Stage.RUNNING])
LONG = 30
"""Messages of a history after which a session begins anew, so that the checks stay quick."""

TOO_LONG = 0.06
"""How often a request turns out to be too long."""

ENOUGH = 600
"""Inputs by which a sensible world has brought any run to its end."""


class Run:
    """A run with its journal and its audit; every step holds what has to hold at each step."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.audit = Audit(agent)
        self.journal: tuple[Event, ...] = ()
        self.state = RunState()
        self.now = NOON

    @classmethod
    def resumed(cls, agent: Agent, journal: tuple[Event, ...]) -> "Run":
        run = cls(agent)
        run.journal, run.state = journal, fold(journal)
        run.audit.read(journal)
        run.now = run.state.clock.at if run.state.clock is not None else NOON
        return run

    def give(self, event: Input) -> bool:
        """Whether the run had a place for it."""
        before = self.state
        try:
            events, self.state = step(self.agent, before, event)
        except StaleInput as stale:
            # What comes too late still moves the clock, and so closes what it came too late for.
            return stale.code == StaleCode.EXPIRED and self.give(Ticked(at=event.at))
        self.journal += events
        self.audit.read(events)
        assert fold(events, before) == self.state
        assert judge(self.agent, self.state) is None
        assert self.state.transcript is before.transcript or check_transcript(self.state.transcript) == []
        assert self.state.turn == self.audit.turns <= TURNS
        self._look_at_what_is_going_on()
        return True

    def _look_at_what_is_going_on(self) -> None:
        effects = outstanding(self.state)
        assert bool(effects) is (self.state.phase not in {Phase.READY, Phase.DONE}), "a run waits for something, or it is over"
        assert len({effect.key for effect in effects}) == len(effects)
        for effect in effects:
            if isinstance(effect, RunTool):
                assert self.audit.started[effect.call] > 0 and effect.call not in self.audit.may_start
                assert effect.arguments == self.audit.cleared[effect.call].arguments
        for call in self.state.calls:
            assert self.audit.started[call.id] <= 1 or call.effect != "write"

    def take_over(self, agent: Agent) -> bool:
        if TakenOver not in RUN[self.state.phase]:
            return False
        self.agent = agent
        return self.give(TakenOver(at=self.now, fingerprint=agent.fingerprint))

    def start(self, message: str = "A trip, please.", history: tuple[Message, ...] = (), *, can_ask: bool = True) -> None:
        self.give(
            RunStarted(
                at=self.now,
                run_id="r",
                agent=self.agent.name,
                fingerprint=self.agent.fingerprint,
                message=message,
                history=history,
                can_ask=can_ask,
            )
        )

    def play(self, rng: Random, *, most: int, model: Model = world.sensible, luck: float = 0.8) -> None:
        """Let the world answer at most so many effects."""
        for _ in range(most):
            effects = outstanding(self.state)
            if not effects:
                return
            busy = [effect for effect in effects if not isinstance(effect, WakeAt)]
            effect = rng.choice(busy or list(effects))
            self.now += timedelta(seconds=1)
            event = world.answer(effect, self.now, rng, replied=lambda: model(self.agent, self.state, rng), luck=luck)
            if isinstance(effect, CallModel) and rng.random() < TOO_LONG:
                event = measured(self, rng)
            self.now = max(self.now, event.at)
            assert self.give(event), "the run has a place for what comes of its own effects"

    def finish(self, rng: Random, model: Model = world.sensible, luck: float = 0.8) -> None:
        self.play(rng, most=ENOUGH, model=model, luck=luck)
        assert self.state.phase is Phase.DONE and self.state.outcome is not None, "every run comes to an end"
        journal = msgspec.json.decode(msgspec.json.encode(self.journal), type=tuple[Event, ...])
        assert journal == self.journal and fold(journal) == self.state


class Machine(RuleBasedStateMachine):
    """The rules: throw any input, let a good or a bad world play on, crash anywhere. A run that is over makes room for the next."""

    hits: Counter[cells.RunCell | cells.CallCell] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.run = Run(AGENTS[0])
        self.drawn = 0

    @rule(place=PLACES, seed=SEEDS)
    def throw(self, place: Phase | Stage, seed: int) -> None:
        """Let a sensible world play up to a place, and throw something there: mostly what the table has a cell for."""
        for _ in range(4):
            rng = self._begun(seed)
            self._play_up_to(place, rng)
            fitting = [kind for kind in INPUTS if kind in RUN[self.run.state.phase]]
            kind = rng.choice(fitting if fitting and rng.random() < 0.9 else INPUTS)
            self.run.now += timedelta(seconds=rng.choice(GAPS))
            self.run.give(any_input(self.run, kind, rng))

    @rule(seed=SEEDS, most=st.integers(1, 12), luck=st.sampled_from([1.0, 0.8, 0.4]))
    def sensible_world(self, seed: int, most: int, luck: float) -> None:
        self.run.play(self._begun(seed), most=most, luck=luck)

    @rule(seed=SEEDS, most=st.integers(1, 4))
    def unruly_model(self, seed: int, most: int) -> None:
        self.run.play(self._begun(seed), most=most, model=world.unruly)

    @rule(place=PLACES, seed=SEEDS)
    def crash(self, place: Phase | Stage, seed: int) -> None:
        """Another driver goes on with it, maybe with another agent, and maybe only to end it."""
        for _ in range(2):
            rng = self._begun(seed)
            self._play_up_to(place, rng, rng.choice([world.sensible, world.booking]))
            changed = rng.random() < 0.4
            self.run.take_over(self.run.agent.but(instructions=f"{self.drawn}.") if changed else self.run.agent)
            if rng.random() < 0.5:
                self.run.give(any_input(self.run, Cancelled if rng.random() < 0.5 else LandRequested, rng))

    @rule(seed=SEEDS, times=st.integers(1, 7))
    def crash_on_and_on(self, seed: int, times: int) -> None:
        """Driver after driver gets no further than to start what is due."""
        self._play_up_to(Stage.RUNNING, self._begun(seed))
        for _ in range(times):
            self.run.take_over(self.run.agent)
            for effect in outstanding(self.run.state):
                if isinstance(effect, StartTool):
                    self.run.give(ToolStarted(at=self.run.now, call=effect.call))

    @rule(seed=SEEDS)
    def go_on_from_an_earlier_place(self, seed: int) -> None:
        """A journal that was cut anywhere is played to its end, beside the run itself."""
        rng = self._begun(seed)
        cut = Run.resumed(self.run.agent, self.run.journal[: rng.randint(0, len(self.run.journal))])
        if cut.take_over(cut.agent):
            cut.finish(rng, rng.choice(MODELS))
            self.hits.update(cells.hit(cut.journal))

    def _random(self, seed: int) -> Random:
        """Another one each time: small seeds are drawn again and again."""
        self.drawn += 1
        return Random(f"{seed}/{self.drawn}")

    def _begun(self, seed: int) -> Random:
        """The draw for a rule that needs a run: one that is over makes room for the next of its session."""
        rng = self._random(seed)
        if self.run.state.phase in {Phase.READY, Phase.DONE}:
            self._count()
            history = self.run.state.transcript
            self.run = Run(rng.choice(AGENTS))
            if rng.random() < 0.1 and self.run.give(any_input(self.run, rng.choice(INPUTS[1:]), rng)):
                self._count()
                self.run = Run(self.run.agent)
            self.run.start(history=history if len(history) < LONG else (), can_ask=rng.random() < 0.8)
        return rng

    def _play_up_to(self, place: Phase | Stage, rng: Random, model: Model = world.sensible) -> None:
        for _ in range(25):
            if self.run.state.phase is place or any(call.stage is place for call in self.run.state.calls):
                return
            self.run.play(rng, most=1, model=model)

    def _count(self) -> None:
        self.hits.update(cells.hit(self.run.journal))

    def teardown(self) -> None:
        if self.run.state.phase is not Phase.READY:
            self.run.finish(Random(0))
        self._count()


def any_input(run: Run, kind: type[Input], rng: Random) -> Input:
    """An input of that kind, about something that is there or about nothing."""
    state, at = run.state, run.now
    call = rng.choice([*(call.id for call in state.calls), "t1c1", "t9c9"])
    if kind in {ToolStarted, ToolReturned, ToolFailed, ToolLost}:
        more = {ToolReturned: {"content": "{}"}, ToolFailed: {"error": "e"}, ToolLost: {"error": "e"}}.get(kind, {})
        return msgspec.convert({"event": kind.__name__, "at": at, "call": call, **more}, kind)
    held = rng.choice([*(call.held for call in state.calls if call.held is not None), None])
    hold, digest = (held.id, held.digest) if held is not None else (f"{call}h1", "none")
    upto = state.condensing.upto if state.condensing is not None else None
    looking = state.screening.guard if state.screening is not None else None
    simple: dict[type[Input], Input] = {
        HistoryMeasured: measured(run, rng),
        Summarised: Summarised(at=at, upto=upto or 1, text="They talked.", tokens=rng.choice([1, 10_000])),
        SummaryFailed: SummaryFailed(at=at, upto=rng.choice([upto or 1, 2])),
        InputScreened: InputScreened(
            at=at, guard=looking or "nobody", said=len(state.unseen) + (rng.random() < 0.1), answer=rng.choice(list(Answer))
        ),
        RunStarted: RunStarted(at=at, run_id="other", agent="other", fingerprint="f", message="m"),
        ModelReplied: ModelReplied(at=at, turn=state.turn - rng.randrange(2), **world.unruly(run.agent, state, rng)),
        ModelFailed: ModelFailed(at=at, turn=state.turn, kind="other", retry_at=rng.choice([None, at + timedelta(seconds=9)])),
        HoldAnswered: HoldAnswered(at=at, hold=hold, digest=rng.choice([digest, digest, "x"]), answer=rng.choice(list(Answer))),
        UserSaid: UserSaid(at=at, text="Something else."),
        FactsNoted: FactsNoted(at=at, source="page", facts=(Fact("place", rng.choice(world.PLACES)),), replaces=("place",)),
        LandRequested: LandRequested(at=at),
        Ticked: Ticked(at=at),
        TakenOver: TakenOver(at=at, fingerprint=run.agent.fingerprint),
        Cancelled: Cancelled(at=at, reason="enough"),
    }
    return simple[kind]


def measured(run: Run, rng: Random) -> HistoryMeasured:
    """That the request is too long."""
    tokens = tuple(rng.choice([5, 50, 500]) for _ in run.state.transcript)
    return HistoryMeasured(at=run.now, turn=run.state.turn, tokens=tokens, fixed=rng.choice([5, 50]), limit=rng.choice([20, 200, 600]))


def throw_about(*, examples: int, steps: int) -> Counter[cells.RunCell | cells.CallCell]:
    Machine.hits = Counter()
    # A failure is printed as it was found: making it smaller takes minutes.
    run_state_machine_as_test(
        Machine, settings=settings(max_examples=examples, stateful_step_count=steps, phases=[HypothesisPhase.generate])
    )
    return Machine.hits


def test_whatever_is_thrown_at_a_run_its_promises_hold() -> None:
    assert throw_about(examples=6, steps=15)


@pytest.mark.slow
def test_whatever_is_thrown_at_a_run_its_promises_hold_and_every_cell_is_hit() -> None:
    hits = throw_about(examples=100, steps=40)
    missing = (cells.RUN_CELLS | cells.CALL_CELLS) - set(hits)
    assert not missing, sorted(f"{where.value} x {event.__name__}" for where, event in missing)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_run_ends_within_its_limits_whatever_the_model_does(agent: Agent, model: Model) -> None:
    for seed in range(4):
        run = Run(agent)
        run.start(can_ask=seed % 2 == 0)
        run.finish(Random(seed), model, luck=0.7)
        assert sum(isinstance(event, TurnOpened) for event in run.journal) <= TURNS


@pytest.mark.parametrize("model", [world.sensible, world.unruly], ids=lambda model: model.__name__)
def test_from_every_place_in_a_journal_a_crash_is_outlived(model: Model) -> None:
    whole = Run(AGENTS[0])
    whole.start()
    whole.finish(Random(3), model)
    for cut in range(1, len(whole.journal)):
        run = Run.resumed(whole.agent, whole.journal[:cut])
        assert run.take_over(run.agent)
        run.finish(Random(cut))
