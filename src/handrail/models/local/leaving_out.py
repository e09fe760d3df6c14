"""Optional arguments that nothing in the conversation supports are left out: small models fill in whatever a declaration has room for.

- Only what may be left out ever is. What is needed stays, however odd: validation and the ring judge it.
- Supported is a value that was said: by the user, in the history, in a result; as it stands, as another form of the word, as a word that
  means the same, as a number in digits or words. A list or an object is supported by any one of its values; the most that there may be, by
  whoever asked for all.
- Nothing is changed, and nothing added. What was left out is kept beside the reply, so the journal has it.
"""

import re
from collections.abc import Mapping
from typing import Any

WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
ENDINGS = ("ings", "ing", "ies", "led", "ed", "es", "s", "y")
LEAST = 3
"""Letters of a word that are left when its ending is taken off."""
NUMBERS = {
    0: "zero none", 1: "one single last latest newest recent once", 2: "two couple both twice pair", 3: "three", 4: "four", 5: "five",
    6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve dozen", 15: "fifteen", 20: "twenty", 50: "fifty",
}  # fmt: skip
SAME = (
    "delivered arrived received geliefert zugestellt angekommen",
    "shipped sent dispatched transit underway way versandt verschickt verschickte unterwegs",
    "placed open pending new unshipped offen offene aufgegeben",
    "cancelled canceled called storniert stornierte stornierten",
    "cheap inexpensive affordable budget",
    "on enable activate start",
    "off disable deactivate stop",
)
"""Words of which each stands for the others in its line."""
ALL = "all every each many count total complete entire whole everything alle viele"
"""Words that ask for as much as there is, such as how many."""


def without_unsupported(arguments: Mapping[str, Any], schema: Mapping[str, Any], said: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The arguments that stay, and those that are left out.

    Args:
        arguments: of one call.
        schema: what they are declared as.
        said: everything that was said in the conversation.
    """
    needed, heard = set(schema.get("required", ())), _Heard(said)
    properties = schema.get("properties", {})
    out = {
        name: value
        for name, value in arguments.items()
        if name not in needed and not (heard.supports(value, name) or (heard.all and value == properties.get(name, {}).get("maximum")))
    }
    return {name: value for name, value in arguments.items() if name not in out}, out


class _Heard:
    """What was said, in the forms in which it is looked for."""

    def __init__(self, said: str) -> None:
        self._text = said.casefold()
        self._stems = {_stem(word) for word in WORD.findall(self._text)}
        self._numbers = {float(number.replace(",", ".")) for number in NUMBER.findall(self._text)}

    @property
    def all(self) -> bool:
        """Somebody asked for all."""
        return self._any(ALL)

    def supports(self, value: Any, name: str) -> bool:
        match value:
            case None | "":
                return False
            case bool():
                return any(_stem(word) in self._stems for word in name.casefold().split("_"))
            case int() | float():
                return float(value) in self._numbers or self._any(NUMBERS.get(int(value), "") if value == int(value) else "")
            case str():
                return self._says(value.casefold())
            case Mapping():
                return any(self.supports(part, name) for part in value.values())
            case list() | tuple():
                return any(self.supports(part, name) for part in value)
            case _:
                return True

    def _says(self, value: str) -> bool:
        if value in self._text:
            return True
        words = WORD.findall(value)
        return bool(words) and all(_stem(word) in self._stems or self._any(_alike(word)) for word in words)

    def _any(self, words: str) -> bool:
        return any(_stem(word) in self._stems for word in words.split())


def _alike(word: str) -> str:
    return " ".join(line for line in SAME if word in line.split())


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST:
            stem = word.removesuffix(ending)
            return stem[:-1] if len(stem) > LEAST and stem[-1] == stem[-2] else stem
    return word.removesuffix("e") if len(word) > LEAST else word
