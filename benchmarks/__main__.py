"""`python -m benchmarks [--short] [NAME ...]`: the benchmarks one after the other, each in a process of its own, and how they went.

- The full form writes the committed figures, and takes hours. The short form shows that all of them work, and only prints.
- One that fails does not stop the others; the exit is 1 then. One that needs something that is not here is left out, with a word.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from handrail.models.local.files import models_there

ROOT = Path(__file__).parents[1]
NO_MODEL = "no model was fetched: `python -m benchmarks.weak_model.fetching` does"
DONE = "done"


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """One of them.

    Args:
        answers: the question that it answers.
        command: what is run.
        short: what is run in the short form; `{folder}` is a folder that is thrown away.
        lacks: why it cannot be run here, if so.
    """

    answers: str
    command: Sequence[str]
    short: Sequence[str]
    lacks: Callable[[], str | None] = lambda: None


class Went(msgspec.Struct, frozen=True):
    """How one of them went."""

    name: str
    word: str
    seconds: float


def benchmarks() -> Mapping[str, Benchmark]:
    """All of them, by name."""
    models = models_there()
    weak = ("benchmarks.weak_model", "--model", f"local:{models[0] if models else ''}")
    quick = ("--short", "--system", "ring", "--half", "tuning", "--app", "orders", "--json", "{folder}/weak_model.json")
    return {
        "overhead": Benchmark(
            answers="what a run costs, beside the same loop by hand and beside the peers",
            command=("benchmarks.overhead",),
            short=("benchmarks.overhead", "--short"),
        ),
        "sizes": Benchmark(
            answers="what a start costs: import, memory; and what a base install takes",
            command=("benchmarks.sizes",),
            short=("benchmarks.sizes", "--short"),
        ),
        "throughput": Benchmark(
            answers="jobs a second on PostgreSQL, and how soon they begin",
            command=("benchmarks.throughput",),
            short=("benchmarks.throughput", "--jobs", "200", "--rounds", "1", "--asked", "100", "--json", "-"),
        ),
        "decency": Benchmark(
            answers="whether runs end decently, however the model behaves",
            command=("benchmarks.decency",),
            short=("benchmarks.decency", "--short"),
        ),
        "search": Benchmark(
            answers="whether the storefront's search finds what is asked for",
            command=("benchmarks.search",),
            short=("benchmarks.search",),
        ),
        "weak_model": Benchmark(
            answers="whether small models get tasks done",
            command=weak,
            short=(*weak, *quick),
            lacks=lambda: None if models else NO_MODEL,
        ),
    }


def main(arguments: Sequence[str] | None = None, known: Mapping[str, Benchmark] | None = None) -> int:
    """Run those that the command line names, or all."""
    known = known or benchmarks()
    parser = _parser(known)
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(known):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    went = [_went(name, known[name], short=asked.short) for name in asked.names or known]
    print("\n" + "\n".join(f"{each.name:<{max(map(len, known))}}  {each.seconds:6.0f} s  {each.word}" for each in went))
    return int(any(each.word.startswith("failed") for each in went))


def _went(name: str, benchmark: Benchmark, *, short: bool) -> Went:
    if (why := benchmark.lacks()) is not None:
        return Went(name, f"left out: {why}", 0.0)
    print(f"\n== {name}: {benchmark.answers}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        command = [part.format(folder=folder) for part in (benchmark.short if short else benchmark.command)]
        status = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode
    return Went(name, f"failed: exit {status}" if status else DONE, time.monotonic() - began)


def _parser(known: Mapping[str, Benchmark]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="The benchmarks, one after the other. benchmarks/README.md says how each measures.",
        epilog="\n".join(f"  {name:<12} {benchmark.answers}" for name, benchmark in known.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which (all by default)")
    parser.add_argument("--short", action="store_true", help="in minutes, with what is there already; nothing is written down")
    return parser


if __name__ == "__main__":
    sys.exit(main())
