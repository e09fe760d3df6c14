"""The overhead benchmark measures what it says: structure only, no test looks at a time."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openai import AsyncOpenAI

from benchmarks.overhead import __main__ as command
from benchmarks.overhead.contestants import CONTESTANTS
from benchmarks.overhead.measuring import PLANS, REFERENCE, TARGETS, Measured, Plan, measured
from benchmarks.overhead.report import MADE, Report, as_json, report, table, this_machine, with_table
from benchmarks.overhead.server import Connection, Script
from benchmarks.overhead.task import AGENT, ANSWER, MOST_TURNS, TOOLS, prompt
from handrail.testing import check_request

ROOT = Path(__file__).parents[2]
MEDIANS = {
    "hand": [0.010, 0.020, 0.010, 0.010],
    "transport": [0.004, 0.008, 0.004, 0.004],
    "handrail": [0.005, 0.010, 0.005, 0.006],
    "aiohttp": [0.001, 0.002, 0.001, 0.001],
}


class Watched(Script):
    """The script, with the requests that came."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []

    def answer(self, target: bytes, body: bytes) -> tuple[int, bytes]:
        if body:
            self.bodies.append(json.loads(body))
        return super().answer(target, body)


class Server:
    def __init__(self, script: Watched, url: str) -> None:
        self.script = script
        self.url = url

    async def run(self, name: str, turns: int) -> str:
        self.script.bodies.clear()
        async with AsyncOpenAI(base_url=self.url, api_key="x", max_retries=0) as client:
            return await CONTESTANTS[name](client)(turns)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    script = Watched()
    serving = await asyncio.get_running_loop().create_server(lambda: Connection(script.answer), "127.0.0.1", 0)
    async with serving:
        yield Server(script, f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}/v1")


def without_ids(body: dict[str, Any]) -> dict[str, Any]:
    """A request with the ids of its calls counted through, since the server makes new ones for each run."""
    text, ids = json.dumps(body, sort_keys=True), dict[str, str]()
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            ids[call["id"]] = f"call {len(ids)}"
    for id, name in ids.items():
        text = text.replace(id, name)
    return dict(json.loads(text))


@pytest.mark.parametrize("name", CONTESTANTS)
async def test_a_contestant_does_the_whole_task(name: str, server: Server) -> None:
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


@pytest.mark.parametrize("name", [name for name in CONTESTANTS if name != REFERENCE])
async def test_a_contestant_sends_what_the_reference_sends(name: str, server: Server) -> None:
    await server.run(REFERENCE, 3)
    wanted = [without_ids(body) for body in server.script.bodies]
    await server.run(name, 3)
    assert [without_ids(body) for body in server.script.bodies] == wanted


def test_a_request_without_a_script_is_refused_and_not_counted() -> None:
    script = Script()
    assert script.answer(b"/v1/chat/completions", b"{}")[0] == 400
    assert script.answer(b"/v1/models", prompt(4).encode())[0] == 400
    assert json.loads(script.answer(b"/stats", b"")[1]) == {"requests": 0, "bytes": 0}


async def test_the_server_counts_since_it_was_last_asked(server: Server) -> None:
    await server.run(REFERENCE, 2)
    assert json.loads(server.script.answer(b"/stats", b"")[1])["requests"] == 3
    assert json.loads(server.script.answer(b"/stats", b"")[1])["requests"] == 0


def test_the_ring_has_six_guards_and_the_task_has_three_tools() -> None:
    assert len(AGENT.guards) == 6
    assert len(TOOLS) == 3


def test_the_plans_cover_the_targets_and_fit_the_task() -> None:
    assert [plan.turns for plan in PLANS] == [4, 16, 64]
    assert set(TARGETS) <= set(CONTESTANTS)
    assert {k for targets in TARGETS.values() for k in targets} <= {plan.turns for plan in PLANS}
    assert max(plan.turns for plan in PLANS) <= MOST_TURNS


def test_the_slow_reference_makes_fewer_runs() -> None:
    assert [Plan(4, 1, 8, 2).runs_of(name) for name in CONTESTANTS] == [2, 8, 8, 8]


def of(name: str, k: int) -> Measured:
    """What a contestant cost by these medians."""
    return next(each for each in measured(Plan(k, 4, 1, 1), MEDIANS) if each.system == name)


def test_a_ratio_is_taken_within_a_round() -> None:
    assert of("hand", 4).ratio == 1.0
    assert of("handrail", 4).ratio == pytest.approx(0.5)
    assert of("handrail", 4).quartiles[1] > 0.5
    assert of("handrail", 4).cpu_ms == pytest.approx(5.5)


@pytest.mark.parametrize(
    ("name", "k", "kept"), [("aiohttp", 4, True), ("aiohttp", 64, False), ("handrail", 4, False), ("handrail", 16, None), ("hand", 4, None)]
)
def test_a_target_is_kept_where_the_ratio_is_not_above_it(name: str, k: int, kept: bool | None) -> None:
    assert of(name, k).kept is kept


def test_the_table_says_whether_a_target_is_kept_and_what_the_runtime_costs() -> None:
    printed = table(report([*measured(Plan(64, 4, 1, 1), MEDIANS), *measured(Plan(4, 4, 1, 1), MEDIANS)]))
    assert printed.index("\n4 tool turns") < printed.index("\n64 tool turns")
    assert "at most 0.12: kept" in printed and "at most 0.03: NOT kept" in printed
    assert "1.50 ms  375 µs a turn" in printed


def test_the_json_holds_everything_that_the_table_needs() -> None:
    made = report(measured(Plan(4, 4, 1, 1), MEDIANS))
    read = msgspec.json.decode(as_json(made), type=Report)
    assert table(read) == table(made)
    assert read.machine == this_machine()


def test_the_json_has_a_line_for_each_system_and_number_of_turns() -> None:
    first = json.loads(as_json(report(measured(Plan(4, 4, 1, 1), MEDIANS))))["systems"][2]
    assert {name: first[name] for name in ("system", "k", "ratio", "cpu_ms")} == {"system": "handrail", "k": 4, "ratio": 0.5, "cpu_ms": 5.5}


def test_the_written_down_figures_are_whole_and_are_those_that_the_page_shows() -> None:
    written = msgspec.json.decode(command.RESULT.read_bytes(), type=Report)
    assert [(each.k, each.system) for each in written.systems] == [(k, name) for k in (4, 16, 64) for name in CONTESTANTS]
    page = command.PAGE.read_text(encoding="utf-8")
    assert with_table(page, table(written)) == page, "run `make bench`: it writes both"


def test_a_new_table_takes_the_place_of_the_old_one_on_the_page() -> None:
    page = f"# Page\n\n```text\nother\n```\n\n{MADE}\n```text\nold\nlines\n```\n\nMore\n"
    assert with_table(page, "new") == page.replace("old\nlines", "new")


def test_a_page_without_a_place_for_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="make bench"):
        with_table("# Page\n", "new")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["figures.json", "-"])
def test_the_command_starts_all_processes_and_writes_the_figures(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command.main(["--json", target], plans=[Plan(2, 2, 1, 1)])
    printed = capsysbinary.readouterr().out
    figures = msgspec.json.decode(printed if target == "-" else Path(target).read_bytes(), type=Report)
    assert [(each.system, each.k, each.rounds) for each in figures.systems] == [(name, 2, 2) for name in CONTESTANTS]
    assert (b"2 tool turns (2 rounds)" in printed) is (target != "-")
