"""AnswerLimit: an answer that is too long is sent back once to be shortened, then cut at a sentence.

A word is what stands between white space. On the last turn there is nothing to send back to, so the answer is cut at once.
"""

import re

from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import whole
from handrail.vocab.verdicts import ALLOW, Amend, Lens, Refuse, TextVerdict

WORD = re.compile(r"\S+")
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»›)\]*_]*$")
NO_SENTENCE_END = re.compile(r"\W*(?:\w\.){2,}\W*$")  # such as e.g. and z.B.
LIST_NUMBER = re.compile(r"\d+\.$")


class AnswerLimit(BaseGuard):
    """At most so many words in the answer.

    Args:
        words: 1 or more.
    """

    refuses_text = True

    def __init__(self, words: int) -> None:
        """Check the declaration.

        Raises:
            AgentError: it is no whole number from 1 on.
        """
        self.words = whole(type(self).__name__, "words", words)
        super().__init__(words)
        self.looks = (Lens("refused_texts", self.name, 1), Lens("turns_left", "", 1))

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """Send a long answer back once, then cut."""
        words = len(WORD.findall(text))
        if words <= self.words:
            return ALLOW
        if state.refused_texts(self.name) >= 1 or state.turns_left == 0:
            return Amend(cut(text, self.words))
        return Refuse("too_long", f"This answer has {words} words; at most {self.words} are delivered. Say the same in fewer words.")


def cut(text: str, words: int) -> str:
    """The text up to the last sentence that ends within so many words; without one, those words and `…`."""
    kept = list(WORD.finditer(text))[:words]
    for word in reversed(kept):
        if _ends_sentence(text, word):
            return text[: word.end()].lstrip()
    return text[: kept[-1].end()].lstrip() + "…"


def _ends_sentence(text: str, word: re.Match[str]) -> bool:
    if not SENTENCE_END.search(word[0]) or NO_SENTENCE_END.match(word[0]):
        return False
    begins_line = not text[: word.start()].rpartition("\n")[2].strip()
    return not (begins_line and LIST_NUMBER.match(word[0]))
