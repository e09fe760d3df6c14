"""What the benchmarks have written down in benchmarks/results/*.json, as far as pages quote it. What is not quoted is not read."""

from typing import TypeVar

import msgspec

from tests.docs.markdown import ROOT

RESULTS = ROOT / "benchmarks" / "results"
Figures = TypeVar("Figures")


class Machine(msgspec.Struct, frozen=True):
    """Where figures come from."""

    processor: str
    cores: int
    python: str

    def __str__(self) -> str:
        return f"{self.processor}, {self.cores} cores, {self.python}"


class Share(msgspec.Struct, frozen=True):
    """Runs, and how many of them were decent."""

    runs: int
    decent: int


class Decent(msgspec.Struct, frozen=True, kw_only=True):
    """One system of the decency benchmark."""

    system: str
    version: str | None = None
    runs: int
    decent: int
    low: float
    high: float
    whole: int
    violations: dict[str, int]
    model_calls: int
    tokens: int
    seconds: float
    temperaments: dict[str, Share] = {}


class Decency(msgspec.Struct, frozen=True, kw_only=True):
    """decency.json."""

    machine: Machine
    systems: list[Decent]
    ablation: list[Decent] = []


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One system of the overhead benchmark at one number of tool turns."""

    system: str
    k: int
    ratio: float
    cpu_ms: float


class Overhead(msgspec.Struct, frozen=True, kw_only=True):
    """overhead.json, as far as pages quote it."""

    machine: Machine
    systems: list[Cost]


class Solved(msgspec.Struct, frozen=True, kw_only=True):
    """One model in one app and one way of the weak model benchmark."""

    model: str
    size: int
    app: str
    half: str
    system: str
    tasks: int
    right: int
    low: float
    high: float
    seconds: float


class WeakModel(msgspec.Struct, frozen=True, kw_only=True):
    """weak_model.json."""

    machine: Machine
    systems: list[Solved]


class Percentiles(msgspec.Struct, frozen=True):
    """Milliseconds."""

    p50: float
    p95: float


class Rate(msgspec.Struct, frozen=True):
    """A number of workers, and what each contestant came to."""

    workers: int
    jobs_per_second: dict[str, float]
    cpu_per_job: dict[str, float]
    ratio: float


class Throughput(msgspec.Struct, frozen=True):
    """throughput.json."""

    taken_on: Percentiles
    first_event: Percentiles
    rates: list[Rate]


def results(name: str, kind: type[Figures]) -> Figures:
    """The results of that name."""
    return msgspec.json.decode((RESULTS / f"{name}.json").read_bytes(), type=kind)
