"""`explore(agent)`: walk through everything that any model can do to an agent, and say whether its ring holds.

- Invariants are looked at everywhere; dead ends and unreachable tools where no limit is near; boundedness apart from both.
- The first fault has a story, which is a shortest one.
"""

from collections.abc import Iterable, Iterator

from handrail.check.candidates import candidates
from handrail.check.faults import Circle, circle, dead_end
from handrail.check.notebook import ENDS_BY_ITSELF, Notebook
from handrail.check.report import Counterexample, Fault, Report
from handrail.check.story import circling, in_the_way, refusal_of, refused_at, told, withholding
from handrail.check.walk import Begun, Stepper, Walk
from handrail.core.agent import Agent
from handrail.core.attempt import Raised, attempt
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import Limit, Measure

MOST_STATES = 200_000
UNITS = {Measure.TIME: "s of active time", Measure.TURNS: "turns", Measure.TOKENS: "tokens", Measure.FRUITLESS: "fruitless turns in a row"}


def explore(agent: Agent, *, batch: int = 1, most_states: int = MOST_STATES) -> Report:
    """Walk through all behaviours.

    Args:
        agent: what is checked; nothing of it is run but its guards, documents and invariants.
        batch: calls in one reply, 1 or 2.
        most_states: states after which the walk is given up, and nothing is proven.

    Raises:
        AgentError: a guard reads what it does not declare, or a tool needs examples.
    """
    walk = walked(agent, batch=batch, most_states=most_states)
    found = list(_faults(agent, walk))
    return Report(
        agent=agent.name,
        ok=not found and walk.complete,
        states=len(walk.states),
        complete=walk.complete,
        batch=batch,
        tools=tuple(tool for tool in agent.tools if tool in walk.cleared),
        invariants=walk.stepper.invariants.names,
        longest=_longest(walk.stepper.notebook.limits.values()),
        assumes=(*(f"{name}: {why}" for name, why in walk.stepper.notebook.assumed.items()), *(_made_up(walk) if found else ())),
        warnings=tuple(_warnings(agent)),
        faults=tuple(f"{each.fault}: {each.what}" for each in found),
        counterexample=found[0] if found else None,
    )


def walked(agent: Agent, *, batch: int = 1, most_states: int = MOST_STATES, exact: bool = False) -> Walk:
    """A finished walk. It is begun again whenever something new is read; there are only so many lenses.

    Whether a run can go on for ever is only to be told if all counts are (`exact`).
    """
    notebook = Notebook()
    tried = candidates(agent)
    while True:
        notebook.news = False
        walk = Walk(Stepper(agent, tried, notebook, batch=batch, exact=exact), most_states=most_states)
        try:
            walk.go()
        except Begun:
            continue
        if exact or not walk.unbounded:
            return walk
        exact = True


def _faults(agent: Agent, walk: Walk) -> Iterator[Counterexample]:
    """What is wrong, what tells most first."""
    if walk.broken is not None:
        broken = walk.broken
        what = f"{broken.name!r} does not hold: {broken.wrong}"
        yield Counterexample(fault=Fault.BROKEN, what=what, story=told(walk, broken.node, broken.edge))
    if walk.broken is not None or not walk.complete:
        return
    dead = dead_end(walk)
    unreachable = [_unreachable(walk, tool) for tool in agent.tools if tool not in walk.cleared]
    lost = [] if dead is None else [_dead(walk, dead)]
    # Where nothing works from the first turn on, the tool that cannot be reached says why.
    yield from (*lost, *unreachable) if dead is None or len(walk.path(dead)) > 1 else (*unreachable, *lost)
    endless = circle(walk)
    if endless is not None:
        yield _unbounded(walk, endless)


def _dead(walk: Walk, node: int) -> Counterexample:
    what = "from here on nothing that the model, the tools or people do leads to a decent end"
    return Counterexample(fault=Fault.DEAD_END, what=what, story=told(walk, node), why=in_the_way(walk, node))


def _unreachable(walk: Walk, tool: str) -> Counterexample:
    refused = refusal_of(walk, tool)
    what = f"no run can come to call {tool}"
    if refused is not None:
        node, edge = refused
        why = ("Whatever comes before, it is never cleared.",)
        return Counterexample(fault=Fault.UNREACHABLE, what=what, story=told(walk, node, edge), why=why)
    first = min(walk.targets)
    guards = [guard for name, guard in withholding(walk, walk.states[first]) if name == tool]
    why = (f"It is never offered{': ' + ', '.join(guards) + ' takes it away' if guards else ''}.",)
    return Counterexample(fault=Fault.UNREACHABLE, what=what, story=told(walk, first), why=why)


def _made_up(walk: Walk) -> Iterator[str]:
    """The tools that other arguments might have got further with than those that were made up."""
    dead = dead_end(walk) if walk.broken is None and walk.complete else None
    refused = set(refused_at(walk, dead)) if dead is not None else set[str]()
    for tool in walk.stepper.agent.tools:
        if tool in walk.stepper.made_up & refused:
            yield f"{tool}: it has no examples, and all arguments made up for it are refused; give it some with @tool(examples=[…])"


def _unbounded(walk: Walk, nodes: Circle) -> Counterexample:
    what = "nothing ends this run; give the agent a TurnLimit, a TimeLimit or a TokenLimit"
    blind = [limit.name for limit in walk.stepper.notebook.limits.values() if limit.measure is Measure.FRUITLESS]
    why = tuple(f"{name} does not end it: something new is gained each time round." for name in blind)
    return Counterexample(fault=Fault.UNBOUNDED, what=what, story=circling(walk, nodes), why=why)


def _longest(limits: Iterable[Limit]) -> str:
    found = list(limits)
    ending = [limit for limit in found if limit.measure in ENDS_BY_ITSELF] or found
    return ", ".join(f"{limit.hard:.0f} {UNITS[limit.measure]} ({limit.name})" for limit in ending) or "no limit"


def _warnings(agent: Agent) -> Iterator[str]:
    if agent.submit is not None and agent.land is None:
        yield f"{agent.name} has a submit tool and no 'land': a run that reaches a limit fails, whatever it has found"
    if agent.land is not None:
        landed = attempt(agent.land, Ledger())
        if isinstance(landed, Raised):
            yield f"'land' raises on an empty ledger ({landed.what}): a run that lands early fails"
