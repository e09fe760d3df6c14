"""Facts: successful calls and the interface put them into the ledger; what people confirmed is stated again by code and survives."""

from handrail.core.request import request
from handrail.guards import Approval
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.facts import Fact, Ledger
from tests.core.kit import FakeTool, Play, agent, read, write


def test_a_successful_call_puts_its_facts_into_the_ledger_under_its_tools_name() -> None:
    play = Play(agent()).started().called("search").did(1, facts=[Fact("place", "A"), Fact("place", "B", confirmed=True, tool="forged")])
    assert [(fact.value, fact.tool, fact.confirmed) for fact in play.state.ledger] == [("A", "search", False), ("B", "search", False)]


def test_what_fails_or_is_lost_puts_nothing_there() -> None:
    play = Play(agent()).started().called("search", "search").ran(1).ran(2).tool_failed(1).lost(2)
    assert len(play.state.ledger) == 0


def test_facts_of_a_call_that_a_person_said_yes_to_are_confirmed() -> None:
    play = Play(agent(write(), guards=[Approval("pay")])).started().called("pay").yes().did(1, facts=[Fact("payment", 7)])
    assert [fact.confirmed for fact in play.state.ledger] == [True]


def test_what_a_person_answers_is_confirmed() -> None:
    ask = FakeTool("ask", ToolEffect.READ, Where.PERSON)
    play = Play(agent(ask)).started().called("ask").returned(1, "two", facts=[Fact("adults", 2, "adults")])
    assert play.state.ledger.confirmed() == (Fact("adults", 2, "adults", confirmed=True, tool="ask"),)


def test_confirmed_facts_are_stated_again_to_the_model_by_code() -> None:
    ask = FakeTool("ask", ToolEffect.READ, Where.PERSON)
    play = Play(agent(ask, read())).started().called("ask").returned(1, "two", facts=[Fact("brief", 2, "adults"), Fact("no", "ferry")])
    play.called("search").did(1, facts=[Fact("place", "A")])
    system = request(play.agent, play.state).system
    assert system.startswith("Help.\n\nConfirmed by the user") and system.endswith('\n- brief (adults): 2\n- no: "ferry"')


def test_without_confirmed_facts_the_system_text_is_the_agents_own() -> None:
    play = Play(agent()).started()
    assert request(play.agent, play.state).system == "Help."


def test_a_change_of_mind_touches_only_the_fields_that_a_later_confirmed_fact_names() -> None:
    first = Ledger().adding([Fact("brief", "plateau", "where", confirmed=True), Fact("brief", 2, "adults", confirmed=True)])
    later = first.adding([Fact("brief", "island", "where", confirmed=True), Fact("brief", 9, "adults")])
    assert later.field("brief", "where") == "island" and later.field("brief", "adults") == 2
    assert len(later.confirmed()) == 2 and len(first) == 2


def test_a_fact_without_a_field_is_known_by_its_value() -> None:
    ledger = Ledger().adding([Fact("n", 1), Fact("n", 1.0), Fact("n", True), Fact("n", "1"), Fact("m", 1)])
    assert [fact.value for fact in ledger] == [1.0, True, "1", 1]
    assert ledger.has("n", 1) and not ledger.has("n", 2) and ledger.of("m") == (Fact("m", 1),)


def test_a_ledger_made_of_facts_is_the_same_as_one_they_were_added_to() -> None:
    facts = (Fact("n", 1), Fact("n", 2, "key"))
    assert Ledger(facts) == Ledger().adding(facts)


def test_the_interface_notes_facts_of_its_own_which_are_not_confirmed_and_stand_for_what_it_noted_before() -> None:
    play = Play(agent()).started().called("search").did(1, facts=[Fact("item", "from the tool")])
    play.facts_noted(Fact("item", "bowl"), Fact("page", "/menu"), source="cart")
    play.facts_noted(Fact("item", "cup", confirmed=True), source="cart", replaces=["item"])
    assert [(fact.value, fact.tool) for fact in play.state.ledger] == [("from the tool", "search"), ("/menu", "cart"), ("cup", "cart")]
    assert play.state.ledger.confirmed() == ()


def test_facts_noted_do_not_move_a_run_on_but_the_next_judgement_sees_them() -> None:
    show = Approval("pay", show=lambda arguments, ledger: f"cart: {list(ledger.values('item'))}")
    play = Play(agent(write(), guards=[show])).started().facts_noted(Fact("item", "bowl")).called("pay")
    assert play.held().show == "cart: ['bowl']"
