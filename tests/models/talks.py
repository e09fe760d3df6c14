"""Transcripts as a run can have them, for property tests: valid in their order, with anything at all inside."""

from hypothesis import strategies as st

from handrail.vocab.calls import ProposedCall, call_id
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage

texts = st.text(max_size=20)
words = st.text(min_size=1, max_size=20)
arguments = st.one_of(
    st.none(),
    texts,
    st.sampled_from(["", " ", "{}", '{"a":1}', "[1]", "null", "7", '"{\\"n\\": 2}"', "{", '{"a":NaN}', '{"a":"\\ud800"}', "[" * 3000]),
)
provider_ids = st.one_of(st.sampled_from(["", "x", "y", "call_1", "a b", "abcdef123", "z" * 43]), texts)


@st.composite
def _said(draw: st.DrawFn) -> UserMessage:
    return UserMessage(said=tuple(draw(st.lists(st.builds(Said, text=words, ours=st.booleans()), min_size=1, max_size=3))))


@st.composite
def _turn(draw: st.DrawFn, number: int) -> list[Message]:
    """What one reply and its handling leave behind, with the user's next words."""
    wanted = draw(st.lists(st.tuples(provider_ids, texts, arguments), max_size=3))
    calls = tuple(
        ProposedCall(id=call_id(number, index), name=name, arguments=raw, provider_id=id) for index, (id, name, raw) in enumerate(wanted, 1)
    )
    text = draw(st.one_of(st.none(), texts)) if calls else draw(words)
    extra = draw(st.dictionaries(st.sampled_from(["reasoning_content", "reasoning", "thinking"]), words, max_size=2))
    results: list[Message] = [ToolMessage(call=call.id, content=draw(texts)) for call in calls]
    answered: list[Message] = [AssistantMessage(text=text, calls=calls, extra=extra), *results]
    return [*answered, draw(_said())] if not calls or draw(st.booleans()) else answered


@st.composite
def talks(draw: st.DrawFn) -> tuple[Message, ...]:
    """A transcript that a model can be asked with."""
    said: list[Message] = [draw(_said())]
    turns = [draw(_turn(number)) for number in range(1, draw(st.integers(0, 4)) + 1)]
    return tuple(said + [message for turn in turns for message in turn])
