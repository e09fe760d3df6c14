"""What may be written on a command line for an agent, and what is said where it names none."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail import Agent
from handrail.cli.loading import load, load_agent
from handrail.cli.telling import BrokenModule
from handrail.errors import InputError

SOURCE = """
from beside import NAME
from handrail import Agent
agent = Agent(name=NAME, instructions="", model="m")
class Box:
    inside = Agent(name="inside", instructions="", model="m")
def make():
    return Agent(name="made", instructions="", model="m")
number = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with `mine_for_loading.py` in it, as the current one; what it imports is forgotten afterwards."""
    (tmp_path / "mine_for_loading.py").write_text(SOURCE)
    (tmp_path / "beside.py").write_text("NAME = 'mine'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("mine_for_loading:agent", "mine"),
        ("mine_for_loading:make", "made"),
        ("mine_for_loading:Box.inside", "inside"),
        ("mine_for_loading.py:agent", "mine"),
        ("./mine_for_loading.py:make", "made"),
    ],
)
def test_an_agent_is_found_in_a_module_and_in_a_file(reference: str, name: str, here: Path) -> None:
    assert load_agent(reference).name == name


def test_a_file_elsewhere_finds_what_is_beside_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert load_agent(f"{here}/mine_for_loading.py:agent").name == "mine"


def test_an_installed_app_is_found_by_its_name() -> None:
    loaded = load("orders")
    assert isinstance(loaded.agent, Agent)
    assert loaded.app is not None and loaded.app.name == "orders"
    assert load("handrail.apps.orders:app").app == loaded.app


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("mine_for_loading.py", "say which agent of mine_for_loading.py: it has mine_for_loading.py:agent"),
        ("mine_for_loading:nope", "mine_for_loading has no 'nope'; it has mine_for_loading:agent"),
        ("mine_for_loading:number", "is a int; it should be an Agent, a function that gives one, or an App"),
        ("mine_for_loading:Agent", "is a type; it should be an Agent"),
        ("beside:NAME", "is a str"),
        ("beside:x", "it has no Agent and no App by name"),
        ("no_such_module_here:agent", "there is no module 'no_such_module_here'"),
        ("mine_for_loading.deeper:agent", "there is no module 'mine_for_loading.deeper'"),
        ("nope.py:agent", "there is no file 'nope.py'"),
        (":agent", "names no agent"),
        ("mine_for_loading:", "names no agent"),
        ("nobody", "there is no app 'nobody'; installed are: "),
    ],
)
def test_what_names_no_agent_is_told_what_there_is(reference: str, what: str, here: Path) -> None:
    with pytest.raises(InputError) as error:
        load(reference)
    assert what in str(error.value)


def test_what_the_module_itself_raises_is_the_cause_of_what_is_told(here: Path) -> None:
    (here / "raises_for_loading.py").write_text("import a_module_that_is_not_there_at_all\n")
    with pytest.raises(BrokenModule, match="raises_for_loading cannot be loaded: it raised ModuleNotFoundError") as missing:
        load("raises_for_loading:agent")
    assert isinstance(missing.value.__cause__, ModuleNotFoundError)
    (here / "raises_for_loading.py").write_text("1 / 0\n")
    with pytest.raises(BrokenModule) as divided:
        load("raises_for_loading.py:agent")
    assert isinstance(divided.value.__cause__, ZeroDivisionError)


def test_a_function_that_raises_instead_of_giving_an_agent_is_the_cause_too(here: Path) -> None:
    (here / "gives_for_loading.py").write_text("def make():\n    raise KeyError('x')\n")
    with pytest.raises(BrokenModule) as broken:
        load("gives_for_loading:make")
    assert isinstance(broken.value.__cause__, KeyError)
