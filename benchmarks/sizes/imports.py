"""What it costs to start a system, and to make an agent: medians over new processes."""

import random
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks.overhead.processes import LostError, running, serving
from benchmarks.overhead.systems import SYSTEMS
from benchmarks.peers.environments import tell


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """One system.

    Args:
        system: which.
        import_ms: milliseconds of CPU time until it is imported, its bytecode being at hand.
        first_ms: milliseconds of CPU time until the first run is over, with a model that answers at once.
        modules: how many are imported then.
        memory_mb: what the process has then.
        agent_ms: milliseconds of CPU time for another agent with three tools, from scratch.
    """

    system: str
    import_ms: float
    first_ms: float
    modules: int
    memory_mb: float
    agent_ms: float


def imported(pythons: Mapping[str, Path], rounds: int) -> list[Imported]:
    """All systems, each so often. What they do the first time is not counted: bytecode is written then."""
    tell(f"starts: {rounds} rounds of {len(pythons)} ...")
    said: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    with serving() as server:
        for number in range(rounds + 1):
            for name in random.Random(number).sample(sorted(said), len(said)):
                command = [str(pythons[name]), "-m", "benchmarks.sizes.importing", SYSTEMS[name].module, server.url]
                try:
                    with running(command) as process:
                        said[name].append(msgspec.json.decode(process.line()))
                except LostError as error:
                    if not SYSTEMS[name].peer:
                        raise
                    tell(f"{name} is left out of the starts: {error}")
                    del said[name]
    return [_imported(name, each[1:]) for name, each in said.items()]


def _imported(name: str, said: Sequence[Mapping[str, float]]) -> Imported:
    middle = {figure: statistics.median(each[figure] for each in said) for figure in said[0]}
    return Imported(
        system=name,
        import_ms=1e3 * middle["import"],
        first_ms=1e3 * middle["first"],
        modules=int(middle["modules"]),
        memory_mb=middle["mb"],
        agent_ms=1e3 * middle["agent"],
    )
