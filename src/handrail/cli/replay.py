"""`handrail replay`: a journal judged again with today's ring. Exit 0 if it judges the same, 1 if not, 2 if it was asked wrongly."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from handrail.check.replay import Replay, replayed
from handrail.check.sentences import happened, names_in
from handrail.cli.loading import load_agent
from handrail.cli.telling import told
from handrail.cli.visible import visible
from handrail.codec import encode
from handrail.core.agent import Agent
from handrail.core.events import INPUTS, Event, RunStarted
from handrail.errors import InputError
from handrail.stores.journals import read_file


def command(
    journal: Annotated[Path, typer.Argument(help="The journal, such as the one that chat --journal wrote.", show_default=False)],
    *,
    app: Annotated[str, typer.Option(help="The agent of today: an app, module:agent, or path/to/file.py:agent.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Judge a journal again, and show where today's ring judges otherwise."""
    with told():
        if not journal.is_file():
            raise InputError(f"there is no journal {str(journal)!r}; chat --journal FILE writes one")
        agent = load_agent(app)
        replay = replayed(agent, _events(journal, agent))
    typer.echo(_json(replay) if json else visible(_text(replay)))
    raise typer.Exit(0 if replay.difference is None else 1)


def _events(journal: Path, agent: Agent) -> tuple[Event, ...]:
    try:
        events = read_file(journal)
    except OSError as error:
        raise InputError(f"{str(journal)!r} cannot be read ({error.strerror})") from error
    first = events[0] if events else None
    if isinstance(first, RunStarted) and first.agent != agent.name:
        raise InputError(f"{journal} is the journal of the agent {first.agent!r}, not of {agent.name!r}; give that agent with --app")
    return events


def _json(replay: Replay) -> str:
    found = replay.difference
    fields = {
        "same": found is None,
        "events": replay.events,
        "difference": None if found is None else {"seq": found.seq, "recorded": _event(found.recorded), "today": _event(found.today)},
        "follows": [_event(event) for event in replay.follows],
        "unfit": [{"seq": unfit.seq, "code": unfit.code, "input": _event(unfit.input)} for unfit in replay.unfit],
    }
    return msgspec.json.format(msgspec.json.encode(fields), indent=2).decode()


def _event(event: Event | None) -> Any:
    return None if event is None else msgspec.json.decode(encode(event))


def _text(replay: Replay) -> str:
    found = replay.difference
    if found is None:
        return f"The same: today's ring judges all {replay.events} events as they are recorded."
    names = {**found.names, **names_in(replay.follows)}
    lines = [f"Event {found.seq} of {replay.events} (counting from 0) is judged otherwise:"]
    lines.append(f"  recorded  {_words(found.recorded, names)}")
    lines.append(f"  today     {_words(found.today, names)}")
    lines.extend(["", "What follows today:"] if replay.follows else [])
    lines.extend(f"  {'' if isinstance(event, INPUTS) else '  '}{_words(event, names)}" for event in replay.follows)
    if replay.unfit:
        lines.extend(["", "Recorded inputs that no longer fit:"])
        lines.extend(f"  {unfit.seq}: {_words(unfit.input, names_in((unfit.input,)) | names)} ({unfit.code})" for unfit in replay.unfit)
    return "\n".join(lines)


def _words(event: Event | None, names: dict[str, str]) -> str:
    return "nothing" if event is None else happened(event, names)
