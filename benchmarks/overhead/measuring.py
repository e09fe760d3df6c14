"""Contestants take turns: in each round every one of them does a batch, in an order that changes from round to round."""

import random
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks.overhead.processes import LostError, Server, Worker, working
from benchmarks.overhead.systems import REFERENCE, SYSTEMS
from benchmarks.peers.environments import tell

TARGETS: Mapping[str, Mapping[int, float]] = {"handrail": {4: 0.45, 64: 0.10}, "aiohttp": {4: 0.12, 64: 0.03}}
"""Contestant -> tool turns -> the ratio that it is to have at most."""
QUICK = ("transport", "handrail", "aiohttp")


class Plan(msgspec.Struct, frozen=True):
    """How often: so many rounds of batches, each of so many runs with so many tool turns; whoever is slow makes do with fewer runs."""

    turns: int
    rounds: int
    runs: int
    slow_runs: int

    def runs_of(self, name: str) -> int:
        """The runs in one batch of a contestant."""
        return self.runs if name in QUICK else self.slow_runs


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What one contestant cost with so many tool turns.

    Args:
        system: the contestant.
        k: tool turns.
        ratio: to the reference in the same round: the median over the rounds.
        cpu_ms: milliseconds of CPU time per run: the median of the batches' medians.
        quartiles: of the ratio.
        rounds: how many there were.
        bytes: of the requests of one run, without their headers.
        target: what the ratio is to be at most, where there is such a number.
    """

    system: str
    k: int
    ratio: float
    cpu_ms: float
    quartiles: tuple[float, float]
    rounds: int
    bytes: int
    target: float | None = None

    @property
    def kept(self) -> bool | None:
        """Whether the target is kept; `None` without one."""
        return None if self.target is None else self.ratio <= self.target


def measure(pythons: Mapping[str, Path], server: Server, plans: Sequence[Plan]) -> list[Measured]:
    """Go through all rounds of all plans, with a process a contestant that is kept from the first to the last."""
    found: list[Measured] = []
    with ExitStack() as stack:
        workers = {name: stack.enter_context(working(name, python, server)) for name, python in pythons.items()}
        for plan in plans:
            tell(f"{plan.turns} tool turns: {plan.rounds} rounds of {len(workers)} ...")
            found += rounds(workers, plan)
    return found


def rounds(workers: dict[str, Worker], plan: Plan) -> list[Measured]:
    """All rounds of a plan. A peer that cannot do it is taken out of the workers, after a word.

    Raises:
        LostError: handrail or a loop by hand cannot do it.
    """
    medians: dict[str, list[float]] = {name: [] for name in workers}
    sizes: dict[str, int] = {}
    for number in range(plan.rounds):
        for name in random.Random(number).sample(sorted(workers), len(workers)):
            try:
                seconds, sizes[name] = workers[name].ask(plan.turns, plan.runs_of(name))
            except LostError as error:
                if not SYSTEMS[name].peer:
                    raise
                tell(f"{name} is left out: {error}")
                del workers[name]
                continue
            medians[name].append(statistics.median(seconds))
    return measured(plan, {name: medians[name] for name in workers}, sizes)


def measured(plan: Plan, medians: Mapping[str, Sequence[float]], sizes: Mapping[str, int]) -> list[Measured]:
    """What the rounds came to, in the order of the contestants: of each batch the median in seconds, and the bytes of a run's requests."""
    return [_measured(plan, name, seconds, medians[REFERENCE], sizes[name]) for name, seconds in medians.items()]


def _measured(plan: Plan, name: str, seconds: Sequence[float], reference: Sequence[float], size: int) -> Measured:
    ratios = [one / other for one, other in zip(seconds, reference, strict=True)]
    low, ratio, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return Measured(
        system=name,
        k=plan.turns,
        ratio=ratio,
        cpu_ms=1e3 * statistics.median(seconds),
        quartiles=(low, high),
        rounds=plan.rounds,
        bytes=size,
        target=TARGETS.get(name, {}).get(plan.turns),
    )
