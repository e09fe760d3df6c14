"""Descriptions from a docstring of Google's style: the text for the tool, `Args` for its parameters."""

import inspect

import msgspec
from griffe import Docstring, DocstringSectionAdmonition, DocstringSectionParameters, DocstringSectionText


class Described(msgspec.Struct, frozen=True):
    """What a docstring says."""

    text: str
    parameters: dict[str, str]


def described(docstring: str | None) -> Described:
    """The docstring's text, notes included, and what it says of each parameter; `Returns` and the like are for people."""
    texts: list[str] = []
    parameters: dict[str, str] = {}
    for section in Docstring(inspect.cleandoc(docstring or "")).parse("google", warnings=False):
        match section:
            case DocstringSectionText():
                texts.append(section.value.strip())
            case DocstringSectionAdmonition():
                texts.append(f"{section.title}: {section.value.description.strip()}")
            case DocstringSectionParameters():
                parameters |= {parameter.name: " ".join(parameter.description.split()) for parameter in section.value}
            case _:
                pass
    return Described("\n\n".join(text for text in texts if text), parameters)
