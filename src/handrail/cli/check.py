"""`handrail check`: whether a ring holds, whatever a model does. Exit 0 if it does, 1 with the story if not, 2 if it was asked wrongly."""

from time import perf_counter
from typing import Annotated

import msgspec
import typer

from handrail.check.explore import MOST_STATES, explore
from handrail.check.report import Report
from handrail.cli.loading import load_agent
from handrail.cli.telling import told
from handrail.cli.visible import visible


def command(
    app: Annotated[str, typer.Argument(help="An app, module:agent, or path/to/file.py:agent.", show_default=False)],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    batch: Annotated[int, typer.Option(min=1, max=2, help="Calls in one reply: 2 tries every pair, and takes far longer.")] = 1,
    most_states: Annotated[int, typer.Option(min=1, help="Give up after so many states.")] = MOST_STATES,
) -> None:
    """Walk through everything that any model can do to an agent, and say whether its ring holds."""
    with told():
        agent = load_agent(app)
        began = perf_counter()
        report = explore(agent, batch=batch, most_states=most_states)
        seconds = perf_counter() - began
    typer.echo(_json(report, seconds) if json else visible(_text(report, seconds)))
    raise typer.Exit(0 if report.ok else 1)


def _json(report: Report, seconds: float) -> str:
    fields = {**msgspec.to_builtins(report), "seconds": round(seconds, 3)}
    if report.counterexample is not None:
        fields["counterexample"]["text"] = report.counterexample.text()
    return msgspec.json.format(msgspec.json.encode(fields), indent=2).decode()


def _text(report: Report, seconds: float) -> str:
    calls = "one call" if report.batch == 1 else f"up to {report.batch} calls"
    lines = [f"{report.agent}: {_verdict(report)}"]
    lines.append(f"  walked      {report.states} states in {seconds:.1f} s, with {calls} a reply")
    lines.append(f"  tools       {', '.join(report.tools) or 'none'} can be reached")
    lines.append(f"  longest run {report.longest}")
    lines.extend(_listed("invariant", report.invariants))
    lines.extend(_listed("assumed", report.assumes))
    lines.extend(_listed("warning", report.warnings))
    if report.counterexample is not None:
        lines.extend(["", report.counterexample.text()])
        lines.extend(f"also: {fault}" for fault in report.faults[1:])
    if not report.complete and report.counterexample is None:
        lines.extend(["", "Nothing is proven: give guards that count a lower cap, tools fewer examples, or --most-states a higher number."])
    return "\n".join(lines)


def _verdict(report: Report) -> str:
    if report.ok:
        return "the ring holds, as far as what is assumed is true" if report.assumes else "the ring holds"
    return f"{report.counterexample.fault}" if report.counterexample is not None else "too much to walk through"


def _listed(word: str, items: tuple[str, ...]) -> list[str]:
    return [f"  {word if place == 0 else '':<11} {item}" for place, item in enumerate(items)]
