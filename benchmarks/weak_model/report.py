"""The figures of all that is in the notebook, for programs and for people."""

import os
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from benchmarks.decency.figures import wilson
from benchmarks.weak_model.running import Done
from benchmarks.weak_model.systems import SYSTEMS

WHAT = "Tasks of two apps done right by small models that run here: as they are, with constrained decoding, and inside the ring."


class Sums(msgspec.Struct, frozen=True, kw_only=True):
    """One model in one system on one half of an app's tasks.

    Args:
        size: of the model's file, in bytes.
        right: tasks that were done right.
        low, high: the 95% interval (Wilson) of the share.
        seconds: the median of a task.
        calls: of the model, all together.
        refusals: by guard, all together.
        wrong: the tasks that were not done right.
    """

    model: str
    size: int
    app: str
    half: str
    system: str
    ring: bool
    tasks: int
    right: int
    low: float
    high: float
    seconds: float
    calls: int
    refusals: dict[str, int]
    wrong: list[str]


def sums(results: Sequence[Done], *, model: Path, app: str, half: str, system: str) -> Sums:
    """The sums of these results."""
    right = [each for each in results if not each.faults]
    low, high = wilson(len(right), len(results))
    refusals = sum((Counter(each.refusals) for each in results), Counter[str]())
    return Sums(
        model=model.name,
        size=model.stat().st_size if model.exists() else 0,
        app=app,
        half=half,
        system=system,
        ring=SYSTEMS[system].ring,
        tasks=len(results),
        right=len(right),
        low=round(low, 3),
        high=round(high, 3),
        seconds=round(median(each.seconds for each in results), 1) if results else 0.0,
        calls=sum(each.calls for each in results),
        refusals=dict(sorted(refusals.items())),
        wrong=[each.task for each in results if each.faults],
    )


def written(path: Path, fresh: Sequence[Sums]) -> None:
    """Put these sums into the file, in the place of what it says about the same."""
    known: list[Any] = msgspec.json.decode(path.read_bytes())["systems"] if path.exists() and path.stat().st_size else []
    kept = {_key(each): each for each in known} | {_key(each): each for each in msgspec.to_builtins(fresh)}
    whole = {"what": WHAT, "machine": machine(), "systems": [kept[key] for key in sorted(kept)]}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n")


def table(all_: Sequence[Sums]) -> str:
    """The sums for people."""
    lines = [f"{'model':<42} {'app':<9} {'half':<9} {'system':<12} {'right':>8} {'95%':>10} {'s':>6} {'calls':>6}"]
    for each in all_:
        between = f"{100 * each.low:.0f}–{100 * each.high:.0f}%"
        lines.append(
            f"{each.model:<42} {each.app:<9} {each.half:<9} {each.system:<12} {f'{each.right}/{each.tasks}':>8} {between:>10} "
            f"{each.seconds:>6} {each.calls:>6}"
        )
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """Where it was measured, and on what."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "xllamacpp": version("xllamacpp"),
    }


def _key(of: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(of[name]) for name in ("model", "app", "half", "system"))
