"""Long ids are short for the model, and themselves for everybody else."""

from handrail.models.local.aliases import Aliases
from handrail.vocab.messages import user

FIRST, SECOND = "f2f86d1c-3d7c-5f0e-8f0e-000000000001", "f2f86d1c-3d7c-5f0e-8f0e-000000000002"


def test_ids_are_numbered_where_they_first_appear() -> None:
    aliases = Aliases()
    assert aliases.shorten(f"{SECOND} {FIRST} {SECOND}") == "id-1 id-2 id-1"
    assert aliases.lengthen({"a": ["id-2", {"b": "open id-1"}], "n": 3}) == {"a": [FIRST, {"b": f"open {SECOND}"}], "n": 3}


def test_a_conversation_that_grows_keeps_its_beginning() -> None:
    messages = [user(f"look at {FIRST}"), user(f"and {SECOND}")]
    assert Aliases().shortened(messages)[:1] == Aliases().shortened(messages[:1])


def test_what_stands_for_nothing_stays() -> None:
    assert Aliases().lengthen("id-9") == "id-9"


def test_numbers_words_and_addresses_are_no_long_ids() -> None:
    text = "order 1001 of amber@example.com, deadbeef, 4.50"
    assert Aliases().shorten(text) == text
