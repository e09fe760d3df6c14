"""What an app is, and how apps are found: the entry point group `handrail.apps`, so that a user's own app is served the same way as ours.

- An app's package imports nothing that an extra brings. What does is named by its place, and imported when it is used (`later`).
- Only what is asked for is loaded: an app that is broken does not stop another one.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.errors import InputError
from handrail.models.rehearsal.scenario import Scenario
from handrail.vocab.facts import Noted
from handrail.vocab.outcomes import Outcome

GROUP = "handrail.apps"


def _none() -> Sequence[Scenario]:
    return ()


class Beside(msgspec.Struct, frozen=True):
    """What an app's interface has to say beside a message: notes for the model, and facts that it knows."""

    notes: Sequence[str] = ()
    facts: Sequence[Noted] = ()


class OtherLoop(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls the model and the tools in the place of handrail's own loop, in a conversation in a terminal.

    Args:
        name: what people call it.
        setting: the variable that has chosen it.
        talk: `module:function` for one message: `await function(agent, message, *, model, deps, history, ask, on_event)` gives something
            with `outcome`, and with `history` for the next message.
    """

    name: str
    setting: str
    talk: str


class App(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, and what belongs to it.

    Args:
        name: what people call it by, such as `orders`; the same as its entry point's.
        summary: one line.
        agent: makes the agent.
        deps: opens what the tools need (`ToolContext.deps`), for as long as the service or the command runs.
        ready: looks at the open deps, and says what is missing and what to do; `None` where nothing is.
        scenarios: what the rule-based stand-in does for this app.
        routes: a module whose `router(serving)` gives an `APIRouter`; imported by the service only.
        seed: a module whose `async def seed() -> str` fills in made-up data and says what it did.
        example: a message to begin with.
        shown: the result as people read it in a terminal, where it is no text; as JSON if not given.
        page: the path of its page, where it has one.
        beside: `module:function` that is asked before each message of a page: `await function(deps, user_id, session_id)` gives `Beside`.
        loop: `module:function` that says under whose loop `handrail chat` runs it: `OtherLoop`, or `None` for handrail's own.
        open_routes: the paths that ask for no key, each with the reason. A route that is not here is not served.
    """

    name: str
    summary: str
    agent: Callable[[], Agent]
    deps: Callable[[], AbstractAsyncContextManager[Any]] | None = None
    ready: Callable[[Any], Awaitable[str | None]] | None = None
    scenarios: Callable[[], Sequence[Scenario]] = _none
    routes: str | None = None
    seed: str | None = None
    example: str = ""
    shown: Callable[[Outcome], str] | None = None
    page: str | None = None
    beside: str | None = None
    loop: str | None = None
    open_routes: Mapping[str, str] = {}


def later(place: str) -> Callable[..., Any]:
    """What `module:name` names, imported when it is first called: an app's package stays free of what an extra brings."""

    def call(*arguments: Any) -> Any:
        return named(place)(*arguments)

    return call


def named(place: str) -> Any:
    """What `module:name` names.

    Raises:
        InputError: there is no such module or no such name in it, or an extra is missing.
    """
    module, _, name = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        own = module == error.name or module.startswith(f"{error.name}.")
        cure = (
            "is its name right, and is it installed?"
            if own
            else "install handrail with the extra that brings it, such as handrail[service]"
        )
        raise InputError(f"{place!r} needs the module {error.name!r}, which is not there: {cure}") from error
    except AttributeError as error:
        raise InputError(f"module {module!r} has no {name!r}") from error
    return found


def find_apps() -> Mapping[str, App]:
    """Every installed app by name, in the order of their names.

    Raises:
        InputError: one of them cannot be loaded; the text says which one, and why. Whoever wants the traceback asks for that app alone.
    """
    return {name: _one_of_all(entry) for name, entry in sorted(_entries().items())}


def find_app(name: str) -> App:
    """The installed app of that name, or the one that `module:name` names.

    Raises:
        InputError: there is none, or it cannot be loaded.
    """
    if ":" in name:
        return _app(named(name), name)
    entries = _entries()
    if name not in entries:
        known = ", ".join(sorted(entries)) or "none"
        raise InputError(f"there is no app {name!r}; installed are: {known}. An app of your own can be given as module:name")
    return _loaded(entries[name])


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint) -> App:
    return _app(named(entry.value), entry.name)


def _one_of_all(entry: EntryPoint) -> App:
    said = f"the installed app {entry.name!r} cannot be loaded"
    try:
        return _loaded(entry)
    except InputError as error:
        raise InputError(f"{said}: {error}") from error
    except (Exception, SystemExit) as error:
        raise InputError(f"{said}: it raised {type(error).__name__}: {error}") from error


def _app(found: Any, name: str) -> App:
    if not isinstance(found, App):
        raise InputError(f"{name!r} leads to a {type(found).__name__}; an app is a handrail.service.App")
    return found
