"""From what somebody wrote on the command line to an agent: an installed app, `module:name`, or `path/to/file.py:name`.

- The name may be an `Agent`, a function that gives one, or an `App`. What is wrong is said together with what there is.
- Modules beside which one stands are found: the current folder is searched, and so is the folder of a file.
- What the module itself raises is the cause of a `BrokenModule`: its traceback is the best help, and `told()` shows it.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from handrail.cli.telling import BrokenModule
from handrail.core.agent import Agent
from handrail.errors import HandrailError, InputError
from handrail.service.apps import App, find_app

FORMS = "an app's name, module:agent, or path/to/file.py:agent"


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, and the app that it belongs to, if it belongs to one."""

    agent: Agent
    app: App | None = None


def load_agent(reference: str) -> Agent:
    """The agent that the reference names.

    Raises:
        InputError: it names none; the text says what there is.
    """
    return load(reference).agent


def load(reference: str) -> Loaded:
    """The agent that the reference names, and its app.

    Raises:
        InputError: it names none; the text says what there is.
    """
    place, colon, name = reference.rpartition(":")
    if not colon:
        if reference.endswith(".py"):
            module = _file(Path(reference))
            raise InputError(f"say which agent of {reference}: {_there(module, reference)}")
        with _theirs(reference):
            app = find_app(reference)
        return _of_app(app, reference)
    if not place or not name:
        raise InputError(f"{reference!r} names no agent; give {FORMS}")
    module = _file(Path(place)) if place.endswith(".py") else _module(place)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{place} has no {name!r}; {_there(module, place)}")
        found = getattr(found, part)
    return _loaded(found, reference)


def _loaded(found: Any, reference: str) -> Loaded:
    if isinstance(found, App):
        return _of_app(found, reference)
    if not isinstance(found, Agent) and callable(found) and not isinstance(found, type):
        with _theirs(reference):
            found = found()
    if not isinstance(found, Agent):
        raise InputError(f"{reference!r} is a {type(found).__name__}; it should be an Agent, a function that gives one, or an App")
    return Loaded(agent=found)


def _of_app(app: App, reference: str) -> Loaded:
    with _theirs(reference):
        return Loaded(agent=app.agent(), app=app)


@contextmanager
def _theirs(place: str) -> Iterator[None]:
    """Around code that is somebody's own: what handrail says about it goes through, everything else breaks it."""
    try:
        yield
    except HandrailError:
        raise
    except (Exception, SystemExit) as error:
        raise BrokenModule(f"{place} cannot be loaded: it raised {type(error).__name__}") from error


def _module(name: str) -> ModuleType:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        with _theirs(name):
            return importlib.import_module(name)
    except BrokenModule as broken:
        missing = getattr(broken.__cause__, "name", None) if isinstance(broken.__cause__, ModuleNotFoundError) else None
        if missing is None or not f"{name}.".startswith(f"{missing}."):
            raise
        raise InputError(f"there is no module {name!r} here or among what is installed; give {FORMS}") from broken


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}; give {FORMS}")
    name = path.stem
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise InputError(f"{str(path)!r} cannot be read as a Python module")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = importlib.util.module_from_spec(specification)
    sys.modules.setdefault(name, module)
    with _theirs(str(path)):
        specification.loader.exec_module(module)
    return module


def _there(module: ModuleType, place: str) -> str:
    names = sorted(name for name, value in vars(module).items() if isinstance(value, Agent | App))
    return f"it has {', '.join(f'{place}:{name}' for name in names)}" if names else "it has no Agent and no App by name"
