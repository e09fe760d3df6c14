"""`python -m benchmarks.decency`: run, judge, print one JSON object a system on one line; what is not decent is told on standard error."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.decency.judge import GRACE
from benchmarks.decency.running import Figures, Judged, cases, figures, judged, serving
from benchmarks.decency.systems import GIVEN_UP, LIMIT, SYSTEMS, Case
from handrail.models.rehearsal.temperaments import TEMPERAMENTS

ASKING = {"unconfirmed", "write"}
"""What a system that asks nobody violates in any case."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    _writable(asked.json)
    wanted = asked.run or cases(asked.seeds, asked.first_seed)
    tell(f"Time limits are scaled down to {LIMIT:g} s (plus {GRACE:g} s of grace); a run is given up after {GIVEN_UP * LIMIT:g} s.")
    lines = []
    with serving() as url:
        for system in asked.system or list(SYSTEMS):
            results = asyncio.run(_results(system, wanted, url, asked.at_once))
            lines.append(msgspec.json.encode(figures(system, results)).decode())
            tell(table(figures(system, results), results))
            if asked.json == "-":
                print(lines[-1], flush=True)
    if asked.json != "-":
        Path(asked.json).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def table(sums: Figures, results: Sequence[Judged]) -> str:
    """The runs by temperament, for people: decent, decent if nobody had to be asked, and decent with a whole plan."""
    lines = [f"{sums.system}: {sums.decent} of {sums.runs} decent", "  temperament  runs  decent  but for the yes  whole  slowest"]
    for name in (*TEMPERAMENTS, "all"):
        those = [each for each in results if name in (each.case.temperament, "all")]
        if those:
            decent = sum(not each.violations for each in those)
            otherwise = sum({violation.kind for violation in each.violations} <= ASKING for each in those)
            whole = sum(not each.violations and not each.partial for each in those)
            slowest = max(each.seconds for each in those)
            lines.append(f"  {name:<11} {len(those):>5} {decent:>7} {otherwise:>16} {whole:>6} {slowest:>6.2f} s")
    return "\n".join(lines)


def tell(what: str) -> None:
    """Say it beside the figures."""
    print(what, file=sys.stderr, flush=True)


async def _results(system: str, wanted: Sequence[Case], url: str, at_once: int | None) -> list[Judged]:
    results = []
    async for each in judged(system, wanted, url, at_once=at_once):
        results.append(each)
        if each.violations and system == "handrail":
            tell(f"{system} {each.case.model}: {'; '.join(f'{violation.kind}: {violation.what}' for violation in each.violations)}")
    return results


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decency", description="Do runs end decently, however the model behaves?")
    parser.add_argument("--system", choices=list(SYSTEMS), action="append", help="which system; again for both (both by default)")
    parser.add_argument("--seeds", type=_count, default=len(TEMPERAMENTS), help="how many runs, spread over the temperaments (%(default)s)")
    parser.add_argument("--first-seed", type=int, default=1, help="the seed of the first run (%(default)s)")
    parser.add_argument("--run", type=_case, action="append", metavar="TEMPERAMENT:SEED", help="just this run; again for more")
    parser.add_argument("--at-once", type=_count, help="runs at the same time (one a core)")
    parser.add_argument("--json", default="-", metavar="FILE", help="where the figures go; - is standard output (%(default)s)")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _writable(file: str) -> None:
    """Find out before the runs, which take minutes, whether the figures can be written."""
    if file == "-":
        return
    try:
        Path(file).open("a", encoding="utf-8").close()
    except OSError as error:
        raise SystemExit(f"The figures cannot be written to {file!r}: {error.strerror}. Name another file with --json.") from None


def _case(name: str) -> Case:
    temperament, _, seed = name.partition(":")
    if temperament not in TEMPERAMENTS or not seed.isdecimal():
        raise argparse.ArgumentTypeError(f"{name!r} is no run: name a temperament and a seed, such as careless:20956")
    return Case(temperament=temperament, seed=int(seed))


if __name__ == "__main__":
    main()
