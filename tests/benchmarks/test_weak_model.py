"""The tasks for small models: each is done by its own script through the real ring, and its checker sees when it is not."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchmarks.weak_model.__main__ import RESULTS, Runner, main
from benchmarks.weak_model.notebook import Entry, Notebook
from benchmarks.weak_model.report import sums, written
from benchmarks.weak_model.running import Done, done
from benchmarks.weak_model.systems import SYSTEMS, agent_digest
from benchmarks.weak_model.tasks import APPS, HALVES, Task, half_of, tasks
from benchmarks.weak_model.tasks.kit import Ended, day, holds, money, no_ids, number
from handrail.apps.orders.orders_agent import agent as orders_agent
from handrail.ports import OnDelta
from handrail.testing import ScriptedModel, says
from handrail.vocab.requests import ModelAnswer, ModelRequest

ONE_IN = 10
"""Of the tasks, one in so many is run with the fast tests, too."""


class Silent:
    """A model that never answers."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        await asyncio.Event().wait()
        raise AssertionError


def _each() -> Iterator[object]:
    for app in APPS:
        for at, task in enumerate(tasks(app)):
            yield pytest.param(app, task, id=task.id, marks=() if at % ONE_IN == 0 else pytest.mark.slow)


def _task(id: str) -> Task:
    return next(task for app in APPS for task in tasks(app) if task.id == id)


def _done(task: str = "a", **fields: object) -> Done:
    return Done(**{"task": task, "faults": [], "seconds": 2, "calls": 3, "tokens": 5, "refusals": {"x": 1}, "answers": [], **fields})  # type: ignore[arg-type]  # by name


def test_each_app_has_forty_tasks_in_two_halves_that_follow_from_their_ids() -> None:
    for app in APPS:
        assert len({task.id for task in tasks(app)}) == 40 and {task.id.split("-")[0] for task in tasks(app)} == {app}
        assert [len(tasks(app, half)) for half in HALVES] == [20, 20]
    assert {half_of(task) for task in tasks("orders", "held-out")} == {"held-out"}


@pytest.mark.parametrize(("app", "task"), [*_each()])
async def test_a_task_is_done_by_its_script_and_not_by_the_other_one(app: str, task: Task) -> None:
    agent = SYSTEMS["ring"].agent(app)
    with ScriptedModel(*task.right) as model:
        came = await done(task, agent, model)
    assert came.faults == [] and came.calls == len(task.right)
    assert (await done(task, agent, ScriptedModel(*task.wrong))).faults != []


async def test_without_the_ring_an_order_is_placed_that_the_person_says_no_to() -> None:
    task = _task("delivery-changed-mind")
    inside = await done(task, SYSTEMS["ring"].agent("delivery"), ScriptedModel(*task.right))
    assert inside.faults == [] and inside.refusals == {"Approval(place_order)": 1}
    bare = await done(task, SYSTEMS["native"].agent("delivery"), ScriptedModel(*task.right))
    assert bare.faults == ["the cart is {}, not {101: 2}", "ordered is [{101: 2}], not []"] and bare.refusals == {}


async def test_an_act_that_nobody_asked_for_is_a_fault() -> None:
    task = _task("delivery-price")
    assert task.faults(Ended(answers=["It is 12.50."])) == []
    assert task.faults(Ended(answers=["It is 12.50."], cart={1101: 1}, listening=True)) == [
        "the cart is {1101: 1}, not {}",
        "hands-free is on",
    ]


async def test_the_orders_of_somebody_who_was_not_named_are_not_to_be_looked_up() -> None:
    ended = Ended(answers=["1282"], looked_up=["amber@example.com", "jade@example.com"])
    assert _task("orders-newest").faults(ended) == ["the orders of jade@example.com were looked up"]


async def test_a_model_that_does_not_answer_is_stopped() -> None:
    came = await done(_task("orders-thanks"), orders_agent(), Silent(), most_seconds=0)
    assert came.faults == ["it was not done after 0 s", "there is no answer"]


