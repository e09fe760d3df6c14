"""`python -m benchmarks.decency`: run the systems, judge, keep the figures; tables and progress are told on standard error."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.decency.cases import GIVEN_UP, LIMIT, Case, cases
from benchmarks.decency.figures import Figures, figures
from benchmarks.decency.judge import GRACE
from benchmarks.decency.ours import parts
from benchmarks.decency.picture import PICTURE, picture
from benchmarks.decency.report import RESULTS, WHAT, Part, Report, as_json, joined, read, table, temperaments
from benchmarks.decency.running import Judged, judged, serving
from benchmarks.decency.systems import SYSTEMS, WITHOUT, python_for, release_of
from benchmarks.overhead.report import this_machine
from handrail.models.rehearsal.temperaments import TEMPERAMENTS

SEEDS = 300
OF_THE_ABLATION = 140
SHORT = len(TEMPERAMENTS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    file = asked.json or ("-" if asked.short or asked.run or asked.limit != LIMIT else str(RESULTS))
    _writable(file)
    names = [f"{WITHOUT}{part}" for part in parts()] if asked.ablation else asked.system or list(SYSTEMS)
    seeds = asked.seeds or (SHORT if asked.short else OF_THE_ABLATION if asked.ablation else SEEDS)
    wanted = asked.run or cases(seeds, asked.first_seed)
    tell(f"Runs may take {asked.limit:g} s (plus {GRACE:g} s of grace); one is given up after {GIVEN_UP * asked.limit:g} s.")
    with serving() as url:
        made = [each for name in names if (each := asyncio.run(_figures(name, wanted, url, asked))) is not None]
    if not made:
        raise SystemExit("None of these systems can be had here.")
    tell(table(made))
    _keep(_report(made, wanted, ablation=asked.ablation), file)


def tell(what: str) -> None:
    """Say it beside the figures."""
    print(what, file=sys.stderr, flush=True)


async def _figures(name: str, wanted: Sequence[Case], url: str, asked: argparse.Namespace) -> Figures | None:
    python = await asyncio.to_thread(python_for, name)
    if python is None:
        return None
    results = []
    async for each in judged(name, python, wanted, url, at_once=asked.at_once, limit=asked.limit):
        results.append(each)
        if each.violations and (asked.loud or name == "handrail"):
            tell(_said(name, each))
    made = figures(name, release_of(name), results)
    tell(temperaments(made))
    return made


def _said(name: str, each: Judged) -> str:
    return f"{name} {each.case.model}: {'; '.join(f'{violation.kind}: {violation.what}' for violation in each.violations)}"


def _report(made: list[Figures], wanted: Sequence[Case], *, ablation: bool) -> Report:
    seeds = [case.seed for case in wanted]
    part: Part = "ablation" if ablation else "systems"
    machine = msgspec.to_builtins(this_machine())
    return Report(what=WHAT, machine=machine, seeds={part: (min(seeds), max(seeds))}, **{part: made})


def _keep(report: Report, file: str) -> None:
    if file == "-":
        print(as_json(report).decode(), end="")
        return
    path = Path(file)
    whole = joined(report, read(path) if path.stat().st_size else None)
    path.write_bytes(as_json(whole))
    if path == RESULTS and whole.systems:
        PICTURE.write_text(picture(whole), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decency", description="Do runs end decently, however the model behaves?")
    parser.add_argument("--system", choices=list(SYSTEMS), action="append", help="which system; again for more (all by default)")
    parser.add_argument(
        "--ablation", action="store_true", help="handrail without each part of its ring, one at a time, and no other system"
    )
    parser.add_argument("--seeds", type=_count, help=f"runs a system, spread over the temperaments ({SEEDS}; ablation {OF_THE_ABLATION})")
    parser.add_argument("--short", action="store_true", help=f"{SHORT} runs a system, one a temperament; nothing is kept")
    parser.add_argument("--first-seed", type=int, default=1, help="the seed of the first run (%(default)s)")
    parser.add_argument("--run", type=_case, action="append", metavar="TEMPERAMENT:SEED", help="just this run; again for more")
    parser.add_argument("--at-once", type=_count, help="runs at the same time (one a core)")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="what a run may take (%(default)s)")
    parser.add_argument("--loud", action="store_true", help="tell each violation")
    parser.add_argument("--json", metavar="FILE", help=f"where the figures go; - is standard output ({RESULTS.name} in benchmarks/results)")
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
