"""Many runs at the same time, in a process that is new each time: what a run costs then, and how much memory they need together.

Whoever does not bring all of them to their end is left out, after a word.
"""

import random
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks.overhead.processes import LostError, Server, serving, working
from benchmarks.peers.environments import tell

TURNS = 4


class Crowd(msgspec.Struct, frozen=True):
    """So many runs at the same time, so many times, with a model that takes so many milliseconds for an answer."""

    runs: int
    latency_ms: int
    rounds: int


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """What one contestant made of a crowd: medians over the rounds.

    Args:
        system: the contestant.
        runs: at the same time.
        latency_ms: what the model takes for an answer.
        k: tool turns of a run.
        cpu_ms: milliseconds of CPU time per run.
        wall_s: seconds until the last run was over.
        peak_mb: the most memory that the process ever had.
    """

    system: str
    runs: int
    latency_ms: int
    k: int
    cpu_ms: float
    wall_s: float
    peak_mb: float


def gathered(pythons: Mapping[str, Path], crowds: Sequence[Crowd]) -> list[Together]:
    """All crowds, in the order of the contestants."""
    found: list[Together] = []
    for crowd in crowds:
        tell(f"{crowd.runs} runs at the same time, {crowd.latency_ms} ms an answer ...")
        with serving(crowd.latency_ms / 1e3) as server:
            found += _gathered(dict(pythons), crowd, server)
    return found


def _gathered(pythons: dict[str, Path], crowd: Crowd, server: Server) -> list[Together]:
    said: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    for number in range(crowd.rounds):
        for name in random.Random(number).sample(sorted(pythons), len(pythons)):
            try:
                with working(name, pythons[name], server) as worker:
                    said[name].append(worker.ask(TURNS, crowd.runs, together=True)[0])
            except LostError as error:
                tell(f"{name} is left out of {crowd.runs} at the same time: {error}")
                del pythons[name]
    return [_together(crowd, name, said[name]) for name in pythons]


def _together(crowd: Crowd, name: str, said: Sequence[Mapping[str, float]]) -> Together:
    cpu, wall, peak = (statistics.median(each[figure] for each in said) for figure in ("cpu", "wall", "peak_mb"))
    return Together(
        system=name,
        runs=crowd.runs,
        latency_ms=crowd.latency_ms,
        k=TURNS,
        cpu_ms=1e3 * cpu / crowd.runs,
        wall_s=wall,
        peak_mb=peak,
    )