@pytest.mark.parametrize(
    ("text", "fact", "in_it"),
    [
        ("There are 4 orders.", number(4), True),
        ("There are four orders.", number(4), True),
        ("It is 4.50.", number(4), False),
        ("It is 14.", number(4), False),
        ("Order **1317**.", "1317", True),
        ("Order 13170.", "1317", False),
        ("Orders 1317,1318.", "1318", True),
        ("It isn’t.", ("isn't",), True),
        ("It costs $12.50", money(1250), True),
        ("It costs 1250.", money(1250), False),
        ("It costs 1250 cents.", money(1250), True),
        ("It costs 23.", money(2300), True),
        ("On November 5th, 2026", day("2026-11-05"), True),
        ("On 2026-11-05T03:02:00Z", day("2026-11-05"), True),
        ("On 05 Nov", day("2026-11-05"), True),
        ("On November 15", day("2026-11-05"), False),
    ],
)
def test_a_fact_is_found_as_people_write_it(text: str, fact: tuple[str, ...] | str, in_it: bool) -> None:
    assert (holds(fact)(Ended(answers=[text])) is None) is in_it


def test_an_answer_is_to_lack_what_is_not_so_and_numbers_of_orders_that_are_not_there() -> None:
    assert holds("1", lacks=("2",))(Ended(answers=["1 and 2"])) == "the answer says '2': '1 and 2'"
    assert holds("1")(Ended()) is not None and holds("1", at=0)(Ended(answers=["1", "2"])) is None
    assert no_ids(Ended(answers=["Order 1290"])) is not None and no_ids(Ended(answers=["No order, 2026"])) is None


async def test_a_run_that_was_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    notebook, task, agent = Notebook(tmp_path / "n.jsonl"), _task("orders-thanks"), SYSTEMS["ring"].agent("orders")
    about = {"model": "m", "system": "ring", "app": "orders", "half": half_of(task)}
    with ScriptedModel(*task.right) as model:
        first = await Runner(model, agent, notebook, about).done(task)
    with (tmp_path / "n.jsonl").open("ab") as file:
        file.write(b'{"model": "cut o')
    with ScriptedModel() as model:
        assert await Runner(model, agent, notebook, about).done(task) == first
    with ScriptedModel(says("Bye.")) as model:
        await Runner(model, agent.but(instructions="Be short."), notebook, about).done(task)


def test_another_agent_s_tasks_are_not_taken_for_this_one_s(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path / "deep" / "n.jsonl")
    assert notebook.found(agent="b") == {}
    for agent, seconds in (("a", 1), ("b", 2), ("b", 3)):
        notebook.add(Entry(model="m", system="ring", app="orders", half="tuning", agent=agent, done=_done(seconds=seconds)))
    assert [came.seconds for came in notebook.found(agent="b").values()] == [3]
    assert agent_digest(orders_agent()) != agent_digest(orders_agent().but(instructions="Other."))


def test_the_figures_say_how_sure_they_are_and_stand_in_the_place_of_older_ones(tmp_path: Path) -> None:
    path, about = tmp_path / "f.json", {"model": Path("m.gguf"), "app": "orders", "half": "tuning", "system": "ring"}
    written(path, [sums([_done("a", faults=["planted"])], **about)])  # type: ignore[arg-type]  # by name
    written(path, [sums([_done("a"), _done("b", faults=["planted"])], **about)])  # type: ignore[arg-type]  # by name
    (found,) = json.loads(path.read_text())["systems"]
    assert (found["tasks"], found["right"], found["wrong"], found["calls"], found["refusals"]) == (2, 1, ["b"], 6, {"x": 2})
    assert (found["low"], found["high"], found["ring"]) == (0.095, 0.905, True)


def test_a_model_that_is_not_there_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="missing"):
        main(["--model", f"local:{tmp_path / 'missing.gguf'}", "--json", str(tmp_path / "x.json")])
    assert list(tmp_path.iterdir()) == []


def test_the_committed_figures_are_those_of_the_committed_notebook() -> None:
    notebook, systems = Notebook(RESULTS.with_suffix(".jsonl")), json.loads(RESULTS.read_text(encoding="utf-8"))["systems"]
    for told in systems:
        found = notebook.found(**{name: told[name] for name in ("model", "app", "half", "system")})
        ids = [task.id for task in tasks(told["app"], told["half"])]
        assert sorted(found) == sorted(ids)
        again = sums([found[id] for id in ids], model=Path(told["model"]), app=told["app"], half=told["half"], system=told["system"])
        assert msgspec.to_builtins(again) | {"size": told["size"]} == told
    assert systems
