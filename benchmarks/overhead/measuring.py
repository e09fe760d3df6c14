"""Contestants take turns: in each round every one of them does a batch, in an order that changes from round to round."""

import http.client
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Self

import msgspec

from benchmarks.overhead.contestants import CONTESTANTS

REFERENCE = "hand"
TARGETS: Mapping[str, Mapping[int, float]] = {"handrail": {4: 0.45, 64: 0.10}, "aiohttp": {4: 0.12, 64: 0.03}}
"""Contestant -> tool turns -> the ratio that it is to have at most."""


class Plan(msgspec.Struct, frozen=True):
    """How often: so many rounds of batches, each of so many runs with so many tool turns; the slow reference makes do with fewer runs."""

    turns: int
    rounds: int
    runs: int
    reference_runs: int

    def runs_of(self, name: str) -> int:
        """The runs in one batch of a contestant."""
        return self.reference_runs if name == REFERENCE else self.runs


PLANS = (Plan(4, 24, 8, 4), Plan(16, 10, 8, 2), Plan(64, 6, 6, 1))


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What one contestant cost with so many tool turns.

    Args:
        system: the contestant.
        k: tool turns.
        ratio: to the reference in the same round: the median over the rounds.
        cpu_ms: milliseconds of CPU time per run: the median of the batches' medians.
        quartiles: of the ratio.
        rounds: how many there were.
        target: what the ratio is to be at most, where there is such a number.
    """

    system: str
    k: int
    ratio: float
    cpu_ms: float
    quartiles: tuple[float, float]
    rounds: int
    target: float | None = None

    @property
    def kept(self) -> bool | None:
        """Whether the target is kept; `None` without one."""
        return None if self.target is None else self.ratio <= self.target


class Contestants:
    """The processes: the server, and each contestant with its pipes."""

    def __init__(self, port: int, processes: Mapping[str, "subprocess.Popen[str]"]) -> None:
        """Keep the server's port, and the contestants."""
        self._port = port
        self._processes = processes

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """All of them, ended afterwards."""
        with ExitStack() as stack:
            server = stack.enter_context(_process("server"))
            port = int(_line(server))
            url = f"http://127.0.0.1:{port}/v1"
            yield cls(port, {name: stack.enter_context(_process("worker", name, url)) for name in CONTESTANTS})

    def batch(self, name: str, turns: int, runs: int) -> list[float]:
        """CPU seconds of each run of a batch.

        Raises:
            RuntimeError: the contestant made more or fewer requests than the task has.
        """
        process = self._processes[name]
        assert process.stdin is not None
        self._requests()
        process.stdin.write(json.dumps({"turns": turns, "runs": runs}) + "\n")
        process.stdin.flush()
        took = [float(seconds) for seconds in json.loads(_line(process))]
        if (made := self._requests()) != (wanted := (runs + 1) * (turns + 1)):
            raise RuntimeError(f"{name} made {made} requests instead of {wanted}")
        return took

    def _requests(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        try:
            connection.request("GET", "/stats")
            return int(json.load(connection.getresponse())["requests"])
        finally:
            connection.close()


def measure(contestants: Contestants, plan: Plan) -> list[Measured]:
    """Go through all rounds of a plan."""
    names = tuple(CONTESTANTS)
    medians: dict[str, list[float]] = {name: [] for name in names}
    for number in range(plan.rounds):
        at = number % len(names)
        for name in names[at:] + names[:at]:
            medians[name].append(statistics.median(contestants.batch(name, plan.turns, plan.runs_of(name))))
    return measured(plan, medians)


def measured(plan: Plan, medians: Mapping[str, Sequence[float]]) -> list[Measured]:
    """What the rounds' medians (in seconds) come to, in the order of the contestants."""
    return [_measured(plan, name, seconds, medians[REFERENCE]) for name, seconds in medians.items()]


def _measured(plan: Plan, name: str, seconds: Sequence[float], reference: Sequence[float]) -> Measured:
    ratios = [one / other for one, other in zip(seconds, reference, strict=True)]
    low, ratio, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return Measured(
        system=name,
        k=plan.turns,
        ratio=ratio,
        cpu_ms=1e3 * statistics.median(seconds),
        quartiles=(low, high),
        rounds=plan.rounds,
        target=TARGETS.get(name, {}).get(plan.turns),
    )


@contextmanager
def _process(module: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", f"benchmarks.overhead.{module}", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended early; what it printed above says why")
    return line
