"""The figures as JSON, with the machine that they come from."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from benchmarks.overhead.crowds import Together
from benchmarks.overhead.measuring import Measured
from benchmarks.overhead.systems import OURS, REFERENCE, SYSTEMS
from benchmarks.peers.environments import version_of
from benchmarks.sizes.imports import Imported
from benchmarks.sizes.installed import Size

PACKAGES = ("handrail", "openai", "httpx2", "aiohttp", "msgspec", "jsonschema-rs", "pydantic")
WHAT = "CPU time per run, as a ratio to the same loop written by hand on the official client's chat.completions.create"


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where the figures come from."""

    system: str
    processor: str
    cores: int
    python: str
    packages: dict[str, str]


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """How many times as much the longest run costs as the shortest, and how many times as many bytes the provider must be sent."""

    system: str
    cpu: float
    bytes: float

    @property
    def kept(self) -> bool:
        """Whether the cost grows no faster than the bytes."""
        return self.cpu <= self.bytes


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is worth keeping of one run of the benchmark.

    Args:
        what: the ratio's meaning.
        machine: where.
        peers: the releases of those that took part.
        systems: one run after the other.
        growth: from the fewest tool turns to the most.
        concurrent: many runs at the same time.
        imports: what is paid before the first run.
        size: of a base install; `None` where that could not be made.
    """

    what: str
    machine: Machine
    peers: dict[str, str]
    systems: list[Measured]
    growth: list[Growth]
    concurrent: list[Together]
    imports: list[Imported]
    size: Size | None


def this_machine() -> Machine:
    """A description of this machine without anything that names its owner."""
    return Machine(
        system=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={package: version(package) for package in PACKAGES},
    )


def report(
    systems: Sequence[Measured], concurrent: Sequence[Together] = (), imports: Sequence[Imported] = (), size: Size | None = None
) -> Report:
    """The report of these figures, four digits a figure, so that what is written and what is printed are the same."""
    names = dict.fromkeys((*(each.system for each in systems), *(each.system for each in imports)))
    whole = Report(
        what=WHAT,
        machine=this_machine(),
        peers={name: version_of(name) for name in names if SYSTEMS[name].peer},
        systems=list(systems),
        growth=list(growth(systems)),
        concurrent=list(concurrent),
        imports=list(imports),
        size=size,
    )
    return msgspec.convert(_rounded(msgspec.to_builtins(whole)), Report)


def growth(systems: Sequence[Measured]) -> Iterator[Growth]:
    """Of each system that was measured with the fewest and with the most turns."""
    sizes = sorted({each.k for each in systems})
    least, most = (sizes[0], sizes[-1]) if sizes else (0, 0)
    short, long = ({each.system: each for each in systems if each.k == k} for k in (least, most))
    for name in short:
        if name in long:
            cpu, sent = long[name].cpu_ms / short[name].cpu_ms, long[name].bytes / short[name].bytes
            yield Growth(system=name, cpu=cpu, bytes=sent)


def beaten(systems: Sequence[Measured]) -> Mapping[str, bool] | None:
    """Whether handrail, with either transport, costs less than the loop by hand and every peer at every number of turns."""
    others = [each for each in systems if each.system == REFERENCE or SYSTEMS[each.system].peer]
    if not any(SYSTEMS[each.system].peer for each in others):
        return None
    ours = {name: [each for each in systems if each.system == name] for name in OURS}
    return {
        name: all(own.ratio < other.ratio for own in costs for other in others if other.k == own.k) for name, costs in ours.items() if costs
    }


def as_json(report: Report) -> bytes:
    """The report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report)) + b"\n"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor() or "unknown")


def _rounded(value: object) -> object:
    match value:
        case float():
            return round(value, 4)
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [_rounded(item) for item in value]
        case _:
            return value
