"""The arithmetic of circles: components are those of a slow and plain reckoning."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.check.faults import components


def _reaches(begin: int, after: dict[int, list[int]]) -> set[int]:
    seen: set[int] = {begin}
    waiting = [begin]
    while waiting:
        for node in after.get(waiting.pop(), []):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


@given(st.integers(1, 8).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.tuples(*[st.integers(0, size - 1)] * 2)))))
def test_two_nodes_are_in_one_component_if_each_reaches_the_other(graph: tuple[int, set[tuple[int, int]]]) -> None:
    size, edges = graph
    after: dict[int, list[int]] = {}
    for source, target in sorted(edges):
        after.setdefault(source, []).append(target)
    groups = components(size, after)
    reached = [_reaches(node, after) for node in range(size)]
    for one in range(size):
        for other in range(size):
            assert (groups[one] == groups[other]) is (other in reached[one] and one in reached[other])
