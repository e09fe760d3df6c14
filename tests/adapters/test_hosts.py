"""The table guard by host is what is measured: every cell with the real package and a scripted model."""

import pytest

from handrail import guards
from handrail.errors import AgentError
from handrail.guards import MustSubmit, Review, Screen
from handrail.guards.base import BaseGuard
from handrail.testing import says
from tests.adapters import hosts_table
from tests.adapters.hosting import HOSTS, Game
from tests.adapters.measuring import GUARDS, critic, lacking, reporter

REFUSED = {
    "openai_agents": (MustSubmit("submit"), Review("submit", reviewer=critic()), Screen(critic())),
    "pydantic_ai": (Review("submit", reviewer=critic()), Screen(critic())),
    "mcp": (Screen(critic()),),
}


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("guard", GUARDS)
async def test_a_guard_holds_under_a_host_what_the_page_says(guard: str, host: str) -> None:
    assert await lacking(guard, host) == hosts_table.lacking(guard, host)


@pytest.mark.parametrize(("host", "guard"), [(host, guard) for host, each in REFUSED.items() for guard in each])
async def test_what_a_host_does_not_hold_at_all_is_refused_by_name_before_the_model_is_asked(host: str, guard: BaseGuard) -> None:
    game = Game(reporter(guard), (says("Never."),))
    with pytest.raises(AgentError, match="submits" if isinstance(guard, MustSubmit) else guard.name.partition("(")[0]):
        await HOSTS[host](game)
    assert game.model.requests == []


def test_every_guard_is_in_the_table() -> None:
    classes = {name for name in guards.__all__ if isinstance(kind := getattr(guards, name), type) and issubclass(kind, BaseGuard)}
    assert classes - {"BaseGuard", "Rule"} | {"@guard"} == set(GUARDS)


def test_the_page_is_the_table() -> None:
    """`python -m tests.adapters.hosts_table` writes it again."""
    assert hosts_table.PAGE.read_text(encoding="utf-8") == hosts_table.page()
