"""Wishes that have to be met and are told in words: a diet, a price, open now.

Rules: only words that leave no doubt count; what is not understood stays a matter of rank. The strictest reading of a diet is taken.
"""

import re

DIETS = (
    ("vegan", re.compile(r"\bvegan\b|\b(?:plant[- ]based|dairy[- ]free)\b|\b(?:without|no) (?:dairy|milk|cheese)\b", re.IGNORECASE)),
    ("vegetarian", re.compile(r"\bvegetarian\b|\bveggie\b|\b(?:without|no) meat\b|\bmeat[- ]?(?:less|free)\b", re.IGNORECASE)),
    ("gluten-free", re.compile(r"\bgluten[- ]free\b|\b(?:without|no) gluten\b", re.IGNORECASE)),
)
MOST = re.compile(r"\b(?:under|below|less than|at most|up to|max(?:imum)?)\s+[$€£]?(\d{1,4})(?:[.,](\d{2}))?(?!\d)", re.IGNORECASE)
OPEN = re.compile(r"\bopen\b", re.IGNORECASE)


def diets_in(text: str) -> frozenset[str]:
    """The diets that a text asks for, as tags."""
    return frozenset(tag for tag, pattern in DIETS if pattern.search(text))


def without_diets(text: str) -> str:
    """The text without the words that ask for a diet."""
    for _, pattern in DIETS:
        text = pattern.sub(" ", text)
    return " ".join(text.split())


def most_cents_in(text: str) -> int | None:
    """The price that a text names as the most for a dish."""
    found = MOST.search(text)
    return None if found is None else int(found[1]) * 100 + int(found[2] or 0)


def open_in(text: str) -> bool:
    """Whether a text asks for what is open."""
    return OPEN.search(text) is not None
