"""Finding by words: BM25 over a few hundred short texts, in memory.

- Words are compared by their stems, so that `noodly` finds noodles: the ends that English puts on are taken off, and nothing is looked up.
- A word of a more important field counts more (BM25F with one length for all: Robertson, Zaragoza, Taylor, CIKM 2004).
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

SATURATION, LENGTH = 1.2, 0.5
"""How soon a repeated word counts no more, and how much long texts are held back: k1 and b of BM25."""

MOST_WORDS = 32
WORD = re.compile(r"[a-z0-9]+")
ENDS = ("ies", "es", "s", "ing", "ed", "y", "ie", "e", "i")
SHORTEST_STEM = 3
COMMON = frozenset(
    WORD.findall(
        "a an and any are at can could dish eat feel food for from get give have i in is it like me my not of on one or order please "
        "side small some something that the there thing to top want we what with without would you"
    )
)


class Field(msgspec.Struct, frozen=True):
    """A text, and how much a word of it counts."""

    text: str
    weight: float


class Lexical:
    """An index over documents, each of some fields."""

    def __init__(self, documents: Iterable[Sequence[Field]]) -> None:
        """Count the words."""
        self._counts: list[dict[str, float]] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for number, fields in enumerate(documents):
            counted: dict[str, float] = defaultdict(float)
            for field in fields:
                for word, times in Counter(words(field.text)).items():
                    counted[word] += field.weight * times
            self._counts.append(counted)
            for word in counted:
                self._holding[word].append(number)
        self._lengths = [sum(counted.values()) for counted in self._counts]
        self._usual = sum(self._lengths) / max(len(self._lengths), 1) or 1.0

    def ranked(self, text: str) -> Sequence[int]:
        """The documents that hold one of the words, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words(text)[:MOST_WORDS]):
            holding = self._holding.get(word, ())
            rarity = math.log(1 + (len(self._counts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for number in holding:
                scores[number] += rarity * self._weight(number, word)
        return sorted(scores, key=lambda number: (-scores[number], number))

    def _weight(self, number: int, word: str) -> float:
        times = self._counts[number][word]
        length = 1 - LENGTH + LENGTH * self._lengths[number] / self._usual
        return times * (SATURATION + 1) / (times + SATURATION * length)


def words(text: str) -> list[str]:
    """The stems of a text's words, without those that say nothing."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return [stem(word) for word in WORD.findall(plain) if word not in COMMON]


def stem(word: str) -> str:
    """The word without the ends that English puts on."""
    for end in ENDS:
        if word.endswith(end) and len(word) - len(end) >= SHORTEST_STEM:
            shorter = word.removesuffix(end)
            return stem(shorter) if end == "s" else shorter
    return word
