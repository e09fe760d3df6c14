"""What is written into a channel, made from what models and tools said.

- Nobody is called by it: an `@` that Mattermost would take for a mention is followed by an invisible joiner. Its parser
  (`mention_parser_standard.go`) ends a word at every character that is no letter, digit or one of `:.-_@`; an address such as
  `a@example.com` is no mention, and stays as it is. An entity that becomes an `@` (`&#64;`) does not become one.
- What moves the cursor, hides itself or turns a line around is shown as its code.
- A post has at most 16,383 characters; a longer text is split where a paragraph, a line or a word ends.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from handrail.stores.jobs import Job, JobStatus

LONGEST_POST = 16_000
"""Characters, with room for a note below the 16,383 that Mattermost takes (`PostMessageMaxRunesV2` in `server/public/model/post.go`)."""

JOINER = "\u200d"
_MENTION = re.compile(f"(?<![A-Za-z0-9])@(?!{JOINER})")
_ENTITY = re.compile(f"&(?!{JOINER})(?=#0*64;|#[xX]0*40;|commat;)")
_SLACK = re.compile(f"<(?!{JOINER})(?=[!@])")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")
_ENDS = ("\n\n", "\n", " ")


def calling_nobody(text: str) -> str:
    """The text, without anything that Mattermost takes for a mention."""
    visible = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))
    for taken in (_SLACK, _ENTITY, _MENTION):
        visible = taken.sub(lambda found: found[0] + JOINER, visible)
    return visible


def quoted(value: Any) -> str:
    """A document as it is, in a block that nothing inside can end."""
    text = value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text)), 3)
    return f"{fence}\n{calling_nobody(text)}\n{fence}"


def answer_of(job: Job) -> str:
    """What a job that has ended says to the channel; why it failed is for those who look after it."""
    match job.status:
        case JobStatus.COMPLETE:
            return (job.response or "").strip() or "(The answer is empty.)"
        case JobStatus.CANCELLED:
            return "This was stopped before there was an answer."
        case _:
            return f"This could not be done. What went wrong is in {job.job_id}."


def pieces(text: str, *, most: int, job_id: str) -> list[str]:
    """The text as so many posts at most; what does not fit is cut, with a note."""
    rest = calling_nobody(text)
    found = list(_split(rest))
    if len(found) <= most:
        return found
    kept = found[:most]
    shown = sum(map(len, kept))
    kept[-1] += (
        f"\n\n*(Cut here: Mattermost takes no more of it. These are {shown:,} of {len(rest):,} characters; the rest is in {job_id}.)*"
    )
    return kept


def _split(text: str) -> Iterator[str]:
    rest = text
    while len(rest) > LONGEST_POST:
        at = next((found for end in _ENDS if (found := rest.rfind(end, LONGEST_POST // 2, LONGEST_POST)) > 0), LONGEST_POST)
        # What was no mention inside a word is one at the beginning of a post.
        yield rest[:at].rstrip("\n")
        rest = calling_nobody(rest[at:].lstrip("\n"))
    yield rest
