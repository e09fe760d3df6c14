"""Reasoning that a server leaves in the text: leading `<think>…</think>` blocks are taken out and never shown (case 18).

- One reader does it for whole replies and for streams, so that both come to the same text.
- Only leading blocks count: a text that speaks *about* such tags further on stays as it is.
- A block that never ends is reasoning to the end.
"""

OPEN, CLOSE = "<think>", "</think>"


class ThinkReader:
    """Takes a text piece by piece and gives back what may be shown."""

    def __init__(self) -> None:
        """Begin before the first piece."""
        self._held = ""
        self._inside = False
        self._shown = False
        self._thought: list[str] = []

    @property
    def thought(self) -> str:
        """What was taken out so far."""
        return "\n".join(self._thought)

    def feed(self, piece: str) -> str:
        """The part that may be shown now; what could still become a tag is held back."""
        if self._shown:
            return piece
        self._held += piece
        while True:
            if self._inside:
                block, closed, rest = self._held.partition(CLOSE)
                if not closed:
                    return ""
                self._thought.append(block.strip())
                self._held, self._inside = rest, False
            start = self._held.lstrip()
            if start.startswith(OPEN):
                self._held, self._inside = start.removeprefix(OPEN), True
            elif OPEN.startswith(start):
                return ""
            else:
                self._shown = True
                return start if self._thought else self._held

    def end(self) -> str:
        """What was held back and turned out to be no tag."""
        rest, self._held = self._held, ""
        if self._inside:
            self._thought.append(rest.strip())
            return ""
        return "" if self._shown else rest


def without_thinking(text: str) -> tuple[str, str]:
    """The text without leading blocks, and what was in them."""
    if OPEN not in text:
        return text, ""
    reader = ThinkReader()
    return reader.feed(text) + reader.end(), reader.thought
