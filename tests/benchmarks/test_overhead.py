"""The overhead benchmark measures what it says: structure only, no test looks at a time."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.overhead import __main__ as command
from benchmarks.overhead import measuring, systems
from benchmarks.overhead.agent import weather
from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.crowds import Crowd
from benchmarks.overhead.measuring import TARGETS, Plan
from benchmarks.overhead.processes import Counted, LostError, Process, Server, Worker, environment, running, serving, working
from benchmarks.overhead.report import Report, this_machine
from benchmarks.overhead.server import BY_TOOL, Connection, Script
from benchmarks.overhead.systems import REFERENCE, SYSTEMS, pythons
from benchmarks.overhead.tables import with_tables
from benchmarks.overhead.task import ANSWER, COUNTRY, DECLARATIONS, MOST_TURNS, capital_of, city, prompt, tools, weather_in
from benchmarks.peers.catalogue import PEERS
from handrail.testing import check_request
from tests.benchmarks.environments import environment_of

OWN = [name for name, system in SYSTEMS.items() if not system.peer]
OTHERS = [name for name, system in SYSTEMS.items() if system.peer]
PATH = b"/v1/chat/completions"
LITTLE = command.Amount(plans=(Plan(1, 2, 1, 1), Plan(2, 1, 1, 1)), crowds=(Crowd(2, 0, 1),), imports=0)


class Watched(Script):
    """The script, with the requests that came."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []

    def answer(self, target: bytes, body: bytes) -> tuple[int, bytes]:
        if body:
            self.bodies.append(json.loads(body))
        return super().answer(target, body)


class Here:
    """The server within the test, and what it was sent."""

    def __init__(self, script: Watched, url: str) -> None:
        self.script = script
        self.url = url

    async def run(self, name: str, turns: int) -> str:
        self.script.bodies.clear()
        contestant: Contestant[Any] = import_module(SYSTEMS[name].module).Loop(self.url)
        try:
            return await contestant.run(contestant.agent(), turns)
        finally:
            await contestant.close()


@pytest.fixture
async def server() -> AsyncIterator[Here]:
    script = Watched()
    serving = await asyncio.get_running_loop().create_server(lambda: Connection(script.answer), "127.0.0.1", 0)
    async with serving:
        yield Here(script, f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}/v1")


def without_ids(body: dict[str, Any]) -> dict[str, Any]:
    """A request with the ids of its calls counted through, since the server makes new ones for each run."""
    text, ids = json.dumps(body, sort_keys=True), dict[str, str]()
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            ids[call["id"]] = f"call {len(ids)}"
    for id, name in ids.items():
        text = text.replace(id, name)
    return dict(json.loads(text))


@pytest.mark.parametrize("name", OWN)
async def test_a_contestant_does_the_whole_task(name: str, server: Here) -> None:
    assert await server.run(name, 4) == ANSWER
    assert len(server.script.bodies) == 5
    assert [check_request(body) for body in server.script.bodies] == [[]] * 5
    last = server.script.bodies[-1]["messages"]
    assert [message["content"] for message in last if message["role"] == "tool"] == [
        "The capital of Norland is City-000.",
        "It is sunny in City-000, 21 degrees. The next city is City-001.",
        "It is sunny in City-001, 21 degrees. The next city is City-002.",
        "It is sunny in City-002, 21 degrees. The next city is City-003.",
    ]


@pytest.mark.parametrize("name", [name for name in OWN if name != REFERENCE])
async def test_a_contestant_of_ours_sends_what_the_reference_sends(name: str, server: Here) -> None:
    await server.run(REFERENCE, 3)
    wanted = [without_ids(body) for body in server.script.bodies]
    await server.run(name, 3)
    assert [without_ids(body) for body in server.script.bodies] == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_a_peer_does_the_whole_task_alone_and_in_company(name: str) -> None:
    python = environment_of(name)
    with serving() as server, working(name, python, server) as worker:
        took, sent = worker.ask(turns=3, runs=1)
        assert len(took) == 1 and sent > 1_000
        said, _ = worker.ask(turns=2, runs=3, together=True)
        assert said["peak_mb"] > 0


