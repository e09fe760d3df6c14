"""Events as lines: what goes in comes out, and what does not belong there is refused by name."""

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.codec import cleaned, decode, encode
from handrail.codec.events import lifted
from handrail.core.events import INPUTS, JUDGEMENTS, Event, ModelReplied, RunFinished, RunParked, RunStarted, Ticked, ToolReturned, UserSaid
from handrail.core.evolve import fold
from handrail.errors import JournalError
from handrail.testing.journals import one_of_each
from handrail.vocab.facts import Fact
from handrail.vocab.outcomes import Outcome, Status

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_the_samples_hold_every_kind_of_event() -> None:
    assert {type(event) for event in one_of_each("run_1")} == {*INPUTS, *JUDGEMENTS}


@pytest.mark.parametrize("event", one_of_each("run_1"), ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert decode(encode(event)) == event


@pytest.mark.parametrize("event", one_of_each("run_1"), ids=lambda event: type(event).__name__)
def test_an_event_is_one_line_that_begins_with_its_version_and_its_name(event: Event) -> None:
    line = encode(event)
    assert b"\n" not in line
    assert line.startswith(f'{{"v":2,"event":"{type(event).__name__}"'.encode())


def test_a_line_is_what_the_documentation_says() -> None:
    assert encode(Ticked(at=AT)) == b'{"v":2,"event":"Ticked","at":"2026-01-01T12:00:00Z"}'
    assert encode(RunParked()) == b'{"v":2,"event":"RunParked"}'


def test_the_order_of_the_fields_and_the_form_of_the_text_do_not_matter() -> None:
    assert decode('{"at": "2026-01-01T13:00:00+01:00", "event": "Ticked", "v": 1}\n') == Ticked(
        at=AT.astimezone(timezone(timedelta(hours=1)))
    )


@given(st.text(), JSON, st.dictionaries(st.text(), JSON, max_size=3))
def test_any_text_and_any_json_come_back_but_for_what_no_store_can_keep(text: str, value: object, extra: dict[str, object]) -> None:
    reply = cleaned(ModelReplied(at=AT, turn=1, text=text, extra=extra))
    finished = cleaned(RunFinished(outcome=Outcome(status=Status.COMPLETED, output=value)))
    assert decode(encode(reply)) == reply
    assert decode(encode(finished)) == finished


@given(st.text() | st.binary())
def test_reading_any_text_gives_an_event_or_says_what_is_wrong(line: str | bytes) -> None:
    with pytest.raises(JournalError):
        decode(line)


WRONG = [
    ("", "no line of a journal"),
    ("{", "no line of a journal"),
    ('{"v":2,"event":"Ticked","at":"2026-01-01T12:00:00Z"', "no line of a journal"),
    (b"\xff\xfe", "no line of a journal"),
    ("[]", "an object is expected, not '[]'"),
    ("null", "an object is expected, not 'null'"),
    ("{}", "names no schema version"),
    ('{"v":"1","event":"RunParked"}', "names no schema version"),
    ('{"v":true,"event":"RunParked"}', "names no schema version"),
    ('{"v":3,"event":"RunParked"}', "schema version 3 cannot be read here (this is 2). It was written by a newer handrail"),
    ('{"v":0,"event":"RunParked"}', "No handrail has written that version"),
    ('{"v":1}', "Object missing required field `event`"),
    ('{"v":1,"event":"RunExploded"}', "there is no event 'RunExploded'"),
    ('{"v":1,"event":7}', "this is no event"),
    ('{"v":1,"event":"RunParked","why":"?"}', "this is no RunParked: Object contains unknown field `why`"),
    ('{"v":1,"event":"RunFinished","outcome":{"status":"failed","mood":"bad"}}', "unknown field `mood` - at `$.outcome`"),
    ('{"v":1,"event":"FactsNoted","at":"2026-01-01T12:00:00Z","source":"s","facts":[{"kind":"a","value":1,"x":1}]}', "unknown field `x`"),
    ('{"v":2,"event":"Ticked"}', "this is no Ticked: Object missing required field `at`"),
    ('{"v":2,"event":"Ticked","at":"yesterday"}', "this is no Ticked: Invalid RFC3339"),
    ('{"v":2,"event":"Ticked","at":"2026-01-01T12:00:00"}', "Ticked has a time without a zone"),
    (
        '{"v":1,"event":"HoldAnswered","at":"2026-01-01T12:00:00Z","hold":"h","digest":"d","answer":"perhaps"}',
        "Invalid enum value 'perhaps'",
    ),
]


@pytest.mark.parametrize(("line", "what"), WRONG)
def test_what_is_no_event_is_refused_and_the_error_says_what_it_is(line: str | bytes, what: str) -> None:
    with pytest.raises(JournalError) as error:
        decode(line)
    assert what in str(error.value)


def test_an_error_quotes_no_more_than_the_beginning_of_a_line() -> None:
    with pytest.raises(JournalError) as error:
        decode("x" * 10_000)
    assert len(str(error.value)) < 300


def test_an_older_version_is_lifted_step_by_step_and_a_gap_is_an_error() -> None:
    steps = {1: lambda fields: fields | {"one": 1}, 2: lambda fields: fields | {"two": 2}}
    assert lifted({"v": 1, "a": 0}, 3, steps) == {"a": 0, "one": 1, "two": 2}
    assert lifted({"v": 3, "a": 0}, 3, steps) == {"a": 0}
    with pytest.raises(JournalError, match="schema version 0"):
        lifted({"v": 0}, 3, steps)
    with pytest.raises(JournalError, match="schema version 1"):
        lifted({"v": 1}, 3, {2: steps[2]})


def test_a_value_without_a_json_form_is_refused_before_anything_is_written() -> None:
    with pytest.raises(JournalError, match="ToolReturned cannot be stored"):
        encode(ToolReturned(at=AT, call="t1c1", content="x", facts=(Fact("place", object()),)))


def test_case_43_text_that_no_store_can_keep_is_replaced_visibly_everywhere() -> None:
    fact = Fact("pl\x00ace", {"k\x00": ["a\x00b", "\ud800"]}, about={"\udfff": "x\x00"})
    event = ToolReturned(at=AT, call="t1c1", content="a\x00b", facts=(fact,))
    clean = Fact("pl\ufffdace", {"k\ufffd": ["a\ufffdb", "\ufffd"]}, about={"\ufffd": "x\ufffd"})
    kept = ToolReturned(at=AT, call="t1c1", content="a\ufffdb", facts=(clean,))
    assert cleaned(event) == kept
    assert decode(encode(event)) == kept
    assert b"\\u0000" not in encode(event)


@pytest.mark.parametrize("text", ["\\u0000", "\\\\u0000", "\\ud800", "\U0001f44b", "\ufffd", "\x01\x7f"])
def test_case_43_text_that_only_looks_like_it_is_left_alone(text: str) -> None:
    event = UserSaid(at=AT, text=text)
    assert cleaned(event) == event
    assert decode(encode(event)) == event


def test_what_needs_no_cleaning_is_the_same_object() -> None:
    event = UserSaid(at=AT, text="plain")
    assert cleaned(event) is event


def test_cleaning_keeps_the_time_and_its_zone() -> None:
    event = UserSaid(at=AT.astimezone(timezone(timedelta(hours=2))), text="\x00")
    assert cleaned(event).at == event.at and msgspec.structs.asdict(cleaned(event))["at"].utcoffset() == timedelta(hours=2)


def test_a_run_of_version_1_is_read_and_has_no_history_limit() -> None:
    line = '{"v":1,"event":"RunStarted","at":"2026-01-01T12:00:00Z","run_id":"r","agent":"a","fingerprint":"f","message":"Go"}'
    begun = decode(line)
    assert isinstance(begun, RunStarted) and begun.history_limit is None and begun.confirmed == ()
    assert b'"history_limit":null' in encode(begun)


def test_a_journal_of_version_1_folds_to_what_it_folded_to() -> None:
    lines = (
        '{"v":1,"event":"RunStarted","at":"2026-01-01T12:00:00Z","run_id":"r","agent":"a","fingerprint":"f","message":"Go"}',
        '{"v":1,"event":"TurnOpened","turn":1,"offered":[]}',
        '{"v":1,"event":"ModelReplied","at":"2026-01-01T12:00:01Z","turn":1,"text":"Done."}',
        '{"v":1,"event":"RunFinished","outcome":{"status":"completed","output":"Done."}}',
    )
    state = fold(map(decode, lines))
    assert state.outcome == Outcome(status=Status.COMPLETED, output="Done.") and state.history_limit is None
