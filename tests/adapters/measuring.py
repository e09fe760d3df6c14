"""What is looked at for each guard, as sentences that hold under a host or do not; the table of hosts is made of them."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from handrail import Agent, No, Say, ToolContext, Yes, tool
from handrail.errors import AgentError
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
from handrail.guards.base import BaseGuard
from handrail.testing import ManualClock, calls, says
from handrail.vocab.outcomes import Status
from tests.adapters.desk import Desk, clerk, submit, weather
from tests.adapters.hosting import HOSTS, VERDICT, Game

LOOK: Any = ("weather", {"city": "Oslo"})
SEND: Any = ("send", {"to": "Oslo"})
SENT = ["sending Oslo", "sent Oslo"]
LOOKED = ["asking Oslo", "knows Oslo"]
LONG = "One two three. " * 5
STEPS = 500  # of the event loop: what has not ended by then waits for something that does not come

Check = Callable[[str], Awaitable[bool]]


async def play(host: str, agent: Agent, *script: Any, answers: tuple[Any, ...] = ()) -> Game:
    """The script under a host."""
    game = Game(agent, script, answers)
    await HOSTS[host](game)
    return game


def critic(name: str = "critic") -> Agent:
    return Agent(name=name, instructions="Judge.", model="some-model")


def verdict(*flaws: str) -> Any:
    return calls((VERDICT, {"passed": not flaws, "flaws": list(flaws)}))


def looks(many: int) -> list[Any]:
    return [calls(("weather", {"city": str(number)})) for number in range(many)]


def reporter(*guards: BaseGuard) -> Agent:
    return clerk(*guards, tools=[weather, submit], submit="submit", land=lambda ledger: {"found": len(ledger.facts)})


async def sent_back(host: str) -> bool:
    game = await play(host, clerk(AnswerLimit(6)), says(LONG), says("Short."))
    return game.outcome is not None and game.outcome.output == "Short."


async def cut_at_a_sentence(host: str) -> bool:
    game = await play(host, clerk(AnswerLimit(6)), says(LONG), says(LONG))
    return game.outcome is not None and game.outcome.output == "One two three. One two three."


async def no_runs_nothing(host: str) -> bool:
    game = await play(host, clerk(Approval("send")), calls(SEND), says("No."), answers=(No(),))
    return game.desk.did == [] and game.asked == 1


async def yes_runs_it(host: str) -> bool:
    game = await play(host, clerk(Approval("send")), calls(SEND), calls(("send", {"to": "Voss"})), says("Yes."), answers=(Yes(), No()))
    return game.desk.did == SENT and game.asked == 2


async def waits_for_a_person(host: str) -> bool:
    game = await play(host, clerk(Approval("send")), calls(SEND), calls(SEND), says("Sent."), answers=(None, Yes()))
    return game.desk.did == SENT


async def out_of_sight(host: str) -> bool:
    game = await play(host, clerk(CallLimit("weather", 1)), calls(LOOK), calls(SEND), says("Fair."))
    return ["weather" in names for names in game.offered[:2]] == [True, False]


async def refused_anyway(host: str) -> bool:
    game = await play(host, clerk(CallLimit("weather", 1)), calls(LOOK), calls(LOOK), says("Fair."))
    return game.desk.did == LOOKED and "error" in json.loads(game.results[-1])


async def invented_is_refused(host: str) -> bool:
    return (await play(host, clerk(Grounded("send", "to", "city")), calls(SEND), says("Hm."))).desk.did == []


async def found_is_taken(host: str) -> bool:
    game = await play(host, clerk(Grounded("send", "to", "city")), calls(LOOK), calls(SEND), says("Sent."))
    return game.desk.did == LOOKED + SENT


@guard(tool="send")
def not_to_oslo(state: Any, call: Any) -> str | None:
    """Nothing goes to one place."""
    return "Not to Oslo." if call.arguments["to"] == "Oslo" else None


async def own_rule_refuses(host: str) -> bool:
    game = await play(host, clerk(not_to_oslo), calls(SEND), calls(("send", {"to": "Voss"})), says("Sent."))
    return game.desk.did == ["sending Voss", "sent Voss"] and "Not to Oslo." in game.results[0]


async def long_text_is_no_answer(host: str) -> bool:
    game = await play(host, reporter(MustSubmit("submit", longest_text=10)), says(LONG), calls(("submit", {"text": "fair"})))
    return game.outcome is not None and game.outcome.output == "fair" and len(game.model.requests) == 2


async def short_text_is_a_question(host: str) -> bool:
    script = (says("Where to?"), calls(("submit", {"text": "fair"})))
    game = await play(host, reporter(MustSubmit("submit")), *script, answers=(Say("To Oslo."),))
    return game.asked == 1 and "To Oslo." in repr(game.model.requests[1].messages[-1])


async def submit_ends_it(host: str) -> bool:
    game = await play(host, reporter(MustSubmit("submit")), calls(("submit", {"text": "fair"})))
    return game.outcome is not None and (game.outcome.status, game.outcome.output) == (Status.COMPLETED, "fair")


async def told_so(host: str) -> bool:
    game = await play(host, clerk(Prerequisite("send", of="weather"), NoProgress(1, 3, 4)), calls(SEND), calls(SEND), says("Hm."))
    return len(game.results[1]) > len(game.results[0]) > 0


async def offered_less(host: str) -> bool:
    game = await play(host, clerk(NoProgress(1, 2, 6, keep="send")), *[calls(LOOK)] * 4, says("Hm."))
    return "weather" in game.offered[0] and "weather" not in game.offered[-1]


async def ended_in_circles(host: str) -> bool:
    game = await play(host, clerk(NoProgress(1, 2, 3)), *[calls(LOOK)] * 6)
    return game.outcome is not None and "NoProgress" in str(game.outcome.limit)


async def nothing_after_circles(host: str) -> bool:
    game = await play(host, clerk(NoProgress(1, 2, 3)), *[calls(LOOK)] * 6)
    return len({state.run_id for state in game.states}) == 1


async def order_holds(host: str) -> bool:
    game = await play(host, clerk(Order({"send": ["weather"]})), calls(SEND), calls(LOOK), calls(SEND), says("Sent."))
    return game.desk.did == LOOKED + SENT


async def prerequisite_holds(host: str) -> bool:
    game = await play(host, clerk(Prerequisite("send", of="weather")), calls(SEND), calls(LOOK), calls(SEND), says("Sent."))
    return game.desk.did == LOOKED + SENT


async def flaw_sends_it_back(host: str) -> bool:
    game = await play(host, clerk(Review("send", reviewer=critic())), calls(SEND), verdict("too far"), says("Hm."))
    return game.desk.did == [] and "too far" in game.results[0]


async def pass_lets_it_run(host: str) -> bool:
    return (await play(host, clerk(Review("send", reviewer=critic())), calls(SEND), verdict(), says("Sent."))).desk.did == SENT


async def words_are_screened(host: str) -> bool:
    game = await play(host, clerk(Screen(critic("warden"))), verdict("an attack"), says("Never."))
    return game.outcome is not None and game.outcome.status is Status.REFUSED


async def stops_what_runs(host: str) -> bool:
    game = Game(clerk(TimeLimit(60)), (calls(LOOK), says("Fair.")))
    game.desk.gate.clear()
    running = asyncio.ensure_future(HOSTS[host](game))
    await game.desk.asked.wait()
    game.clock.advance(61)
    for _ in range(STEPS):
        await asyncio.sleep(0)
    stopped = running.done() or game.outcome is not None
    game.desk.gate.set()
    await running
    return stopped


def limited(limit: BaseGuard, reached_after: int) -> Mapping[str, Check]:
    """What a limit does once it is reached, on looks alone; what the last reply wants is not run any more."""

    async def over(host: str) -> bool:
        game = await play(host, clerk(limit), *looks(reached_after + 1))
        return game.outcome is not None and game.outcome.limit == limit.name

    async def nothing_after(host: str) -> bool:
        game = await play(host, clerk(limit), *looks(reached_after + 1))
        return len(game.desk.did) == 2 * (reached_after - 1)

    return {"the run is over when it is reached": over, "nothing is run after it": nothing_after}


def landing(limit: BaseGuard, many: int) -> Mapping[str, Check]:
    """What becomes of an agent that submits."""

    async def lands(host: str) -> bool:
        game = await play(host, reporter(limit), *looks(many))
        return game.outcome is not None and game.outcome.partial and "found" in str(game.outcome.output)

    return {"an agent that submits lands": lands}


async def time_is_up(host: str) -> bool:
    game = await _minutes(host)
    return game.outcome is not None and game.outcome.limit == "TimeLimit(60)"


async def nothing_after_time(host: str) -> bool:
    return (await _minutes(host)).desk.did == ["waiting"]


async def _minutes(host: str) -> Game:
    clock = ManualClock()

    @tool(effect="read")
    async def wait(context: ToolContext[Desk]) -> str:
        """Wait for a minute."""
        context.deps.did.append("waiting")
        clock.advance(61)
        return "waited"

    game = Game(clerk(TimeLimit(60), tools=[wait]), (calls(("wait", {})), calls(("wait", {}))), clock=clock)
    await HOSTS[host](game)
    return game


GUARDS: Mapping[str, Mapping[str, Check]] = {
    "AnswerLimit": {"a longer answer is sent back": sent_back, "in the end it is cut at a sentence": cut_at_a_sentence},
    "Approval": {
        "a no runs nothing": no_runs_nothing,
        "a yes runs this very call": yes_runs_it,
        "where nobody is there, the call waits": waits_for_a_person,
    },
    "CallLimit": {"the tool is out of sight": out_of_sight, "a call of it is refused anyway": refused_anyway},
    "Grounded": {"an invented value is refused": invented_is_refused, "one that was found is taken": found_is_taken},
    "MustSubmit": {
        "a long text is no answer": long_text_is_no_answer,
        "a short text is a question to the user": short_text_is_a_question,
        "what is submitted ends the run": submit_ends_it,
    },
    "NoProgress": {
        "a model in circles is told so": told_so,
        "it is offered less": offered_less,
        "its run is ended": ended_in_circles,
        "nothing is run after it": nothing_after_circles,
    },
    "Order": {"a call before its time is refused": order_holds},
    "Prerequisite": {"a call before its time is refused": prerequisite_holds},
    "Review": {"a flaw sends the draft back": flaw_sends_it_back, "a draft that passes is run": pass_lets_it_run},
    "Screen": {"words that do not pass reach no model": words_are_screened},
    "TimeLimit": {
        "the run is over when it is reached": time_is_up,
        "nothing is run after it": nothing_after_time,
        "what is under way is stopped": stops_what_runs,
    },
    "TokenLimit": {**limited(TokenLimit(25), 2), **landing(TokenLimit(60), 6)},
    "TurnLimit": {**limited(TurnLimit(2), 2), **landing(TurnLimit(4), 5)},
    "@guard": {"a rule of your own refuses": own_rule_refuses},
}
"""Guard -> what it promises -> whether that holds under a host."""


async def lacking(guard: str, host: str) -> tuple[str, ...]:
    """What of a guard's promises does not hold under a host. An agent that the host refuses by name is one that it does not hold."""
    found = []
    for promise, check in GUARDS[guard].items():
        try:
            held = await check(host)
        except AgentError:
            held = False
        if not held:
            found.append(promise)
    return tuple(found)