def test_every_peer_has_an_environment_and_a_file_of_its_own() -> None:
    folder = Path(systems.__file__).with_name("peers")
    assert sorted(OTHERS) == sorted(path.stem for path in folder.glob("[a-z]*.py"))
    assert set(OTHERS) <= set(PEERS)


def test_every_file_of_a_peer_imports_nothing_of_handrail() -> None:
    texts = {name: Path(systems.__file__).with_name("peers").joinpath(f"{name}.py").read_text(encoding="utf-8") for name in OTHERS}
    assert [name for name, text in texts.items() if "from handrail" in text or "import handrail" in text] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (PATH, "{}"),
        (b"/v1/models", prompt(4)),
        (PATH, f'{prompt(4)} "tool_call_id" {weather_in(city(0))}'),
        (PATH, f'{prompt(4)} "tool_call_id" {capital_of(COUNTRY)} "tool_call_id" {weather_in(city(7))}'),
        (PATH, f'{prompt(1)} "tool_call_id" {capital_of(COUNTRY)} "tool_call_id" {weather_in(city(0))}'),
    ],
    ids=["no script", "another path", "another first result", "another last result", "more results than turns"],
)
def test_a_request_that_fits_no_script_is_refused_and_not_counted(path: bytes, body: str) -> None:
    script = Script()
    assert script.answer(path, body.encode())[0] == 400
    assert json.loads(script.answer(b"/stats", b"")[1]) == {"requests": 0, "bytes": 0}


@pytest.mark.parametrize(("path", "result"), [(PATH, '"tool_call_id"'), (BY_TOOL, "Observation:\\n")])
def test_the_script_goes_on_from_the_results_that_a_request_holds(path: bytes, result: str) -> None:
    script = Script()
    called = [f"{result}{capital_of(COUNTRY)}", f"{result}{weather_in(city(0))}"]
    replies = [json.loads(script.answer(path, " ".join([prompt(2), *called[:done]]).encode())[1]) for done in range(3)]
    messages = [reply["choices"][0]["message"] for reply in replies]
    assert [messages[done]["tool_calls"][0]["function"]["name"] for done in range(2)] == ["find_capital", "get_weather"]
    assert ANSWER in json.dumps(messages[2])
    assert bool(messages[2].get("tool_calls")) is (path == BY_TOOL)


async def test_the_server_counts_since_it_was_last_asked(server: Here) -> None:
    await server.run(REFERENCE, 2)
    assert json.loads(server.script.answer(b"/stats", b"")[1])["requests"] == 3
    assert json.loads(server.script.answer(b"/stats", b"")[1])["requests"] == 0


def test_the_ring_has_six_guards_and_the_three_tools_are_declared_as_by_hand() -> None:
    assert len(weather().guards) == 6 and len(DECLARATIONS) == 3
    assert [json.loads(msgspec.json.encode(tool.declaration)) for tool in weather().tools.values()] == DECLARATIONS


def test_tools_are_new_each_time_and_the_same_to_look_at() -> None:
    one, other = tools()[0], tools()[0]
    assert one is not other
    assert (one.__name__, one.__doc__, one.__annotations__) == (other.__name__, other.__doc__, other.__annotations__)


def test_the_plans_cover_the_targets_and_fit_the_task() -> None:
    for amount in (command.FULL, command.SHORT):
        assert [plan.turns for plan in amount.plans] == [4, 16, 64]
        assert {k for targets in TARGETS.values() for k in targets} <= {plan.turns for plan in amount.plans}
        assert max(plan.turns for plan in amount.plans) <= MOST_TURNS
    assert set(TARGETS) <= set(SYSTEMS)
    assert [(crowd.runs, crowd.latency_ms) for crowd in command.FULL.crowds] == [(100, 0), (500, 200)]


def test_whoever_is_slow_makes_fewer_runs() -> None:
    assert [Plan(4, 1, 8, 2).runs_of(name) for name in ("hand", "transport", "handrail", "aiohttp", "langchain")] == [2, 8, 8, 8, 2]


