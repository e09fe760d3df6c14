"""What a guard sees in a walk: counts up to its caps, and nothing that it does not declare."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.check.masking import Mask, Masked
from handrail.check.notebook import Notebook, WalkState
from handrail.check.sights import Reader, Sight
from handrail.core.ring import JudgedCall
from handrail.core.state import Count, Done, Offer, Reading, RunState
from handrail.errors import AgentError
from handrail.guards import Approval, BaseGuard, CallLimit, NoProgress, TimeLimit, TokenLimit, TurnLimit
from handrail.vocab.calls import ToolEffect
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.verdicts import ALLOW, Lens, Limit, Refuse

LATER, SOONER = Fact("place", "b"), Fact("place", "a")
STATE = WalkState(
    counts={"search": Count(cleared=9, succeeded=7)},
    done=tuple(Done(tool="search", call=f"t{turn}c1", arguments=text) for turn, text in enumerate(['{"q":2}', '{"q":1}', '{"q":2}'])),
    ledger=Ledger((LATER, SOONER, Fact("note", 1))),
    offer=Offer(turns_left=12),
    fruitless=8,
    last_tools=("search",),
    reviews={"submit": 5},
    text_refusals=("G", "G"),
)
CALL = JudgedCall(id="t1c1", tool="submit", effect=ToolEffect.WRITE, arguments={})


class _Looking(BaseGuard):
    looks = (
        Lens("used", "search", 3),
        Lens("ok", "search", 2),
        Lens("computed", "search"),
        Lens("facts", "place"),
        Lens("rounds", "submit", 1),
        Lens("refused_texts", "G", 1),
        Lens("fruitless", "", 4),
        Lens("last_tools"),
        Lens("turns_left", "", 1),
        Lens("landing"),
        Lens("waits_for", "search"),
        Lens("ledger"),
    )


READS: dict[str, tuple[Callable[[Reading], Any], Any]] = {
    "used": (lambda state: state.used("search"), 3),
    "ok": (lambda state: state.ok("search"), 2),
    "computed": (lambda state: state.computed("search"), ({"q": 1}, {"q": 2})),
    "facts": (lambda state: state.facts("place"), (SOONER, LATER)),
    "rounds": (lambda state: state.rounds("submit"), 1),
    "refused_texts": (lambda state: state.refused_texts("G"), 1),
    "fruitless": (lambda state: state.fruitless, 4),
    "last_tools": (lambda state: state.last_tools, ("search",)),
    "turns_left": (lambda state: state.turns_left, 1),
    "landing": (lambda state: state.landing.value, "none"),
    "waits_for": (lambda state: state.waits_for("t1c1", "search"), None),
    "ledger": (lambda state: state.ledger.values("place"), ("a", "b")),
}


def _mask(guard: BaseGuard, notebook: Notebook | None = None) -> Mask:
    mask = Mask(guard, notebook or Notebook(), Reader(frozenset()))
    mask.state = STATE
    return mask


@pytest.mark.parametrize("name", READS)
def test_what_is_declared_is_read_up_to_its_cap_and_in_an_order_of_its_own(name: str) -> None:
    read, seen = READS[name]
    assert read(_mask(_Looking())) == seen


@pytest.mark.parametrize("name", READS)
def test_what_is_not_declared_cannot_be_read(name: str) -> None:
    notebook = Notebook()
    with pytest.raises(AgentError, match=f"guard 'BaseGuard' reads .*{name}.*Lens"):
        READS[name][0](_mask(BaseGuard(), notebook))
    assert notebook.wrong is not None


def test_every_member_of_reading_is_masked() -> None:
    assert set(READS) == {member for member in vars(Reading) if not member.startswith("_")}


def test_what_is_read_is_noted_once_and_with_the_highest_cap() -> None:
    notebook = Notebook()
    _mask(CallLimit("search", 2), notebook).used("search")
    assert notebook.sights == {Sight("used", "search"): 2} and notebook.news
    notebook.news = False
    _mask(CallLimit("search", 2), notebook).used("search")
    assert not notebook.news
    _mask(CallLimit("search", 4), notebook).used("search")
    assert notebook.sights == {Sight("used", "search"): 4} and notebook.news


def test_a_count_since_the_last_message_is_another_sight() -> None:
    notebook = Notebook()
    _mask(CallLimit("search", 2), notebook).used("search", per="message")
    assert list(notebook.sights) == [Sight("used", "search", "message")]


def test_a_ledger_that_is_read_by_kind_is_noted_by_kind_and_else_as_a_whole() -> None:
    notebook = Notebook()
    ledger = _mask(_Looking(), notebook).ledger
    assert ledger.has("place", "a") and ledger.field("note", "x") is None and len(ledger.of("note")) == 1
    assert list(notebook.sights) == [Sight("facts", "place"), Sight("facts", "note")]
    assert [fact.value for fact in ledger] == [1, "a", "b"] and len(ledger) == 3 and ledger.confirmed() == ()
    assert Sight("facts", "*") in notebook.sights


def test_the_document_of_an_approval_sees_the_ledger_and_notes_nothing() -> None:
    notebook = Notebook()
    approval = Approval("submit", show=lambda arguments, ledger: {"places": list(ledger.values("place"))})
    verdict = Masked(approval, notebook, Reader(frozenset()), frozenset()).judges(STATE, CALL)
    assert getattr(verdict, "show", None) == {"places": ["a", "b"]}
    assert not notebook.sights


def _limit(guard: BaseGuard, state: RunState) -> Limit:
    limit = Masked(guard, Notebook(), Reader(frozenset()), frozenset()).limits(state)
    assert limit is not None
    return limit


@pytest.mark.parametrize("guard", [TimeLimit(10), TokenLimit(10), TurnLimit(10), NoProgress()])
def test_a_limit_is_far_away_until_it_nears(guard: BaseGuard) -> None:
    limit = _limit(guard, WalkState(turn=9))
    assert limit.name == guard.name and min(limit.soft, limit.hard) > 1_000_000


def test_limits_near_when_the_walk_says_so() -> None:
    assert _limit(TimeLimit(10), WalkState(hard=True)).hard < 0
    assert _limit(TurnLimit(10), WalkState(turn=2, horizon=3)).hard == 3
    fruitless = _limit(NoProgress(), WalkState(soft=True, hard=True))
    assert fruitless.soft < 0 and fruitless.bare is not None and fruitless.bare < 0 and fruitless.hard > 0


def test_a_guard_without_lenses_may_refuse_once_a_call_and_step() -> None:
    class Unknown(BaseGuard):
        looks = None

        def judges(self, state: Reading, call: JudgedCall) -> Refuse:
            raise AssertionError("it is not asked")

    notebook = Notebook()
    one, other = (Masked(Unknown().named(name), notebook, Reader(frozenset()), frozenset()) for name in ("one", "other"))
    notebook.begin(())
    assert one.judges(STATE, CALL) == ALLOW and other.judges(STATE, CALL) == ALLOW
    assert notebook.choices == 1
    notebook.begin((True,))
    assert isinstance(one.judges(STATE, CALL), Refuse) and other.judges(STATE, CALL) == ALLOW
    assert set(notebook.assumed) == {"one", "other"}
