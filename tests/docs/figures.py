"""Figures of the benchmarks as tables and sentences for pages. Nothing is measured or judged here."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.docs.results import Decency, Overhead, Share, Throughput, WeakModel, results

_NAMES = {
    "handrail": "**handrail**",
    "aiohttp": "**handrail**, over aiohttp",
    "no-ring": "handrail with an empty ring",
    "hand": "by hand, `chat.completions.create`",
    "transport": "by hand, the client's low-level `post`",
    "bare": "a loop by hand",
    "openai-agents": "OpenAI Agents SDK",
    "pydantic-ai": "Pydantic AI",
    "langchain": "LangChain",
    "agent-framework": "Microsoft Agent Framework",
    "forge": "forge-guardrails",
    "agno": "Agno",
    "strands": "Strands Agents",
    "smolagents": "smolagents",
    "google-adk": "Google ADK",
}
_SPOKEN_OF = {"handrail", "aiohttp", "hand", "openai-agents", "pydantic-ai", "langchain", "agent-framework", "forge"}
_WAYS = {"native": "as it is", "constrained": "constrained decoding", "ring": "**constrained, in the ring**"}
_KINDS = {
    "write": "a write without a yes",
    "unconfirmed": "a plan that nobody has confirmed",
    "no plan": "no plan at all",
    "form": "a plan of no form",
    "constraint": "what the travellers want not kept",
    "raised": "something raised",
    "place": "a place or bed that was never found",
    "transcript": "a transcript that a strict provider refuses",
    "drive": "a drive that was never computed",
    "hours": "more hours than the party bears",
    "late": "late",
}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] + ["---:"] * (len(head) - 1), *rows):
        yield f"| {' | '.join(row)} |"


def _named(system: str) -> str:
    return _NAMES.get(system.replace("_", "-"), system)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _of(part: int, whole: int, low: float, high: float) -> tuple[str, str]:
    return f"{part:,} of {whole:,}", f"{_percent(low)} to {_percent(high)}"


def decency_summary() -> str:
    """Systems by the share of decent runs."""
    figures = results("decency", Decency)
    head = ("", "decent", "95% interval", "with a whole plan", "model calls a run", "median seconds")
    rows = [
        (
            _named(each.system),
            *_of(each.decent, each.runs, each.low, each.high),
            f"{each.whole:,}",
            f"{each.model_calls / each.runs:.1f}",
            f"{each.seconds:.1f}",
        )
        for each in figures.systems
    ]
    return "\n".join([*_table(head, rows), "", f"{figures.machine}."])


def decency_violations() -> str:
    """What went wrong, by kind: runs in which it did."""
    figures = results("decency", Decency)
    kinds = [kind for kind in _KINDS if any(kind in each.violations for each in figures.systems)]
    kinds += sorted({kind for each in figures.systems for kind in each.violations} - set(kinds))
    head = ("runs with", *(_named(each.system) for each in figures.systems))
    rows = [(_KINDS.get(kind, kind), *(f"{each.violations.get(kind, 0):,}" for each in figures.systems)) for kind in kinds]
    costs = [("tokens a run (estimated)", *(f"{each.tokens / each.runs:,.0f}" for each in figures.systems))]
    versions = ", ".join(f"{_named(each.system).strip('*')} {each.version}" for each in figures.systems if each.version)
    return "\n".join([*_table(head, [*rows, *costs]), "", f"{versions}. {figures.machine}."])


def decency_temperaments() -> str:
    """Decent runs by how the model behaves."""
    figures = results("decency", Decency)
    head = ("the model is", *(_named(each.system) for each in figures.systems))
    names = dict.fromkeys(name for each in figures.systems for name in each.temperaments)
    rows = [(name, *(_share(each.temperaments.get(name)) for each in figures.systems)) for name in names]
    return "\n".join(_table(head, rows))


def _share(share: Share | None) -> str:
    return "–" if share is None else f"{share.decent} of {share.runs}"


def decency_ablation() -> str:
    """What goes wrong where one guard is missing."""
    figures = results("decency", Decency)
    rows = [(each.system, *_of(each.decent, each.runs, each.low, each.high), _commonest(each.violations)) for each in figures.ablation]
    return "\n".join(_table(("ring", "decent", "95% interval", "what goes wrong"), rows))


def _commonest(violations: Mapping[str, int]) -> str:
    most = sorted(violations.items(), key=lambda item: (-item[1], item[0]))[:3]
    return ", ".join(f"{_KINDS.get(kind, kind)} {count}" for kind, count in most) or "nothing"


def overhead_summary() -> str:
    """CPU time of a run as a ratio, systems by turns."""
    return _ratios(lambda _: True)


def overhead_brief() -> str:
    """The same for those that the README speaks of."""
    return _ratios(lambda name: name in _SPOKEN_OF)


def _ratios(wanted: Callable[[str], bool]) -> str:
    figures = results("overhead", Overhead)
    found = {(each.system, each.k): each for each in figures.systems if wanted(each.system.replace("_", "-"))}
    sizes = sorted({k for _, k in found})
    names = sorted({name for name, _ in found}, key=lambda name: next(found[name, k].ratio for k in sizes if (name, k) in found))
    rows = [(_named(name), *(f"{found[name, k].ratio:.2f}" if (name, k) in found else "–" for k in sizes)) for name in names]
    return "\n".join([*_table(("CPU time, as a ratio", *(f"{k} tool turns" for k in sizes)), rows), "", f"{figures.machine}."])


def cores() -> str:
    """How many cores and runs at the same time two sizes of a service need."""
    figures = results("overhead", Overhead)
    took = {each.k: each.cpu_ms for each in figures.systems if each.system == "handrail"}
    rows = [_needs(sessions, took[4]) for sessions in (10_000, 1_000_000)]
    head = ("", *(f"{sessions:,} sessions" for sessions in (10_000, 1_000_000)))
    lines = zip(
        (
            "messages a day",
            "in the busiest hour, a second",
            "cores for runs",
            "runs at the same time",
            "workers at 100 sessions each",
            "at 500",
        ),
        *rows,
        strict=True,
    )
    measured = f"A whole run with 4 turns of tools takes {took[4]:.1f} ms of CPU, one with 16 {took[16]:.1f} ms."
    return "\n".join([measured, "", *_table(head, list(lines))])


def _needs(sessions: int, milliseconds: float) -> tuple[str, ...]:
    """20 messages a day each, a fifth of them in the busiest hour, and 20 seconds a run."""
    daily = sessions * 20
    second = round(daily / 5 / 3600)
    at_once = second * 20
    return (
        f"{sessions:,} × 20 = {daily:,}",
        f"{daily:,} ÷ 5 ÷ 3,600 = {second:,}",
        f"{second:,} × {milliseconds:.1f} ms = {second * milliseconds / 1000:.2g}",
        f"{second:,} × 20 s = {at_once:,}",
        f"{-(-at_once // 100):,}",
        f"{-(-at_once // 500):,}",
    )


def throughput_table() -> str:
    """Jobs a second by the number of workers."""
    figures = results("throughput", Throughput)
    kinds = {"handrail": "handrail", "hand": "by hand", "empty": "empty jobs"}
    head = ("workers", *(f"{name}: jobs a second, CPU a job" for name in kinds.values()), "handrail / by hand")
    rows = [
        (
            str(rate.workers),
            *(f"{rate.jobs_per_second[kind]:.0f}, {rate.cpu_per_job[kind]:.2f} ms" for kind in kinds),
            f"{rate.ratio:.2f}",
        )
        for rate in figures.rates
    ]
    times = (
        f"From asking to 202: {figures.taken_on.p50:.0f} ms (95% within {figures.taken_on.p95:.0f} ms). "
        f"To the first event: {figures.first_event.p50:.0f} ms (95% within {figures.first_event.p95:.0f} ms)."
    )
    return "\n".join([*_table(head, rows), "", times])


def throughput_summary() -> str:
    """The same in a sentence."""
    figures = results("throughput", Throughput)
    rates = {rate.workers: rate.jobs_per_second["handrail"] for rate in figures.rates}
    return (
        f"On one machine, PostgreSQL included: {rates[1]:.0f} jobs a second with one worker, {rates[2]:.0f} with two; "
        f"the first event comes {figures.first_event.p50:.0f} ms after the message."
    )


def weak_model_summary() -> str:
    """Tasks done right, by model, app and way; the held-out half alone."""
    figures = results("weak_model", WeakModel)
    head = ("model", "app", "how", "right", "95% interval", "median seconds")
    rows = [
        (
            f"{each.model}, {each.size / 1e9:.1f} GB",
            each.app,
            _WAYS.get(each.system, each.system),
            *_of(each.right, each.tasks, each.low, each.high),
            f"{each.seconds:.0f}",
        )
        for each in sorted(figures.systems, key=lambda each: (-each.size, each.app, list(_WAYS).index(each.system)))
        if each.half == "held-out"
    ]
    return "\n".join([*_table(head, rows), "", f"{figures.machine}."])