class Fixed(Worker):
    """A worker that says what it was told to, or has ended."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def ask(self, turns: int, runs: int, **wanted: Any) -> tuple[Any, int]:
        if self._seconds is None:
            raise LostError("it has ended")
        return [self._seconds] * runs, 100 * turns


def test_a_peer_that_cannot_do_it_is_left_out_after_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    workers: dict[str, Worker] = {"hand": Fixed(0.02), "aiohttp": Fixed(0.01), "agno": Fixed(None)}
    found = measuring.rounds(workers, Plan(4, 2, 1, 1))
    assert [(each.system, each.ratio, each.bytes) for each in found] == [("hand", 1.0, 400), ("aiohttp", 0.5, 400)]
    assert list(workers) == ["hand", "aiohttp"]
    assert "agno is left out: it has ended" in capsys.readouterr().err


def test_handrail_that_cannot_do_it_is_an_error() -> None:
    with pytest.raises(LostError):
        measuring.rounds({"hand": Fixed(0.02), "aiohttp": Fixed(None)}, Plan(4, 1, 1, 1))


def test_a_process_that_ends_early_is_lost_with_its_last_words() -> None:
    with (
        running([sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit('no such thing')"]) as process,
        pytest.raises(LostError, match="no such thing"),
    ):
        process.ask(turns=1)


class Saying(Process):
    """A process that says one thing."""

    def __init__(self) -> None:
        pass

    def ask(self, **wanted: Any) -> Any:
        return [0.01]


class Counting(Server):
    """A server that has had so many requests of 100 bytes."""

    def __init__(self, requests: int) -> None:
        self._requests = requests

    def counted(self) -> Counted:
        return Counted(self._requests, 100 * self._requests)


def test_a_contestant_that_makes_more_or_fewer_requests_than_the_task_has_is_lost() -> None:
    assert Worker(Saying(), Counting(4)).ask(turns=1, runs=1) == ([0.01], 200)
    for requests in (3, 5):
        with pytest.raises(LostError, match=f"{requests} requests instead of 4"):
            Worker(Saying(), Counting(requests)).ask(turns=1, runs=1)


def test_no_process_sees_keys_or_settings_and_none_calls_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HANDRAIL_SECRET", "https_proxy", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PATH", "/somewhere")
    seen = environment()
    assert {"OPENAI_API_KEY", "HANDRAIL_SECRET", "https_proxy", "PYTHONDONTWRITEBYTECODE"}.isdisjoint(seen)
    assert (seen["PATH"], seen["AGNO_TELEMETRY"]) == ("/somewhere", "false")


def test_the_short_form_makes_no_environment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(systems, "made", lambda name: None)
    assert pythons(["handrail", "agno"], make=False) == {"handrail": Path(sys.executable)}
    assert "agno is left out" in capsys.readouterr().err


def test_the_written_down_figures_are_whole_and_are_those_that_the_page_shows() -> None:
    written = msgspec.json.decode(command.RESULT.read_bytes(), type=Report)
    names = [each.system for each in written.systems if each.k == 4]
    assert set(OWN) <= set(names)
    assert [(each.k, each.system) for each in written.systems] == [(k, name) for k in (4, 16, 64) for name in names]
    assert all(
        set(OWN) <= {each.system for each in written.concurrent if each.runs == runs} for runs in {each.runs for each in written.concurrent}
    )
    page = command.PAGE.read_text(encoding="utf-8")
    assert with_tables(page, written) == page, "run `python -m benchmarks.overhead`: it writes both"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["figures.json", "-"])
def test_the_command_starts_all_processes_and_writes_the_figures(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["--short", "--system", "handrail", "--system", "aiohttp", "--json", target]
    command.main(asked, short=LITTLE)
    printed = capsysbinary.readouterr().out
    figures = msgspec.json.decode(printed if target == "-" else Path(target).read_bytes(), type=Report)
    names = ("hand", "handrail", "aiohttp")
    assert [(each.system, each.k, each.rounds) for each in figures.systems] == [
        *((name, 1, 2) for name in names),
        *((name, 2, 1) for name in names),
    ]
    assert [(each.system, each.runs) for each in figures.concurrent] == [(name, 2) for name in names]
    assert figures.machine == this_machine()
    assert (b"| handrail.run" in printed.replace(b"**", b"")) is (target != "-")
