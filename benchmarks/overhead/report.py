"""The figures as a table for people and as JSON, with the machine that they come from."""

import os
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from benchmarks.overhead.measuring import Measured

PACKAGES = ("handrail", "openai", "httpx2", "aiohttp", "msgspec", "jsonschema-rs", "pydantic")
MADE = "<!-- made by make bench -->"
PLACE = re.compile(rf"(?P<before>{re.escape(MADE)}\n```text\n).*?(?P<after>```\n)", re.DOTALL)
NAMES = {
    "hand": "by hand, chat.completions.create",
    "transport": "by hand, the client's low-level post",
    "handrail": "handrail.run",
    "aiohttp": "handrail.run, HANDRAIL_TRANSPORT=aiohttp",
}
OWN = "the runtime, the ring and the journal"
WIDTH = max(map(len, NAMES.values()))


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where the figures come from."""

    system: str
    processor: str
    cores: int
    python: str
    packages: dict[str, str]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is worth keeping of one run of the benchmark."""

    what: str
    machine: Machine
    systems: list[Measured]


def this_machine() -> Machine:
    """A description of this machine without anything that names its owner."""
    return Machine(
        system=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={package: version(package) for package in PACKAGES},
    )


def report(systems: Sequence[Measured]) -> Report:
    """The report of these figures, four digits a figure, so that what is written and what is printed are the same."""
    what = "CPU time per run, as a ratio to the same loop written by hand on the official client's chat.completions.create"
    whole = Report(what=what, machine=this_machine(), systems=list(systems))
    return msgspec.convert(_rounded(msgspec.to_builtins(whole)), Report)


def as_json(report: Report) -> bytes:
    """The report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report)) + b"\n"


def table(report: Report) -> str:
    """The report for people."""
    machine = report.machine
    lines = [
        report.what + ".",
        f"{machine.processor}, {machine.cores} cores, {machine.python}, openai {machine.packages['openai']}.",
    ]
    for k in sorted({each.k for each in report.systems}):
        lines += ["", *_block(k, {each.system: each for each in report.systems if each.k == k})]
    return "\n".join(lines)


def _block(k: int, measured: Mapping[str, Measured]) -> list[str]:
    """One number of tool turns."""
    lines = [f"{k} tool turns ({measured['hand'].rounds} rounds)"]
    for name, each in measured.items():
        low, high = each.quartiles
        line = f"  {NAMES[name]:<{WIDTH}} {each.cpu_ms:9.2f} ms  {each.ratio:6.3f}  [{low:.3f}, {high:.3f}]"
        lines.append(line if each.kept is None else f"{line}  at most {each.target:.2f}: {'kept' if each.kept else 'NOT kept'}")
    own = measured["handrail"].cpu_ms - measured["transport"].cpu_ms
    return [*lines, f"  {OWN:<{WIDTH}} {own:9.2f} ms  {1e3 * own / k:.0f} µs a turn"]


def with_table(page: str, text: str) -> str:
    """The page with this table in the place of the old one.

    Raises:
        ValueError: the page has no place for it.
    """
    new, found = PLACE.subn(lambda match: f"{match['before']}{text}\n{match['after']}", page)
    if found != 1:
        raise ValueError(f"the page needs one block ```text under the line {MADE!r}, and has {found}")
    return new


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
