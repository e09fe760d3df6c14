"""Faults of a ring, read off a finished walk: dead ends, and runs without an end.

- A *decent end* is a completed run that no limit has made partial. A state from which none can be reached is a dead end. A run that is
  already landing, or has ended, is none: a limit, the model or the world has ended it, not the ring.
- A run is *bounded* if time, turns or tokens are limited, or if fruitless turns are and no circle gains anything new. Circles that
  need a person to go on are no concern of the ring's.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from handrail.check.walk import BY_PERSON, GAINS, Walk
from handrail.core.events import LandingStage
from handrail.core.table import Phase
from handrail.vocab.outcomes import Status
from handrail.vocab.verdicts import Measure

Circle = tuple[int, ...]


def dead_end(walk: Walk) -> int | None:
    """The first state from which no decent end can be reached."""
    before: list[list[int]] = [[] for _ in walk.states]
    for source, target in zip(walk.sources, walk.targets, strict=True):
        before[target].append(source)
    alive = set(_reached([node for node in range(len(walk.states)) if _is_decent(walk, node)], lambda node: before[node]))
    return next((node for node in sorted(set(walk.targets)) if node not in alive and _goes_on(walk, node)), None)


def circle(walk: Walk) -> Circle | None:
    """Nodes of a circle that nothing ends, first the one where it is entered; `None` where every run is bounded."""
    if not walk.unbounded:
        return None
    fruitless = any(limit.measure is Measure.FRUITLESS for limit in walk.stepper.notebook.limits.values())
    after: dict[int, list[int]] = {}
    endless: list[tuple[int, int]] = []
    for source, target, kind in zip(walk.sources, walk.targets, walk.kinds, strict=True):
        if not kind & BY_PERSON:
            after.setdefault(source, []).append(target)
            if kind & GAINS or not fruitless:
                endless.append((source, target))
    groups = components(len(walk.states), after)
    inside = [(source, target) for source, target in endless if groups[source] == groups[target]]
    if not inside:
        return None
    source, target = min(inside)
    return (source, *_way(target, source, after)[:-1]) if source != target else (source,)


def components(size: int, after: dict[int, list[int]]) -> list[int]:
    """The number of the strongly connected component of each node (Tarjan's, without recursion)."""
    order, low, group = [-1] * size, [0] * size, [-1] * size
    stack: list[int] = []
    count = 0
    for root in range(size):
        if order[root] >= 0:
            continue
        work = [(root, iter(after.get(root, ())))]
        order[root] = low[root] = count
        count += 1
        stack.append(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                _close(node, order, low, group, stack)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
            elif order[target] < 0:
                order[target] = low[target] = count
                count += 1
                stack.append(target)
                work.append((target, iter(after.get(target, ()))))
            elif group[target] < 0:
                low[node] = min(low[node], order[target])
    return group


def _close(node: int, order: Sequence[int], low: Sequence[int], group: list[int], stack: list[int]) -> None:
    """Take a whole component off the stack once its first node is done."""
    if low[node] != order[node]:
        return
    while group[node] < 0:
        group[stack.pop()] = node


def _is_decent(walk: Walk, node: int) -> bool:
    outcome = walk.states[node].outcome
    return outcome is not None and outcome.status is Status.COMPLETED and not outcome.partial


def _goes_on(walk: Walk, node: int) -> bool:
    state = walk.states[node]
    return state.phase is not Phase.DONE and state.landing is LandingStage.NONE


def _reached(begin: Iterable[int], following: Callable[[int], Iterable[int]]) -> Iterable[int]:
    seen = set(begin)
    queue = deque(seen)
    while queue:
        for node in following(queue.popleft()):
            if node not in seen:
                seen.add(node)
                queue.append(node)
    return seen


def _way(begin: int, end: int, after: dict[int, list[int]]) -> list[int]:
    """The nodes of a shortest way, both ends included."""
    came: dict[int, int] = {begin: begin}
    queue = deque([begin])
    while end not in came:
        node = queue.popleft()
        for target in after.get(node, ()):
            if target not in came:
                came[target] = node
                queue.append(target)
    way = [end]
    while way[-1] != begin:
        way.append(came[way[-1]])
    return way[::-1]
