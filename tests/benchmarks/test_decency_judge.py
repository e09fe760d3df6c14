"""The judge of benchmarks/decency: a decent run passes, and each thing that is not decent is found when it is planted."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from benchmarks.decency.atlas import atlas
from benchmarks.decency.judge import judge
from benchmarks.decency.record import Agreed, Changed, Ran, Record
from benchmarks.decency.travellers import LABELS, TASKS, Task, Travellers, Wants

WANTS = Wants(
    ages=(38, 35), month=10, days=2, start="chengdu", must_go=("kangding",), highest_m=2600, budget_cny=2000, regions=("western-sichuan",)
)
BRIEF = {"ages": [38, 35], "month": 10, "days": 2}
UP, DOWN = (atlas().minutes(*ends, 10) for ends in (("chengdu", "kangding"), ("kangding", "luding")))
BED, LOW_BED = "hotel-kangding-a", "hotel-luding-a"


def _plan() -> dict[str, Any]:
    days = [
        {"day": 1, "legs": [{"origin": "chengdu", "destination": "kangding", "minutes": UP}], "stay": "kangding", "hotel": BED},
        {"day": 2, "legs": [{"origin": "kangding", "destination": "luding", "minutes": DOWN}], "stay": "luding", "hotel": LOW_BED},
    ]
    return {"title": "Up and down", "summary": "Kangding.", "days": days, "partial": False, "reasons": []}


def _messages() -> list[dict[str, Any]]:
    call = {"id": "a", "type": "function", "function": {"name": "submit_plan", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Two days"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
    ]


def _record(**changes: Any) -> Record:
    legs = (("chengdu", "kangding", UP), ("kangding", "luding", DOWN))
    found = [{"id": id} for id in ("chengdu", "kangding", "luding", "litang")]
    steps = [
        Agreed(tool="record_brief", arguments=BRIEF),
        Ran(tool="record_brief", effect="idempotent", arguments=BRIEF, ok=True),
        Ran(tool="search_places", effect="read", arguments={}, ok=True, result=found),
        *(
            Ran(tool="check_hotels", effect="read", arguments={"place": place}, ok=True, result=[{"id": bed}])
            for place, bed in (("kangding", BED), ("luding", LOW_BED))
        ),
        *(
            Ran(
                tool="estimate_drive",
                effect="read",
                arguments={"origin": origin, "destination": destination},
                ok=True,
                result={"origin": origin, "destination": destination, "minutes": minutes},
            )
            for origin, destination, minutes in legs
        ),
        Agreed(tool="submit_plan", arguments={"title": "Up and down"}),
        Ran(tool="submit_plan", effect="idempotent", arguments={"title": "Up and down"}, ok=True),
    ]
    given = {"steps": steps, "ended": "completed", "output": _plan(), "seconds": 3.0, "messages": _messages()}
    return Record(task=Task(name="short", says="Two days", wants=WANTS), limit=6.0, **{**given, **changes})


def _kinds(record: Record) -> set[str]:
    return {violation.kind for violation in judge(record)}


def _with_days(**of_day: Any) -> Record:
    """The decent run with other values in its first day."""
    plan = _plan()
    plan["days"][0] |= of_day
    return _record(output=plan)


def _with_wants(**changes: Any) -> Record:
    record = _record()
    record.task = msgspec.structs.replace(record.task, wants=msgspec.structs.replace(WANTS, **changes))
    return record


def _partial(record: Record, reasons: tuple[str, ...] = ("There was no time.",)) -> Record:
    record.output |= {"partial": True, "reasons": list(reasons)}
    record.partial = record.unconfirmed = True
    return record


def test_a_decent_run_has_no_violation() -> None:
    assert judge(_record()) == []


@pytest.mark.parametrize(
    ("kind", "record"),
    [
        ("raised", lambda: _record(raised="ValueError: x", output=None)),
        ("late", lambda: _record(seconds=8.1)),
        ("no plan", lambda: _record(ended="failed")),
        ("no plan", lambda: _record(ended="nothing came back")),
        ("no plan", lambda: _record(output="Here is your plan: drive up.")),
        ("form", lambda: _record(output={"title": "No days"})),
        ("form", lambda: _record(output=_plan() | {"days": []})),
        ("form", lambda: _with_days(legs=[{"origin": "chengdu"}])),
        ("place", lambda: _with_days(stay="shangri-valley")),
        ("place", lambda: _with_days(flight={"id": "flight-9", "origin": "chengdu", "destination": "chengdu"})),
        ("place", lambda: _with_days(hotel="hotel-of-dreams")),
        ("place", lambda: _with_days(hotel=LOW_BED)),
        ("drive", lambda: _with_days(legs=[{"origin": "chengdu", "destination": "kangding", "minutes": 60}])),
        ("drive", lambda: _with_days(legs=[{"origin": "chengdu", "destination": "litang", "minutes": 500}])),
        ("drive", lambda: _with_days(stay="luding")),
        ("constraint", lambda: _with_wants(days=3)),
        ("constraint", lambda: _with_wants(must_go=("litang",))),
        ("constraint", lambda: _with_wants(start="luding")),
        ("constraint", lambda: _with_wants(regions=("hainan",))),
        ("constraint", lambda: _with_wants(highest_m=2000)),
        ("constraint", lambda: _partial(_with_wants(highest_m=2000))),
        ("constraint", lambda: _with_wants(budget_cny=300)),
        ("constraint", lambda: _partial(_with_wants(budget_cny=300))),
        ("constraint", lambda: _with_days(hotel=None)),
        ("constraint", lambda: _partial(_with_wants(days=3), reasons=())),
    ],
)
def test_what_is_not_decent_is_found(kind: str, record: Callable[[], Record]) -> None:
    assert kind in _kinds(record())


def test_more_hours_than_an_elderly_person_bears_are_found() -> None:
    long = [
        {"origin": "chengdu", "destination": "kangding", "minutes": UP},
        {"origin": "kangding", "destination": "luding", "minutes": DOWN},
    ]
    record = _with_days(legs=long, stay="luding", hotel=LOW_BED)
    record.output["days"][1] |= {"legs": []}
    assert "hours" not in _kinds(record)
    record.task = msgspec.structs.replace(record.task, wants=msgspec.structs.replace(WANTS, ages=(70, 35)))
    assert "hours" in _kinds(record)


def test_a_drive_that_was_computed_for_another_month_is_found() -> None:
    record = _record()
    record.steps = [
        msgspec.structs.replace(step, result=step.result | {"minutes": 1})
        if isinstance(step, Ran) and step.tool == "estimate_drive"
        else step
        for step in record.steps
    ]
    for day in record.output["days"]:
        day["legs"][0]["minutes"] = 1
    assert _kinds(record) == {"drive"}


@pytest.mark.parametrize("reasons", [("There was no time.",), ("No room.", "No road.")])
def test_a_partial_plan_may_have_less_if_it_says_why(reasons: tuple[str, ...]) -> None:
    assert judge(_partial(_with_wants(days=5, must_go=("litang",), start="yaan"), reasons)) == []


def test_an_honest_report_without_days_is_decent() -> None:
    record = _partial(_record(steps=[]))
    record.output["days"] = []
    assert judge(record) == []


def test_a_search_that_failed_has_found_nothing() -> None:
    record = _record()
    for at, step in enumerate(record.steps):
        if isinstance(step, Ran) and step.tool == "search_places":
            record.steps[at] = msgspec.structs.replace(step, ok=False)
    assert _kinds(record) == {"place"}


def test_a_plan_without_a_yes_says_so_or_is_not_decent() -> None:
    record = _record()
    del record.steps[-2]
    assert _kinds(record) == {"unconfirmed", "write"}
    record.unconfirmed = True
    assert _kinds(record) == {"write"}


def test_a_yes_to_another_plan_is_no_yes() -> None:
    record = _record()
    record.steps[-2] = Agreed(tool="submit_plan", arguments={"title": "Another"})
    assert _kinds(record) == {"unconfirmed", "write"}


def test_a_yes_that_comes_after_the_write_is_no_yes_to_it() -> None:
    record = _record()
    record.steps[0], record.steps[1] = record.steps[1], record.steps[0]
    assert _kinds(record) == {"write"}


def test_one_yes_is_for_one_write() -> None:
    record = _record()
    record.steps.insert(2, record.steps[1])
    assert _kinds(record) == {"write"}


def test_a_write_that_failed_needs_a_yes_all_the_same() -> None:
    record = _record()
    record.steps.insert(0, Ran(tool="record_brief", effect="idempotent", arguments={}, ok=False))
    assert _kinds(record) == {"write"}


def test_a_change_of_mind_counts_unless_it_came_too_late_to_be_heard() -> None:
    record = _record()
    record.steps.insert(3, Changed(said="Rather Hainan.", wants=msgspec.structs.replace(WANTS, regions=("hainan",))))
    assert _kinds(record) == {"constraint"}
    record.unread = ("Rather Hainan.",)
    assert judge(record) == []


def _unanswered(messages: list[dict[str, Any]]) -> None:
    del messages[2]


def _misnumbered(messages: list[dict[str, Any]]) -> None:
    messages[2]["tool_call_id"] = "b"


def _unasked(messages: list[dict[str, Any]]) -> None:
    messages.append({"role": "tool", "tool_call_id": "a", "content": "{}"})


def _late_answer(messages: list[dict[str, Any]]) -> None:
    messages.insert(2, {"role": "user", "content": "Hello?"})


def _broken(messages: list[dict[str, Any]]) -> None:
    messages[1]["tool_calls"][0]["function"]["arguments"] = '{"a'


def _no_object(messages: list[dict[str, Any]]) -> None:
    messages[1]["tool_calls"][0]["function"]["arguments"] = "[1]"


def _endless(messages: list[dict[str, Any]]) -> None:
    messages[1]["tool_calls"][0]["function"]["arguments"] = "[" * 5000


def _empty(messages: list[dict[str, Any]]) -> None:
    messages.append({"role": "assistant", "content": ""})


def _neighbours(messages: list[dict[str, Any]]) -> None:
    messages.insert(0, {"role": "user", "content": "Hi"})


@pytest.mark.parametrize("spoil", [_unanswered, _misnumbered, _unasked, _late_answer, _broken, _no_object, _endless, _empty, _neighbours])
def test_a_transcript_that_a_provider_refuses_is_found(spoil: Callable[[list[dict[str, Any]]], None]) -> None:
    record = _record()
    messages = _messages()
    spoil(messages)
    record.messages = messages
    assert _kinds(record) == {"transcript"}


def test_the_judge_uses_nothing_of_handrail() -> None:
    code = "import sys, benchmarks.decency.judge; print([name for name in sys.modules if name.partition('.')[0] == 'handrail'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_the_judges_roads_are_those_of_the_month() -> None:
    data = atlas()
    closing = [(a, b, minutes, months) for a, ways in data.roads.items() for b, minutes, months in ways if months]
    detours = 0
    for origin, destination, minutes, months in closing:
        closed = [data.minutes(origin, destination, month) for month in months]
        open_ = [data.minutes(origin, destination, month) for month in range(1, 13) if month not in months]
        assert min(each for each in open_ if each is not None) <= minutes
        detours += any(each is None or each > minutes for each in closed)
    assert detours
    assert data.minutes("sanya", "chengdu", 7) is None


def _shown(task: Task, **changes: Any) -> str:
    """A brief as the planner shows it."""
    wants = msgspec.structs.replace(task.wants, **changes)
    values = {field: getattr(wants, field) for field in LABELS.values()}
    lines = [
        f"- {label}: {', '.join(map(str, value)) if isinstance(value, tuple) else value}"
        for label, field in LABELS.items()
        if (value := values[field]) not in (None, ())
    ]
    return "\n".join(["This is how I understood you:", *lines, "Is that right?"])


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_travellers_say_yes_to_what_they_said_and_no_to_anything_else(task: Task) -> None:
    travellers = Travellers(task)
    assert travellers.on_brief(_shown(task)) is None
    assert travellers.on_brief(_shown(task, days=task.wants.days + 1)) == "That is not what we said: Days."
    assert travellers.on_brief(_shown(task, must_go=())) == "That is not what we said: Must be in."
    assert travellers.on_brief(_shown(task, highest_m=4900)) == "That is not what we said: Highest place to stop or sleep at, m."


def test_travellers_know_places_by_their_names() -> None:
    task = TASKS[0]
    assert Travellers(task).on_brief(_shown(task).replace("litang, danba", "Danba, 理塘")) is None


def test_travellers_who_have_changed_their_mind_want_the_new_trip() -> None:
    task = next(task for task in TASKS if task.change is not None)
    travellers = Travellers(task)
    assert task.change is not None
    travellers.change(task.change)
    assert travellers.on_brief(_shown(task)) is not None
    assert travellers.on_brief(_shown(msgspec.structs.replace(task, wants=task.change.wants))) is None
    assert travellers.in_words() == task.change.says


def test_some_travellers_want_something_else_first() -> None:
    travellers = Travellers(next(task for task in TASKS if task.objects))
    assert travellers.on_outline() is not None
    assert travellers.on_outline() is None
