"""A small world for runs that are thrown about: agents with every guard, models good and bad, tools and people that answer.

Whatever is drawn comes from the `Random` that is handed in, so a run is what its seed says.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.core.effects import (
    AskClient,
    AskPerson,
    AskReviewer,
    CallModel,
    Effect,
    RunTool,
    ScreenInput,
    StartTool,
    Summarise,
    WakeAt,
)
from handrail.core.events import (
    HoldAnswered,
    Input,
    InputScreened,
    ModelFailed,
    ModelReplied,
    Summarised,
    SummaryFailed,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    UserSaid,
)
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading, RunState
from handrail.guards import (
    AnswerLimit,
    Approval,
    CallLimit,
    Grounded,
    MustSubmit,
    NoProgress,
    Order,
    Prerequisite,
    Review,
    Screen,
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)
from handrail.vocab.calls import ProposedCall, ToolEffect, Where, call_id
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.outcomes import HoldKind
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage
from tests.core.kit import FakeTool, agent, idempotent, read, write

Model = Callable[[Agent, RunState, Random], dict[str, Any]]
"""What a model replies: the fields of `ModelReplied` without time and turn."""

TURNS = 14
PLACES = ("Kangding", "Litang", "Daocheng")
TOOLS = (
    read("search", needs=["q"]),
    read("drive"),
    read("look"),
    idempotent("book"),
    write("pay"),
    FakeTool("ask", ToolEffect.READ, Where.PERSON),
    FakeTool("page", ToolEffect.READ, Where.CLIENT, timeout=50),
    FakeTool("fill", ToolEffect.WRITE, Where.CLIENT, timeout=50),
)


@guard(tool="pay")
def not_for_free(state: Reading, call: JudgedCall) -> str | None:
    """Nobody is paid nothing."""
    return "Say how much: 'n' has to be above 0." if call.arguments.get("n") == 0 else None


def outline(arguments: Any, ledger: Ledger) -> str:
    return f"{arguments.get('place')!r} of {len(ledger)} facts"


def planner(**more: Any) -> Agent:
    """With a submit tool, a landing, and every guard that goes with them."""
    ring = [
        TurnLimit(TURNS),
        TimeLimit(3_000),
        TokenLimit(20_000),
        MustSubmit("submit", longest_text=20),
        CallLimit("search", 4),
        CallLimit("drive", 2, per="message"),
        Order({"submit": ["drive"]}),
        Prerequisite("look", of="search"),
        Grounded("submit", "place", "place"),
        NoProgress(2, 4, 6),
        Review("submit", reviewer=agent(name="critic"), most=2),
        Approval("submit", show=outline, expires=timedelta(hours=2)),
        Approval("pay"),
        Approval("page", expires=timedelta(seconds=40)),
        not_for_free,
    ]
    declared: dict[str, Any] = {
        "name": "planner",
        "tools": (*TOOLS, write("submit")),
        "submit": "submit",
        "guards": ring,
        "land": lambda ledger: {"places": list(ledger.values("place"))},
    }
    return agent(**(declared | more))


def talker(**more: Any) -> Agent:
    """Without a submit tool: accepted text ends the run."""
    ring = [
        TurnLimit(TURNS),
        TimeLimit(3_000),
        TokenLimit(20_000),
        NoProgress(1, 3, 5),
        AnswerLimit(4),
        CallLimit("search", 5),
        Prerequisite("look", of="search"),
        Approval("pay"),
        Approval("look"),
        not_for_free,
    ]
    return agent(**({"name": "talker", "tools": TOOLS, "guards": ring} | more))


def screened() -> Agent:
    """What the user says, and answers, is looked at by two screeners first."""
    plain = planner(name="screened", land=None, empty_reply="accept")
    wardens = [Screen(agent(name=name)) for name in ("warden", "porter")]
    return plain.but(guards=[*wardens, *plain.guards])


AGENTS = (planner(), talker(), screened(), talker(empty_reply="accept"))


# models


def sensible(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    """Searches, drives, and comes to an end; now and then it asks."""
    places = state.ledger.values("place")
    if agent.submit is not None and (state.offer.choice == agent.submit or (places and state.ok("drive") and rng.random() < 0.7)):
        return _calls(state, [(agent.submit, {"place": places[-1] if places else "Nowhere"})])
    if agent.submit is None and state.turn > 3 and rng.random() < 0.5:
        return {"text": rng.choice(["Done.", "All is booked and paid."])}
    if rng.random() < 0.1:
        return {"text": "Which one?"}
    offered = [name for name in state.offer.offered if name != agent.submit] or ["search"]
    return _calls(state, [(name, _arguments(name, rng)) for name in rng.choices(offered, k=rng.choice([1, 1, 2, 3]))])


def unruly(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    """Everything that models do wrong."""
    names = [*agent.tools, "none", ""]
    broken = ["", "{", "[]", "null", '{"q":"x"}', '{"place":"Atlantis"}', '{"n":0}']
    match rng.randrange(9):
        case 0:
            return {"text": rng.choice([None, "", " "])}
        case 1:
            return {"text": "I will now tell you all about everything, at length. " * 3}
        case 2:
            return {"text": "Hm?"}
        case 3:
            return _calls(state, [(rng.choice(names), rng.choice(broken)) for _ in range(40)])
        case 4:
            return {"finish": "length", **_calls(state, [(rng.choice(names), rng.choice(broken))])}
        case 5:
            return {"refusal": rng.choice(["", "I will not."]), **_calls(state, [("pay", {"n": 1})])} if rng.random() < 0.2 else {}
        case _:
            return _calls(state, [(rng.choice(names), rng.choice(broken)) for _ in range(rng.randint(1, 4))])


def stubborn(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return _calls(state, [("pay", {"n": 0})])


def chatty(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return {"text": "Let me tell you something that goes on for longer than anybody wants to read."}


def asking(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return {"text": "And then?"} if state.turn % 3 else _calls(state, [("ask", {"q": "And then?"})])


def silent(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return {}


def obsessive(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return _calls(state, [("drive", {"n": state.turn}), ("book", {"n": state.turn}), ("look", {})])


def booking(agent: Agent, state: RunState, rng: Random) -> dict[str, Any]:
    return _calls(state, [("book", {"n": state.turn})])


MODELS: tuple[Model, ...] = (sensible, unruly, stubborn, chatty, asking, silent, obsessive, booking)


def _calls(state: RunState, calls: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        "calls": tuple(
            ProposedCall(
                id=call_id(state.turn, place),
                name=name,
                arguments=arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode(),
            )
            for place, (name, arguments) in enumerate(calls, 1)
        )
    }


def _arguments(name: str, rng: Random) -> dict[str, Any]:
    return {"q": rng.choice("abcdef")} if name == "search" else {"n": rng.randint(1, 3)}


# the rest of the world


def answer(effect: Effect, at: datetime, rng: Random, *, replied: Callable[[], dict[str, Any]], luck: float = 0.8) -> Input:
    """What comes of an effect; `replied` is asked for what the model says, and `luck` is how often things go well."""
    lucky = rng.random() < luck
    match effect:
        case CallModel():
            if not lucky and rng.random() < 0.3:
                return ModelFailed(at=at, turn=effect.turn, kind="rate_limited", retry_at=at + timedelta(seconds=20))
            usage = Usage(input_tokens=rng.randint(1, 200), output_tokens=rng.randint(1, 50))
            return ModelReplied(at=at, turn=effect.turn, usage=usage, **replied())
        case StartTool():
            return ToolStarted(at=at, call=effect.call)
        case RunTool() if not lucky and rng.random() < 0.4:
            return ToolLost(at=at, call=effect.call, error="timed out")
        case RunTool():
            return _result(effect.call, effect.tool, at, rng, lucky=lucky)
        case AskReviewer() | ScreenInput() | Summarise():
            return _another_model(effect, at, rng, lucky=lucky)
        case AskPerson():
            return _person(effect, at, lucky=lucky)
        case AskClient():
            late = (
                ToolReturned(at=at, call=effect.call, content="7")
                if rng.random() < 0.5
                else ToolFailed(at=at, call=effect.call, error="closed")
            )
            return ToolStarted(at=at, call=effect.call) if lucky else late
        case WakeAt():
            return Ticked(at=max(at, effect.at))


def _another_model(effect: AskReviewer | ScreenInput | Summarise, at: datetime, rng: Random, *, lucky: bool) -> Input:
    said = Answer.PASSED if lucky else rng.choice([Answer.FLAWED, Answer.FAILED])
    match effect:
        case AskReviewer():
            return HoldAnswered(at=at, hold=effect.hold, digest=effect.digest, answer=said, flaws=("too far",))
        case ScreenInput():
            return InputScreened(at=at, guard=effect.guard, said=len(effect.said), answer=Answer.PASSED if rng.random() < 0.6 else said)
        case Summarise() if lucky:
            return Summarised(at=at, upto=effect.upto, text="They talked.", tokens=rng.randint(1, 300))
        case Summarise():
            return SummaryFailed(at=at, upto=effect.upto)


def _person(effect: AskPerson, at: datetime, *, lucky: bool) -> Input:
    if effect.kind is HoldKind.APPROVAL:
        said = Answer.YES if lucky else Answer.NO
        return HoldAnswered(at=at, hold=effect.hold, digest=effect.digest, answer=said, comment="not this one")
    if effect.kind is HoldKind.QUESTION and not lucky:
        return ToolFailed(at=at, call=effect.hold, error="I will not say.")
    return UserSaid(at=at, text="Go on.")


def _result(call: str, tool: str, at: datetime, rng: Random, *, lucky: bool) -> Input:
    if not lucky:
        return ToolFailed(at=at, call=call, error="no luck")
    facts = (Fact("place", rng.choice(PLACES)),) if tool == "search" else ()
    return ToolReturned(at=at, call=call, content=f'{{"n":{rng.randrange(1000)}}}', facts=facts)
