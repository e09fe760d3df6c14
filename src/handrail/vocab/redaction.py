"""Text from outside, with what is a secret, or looks like one, taken out (case 75).

- What looks like one: what follows `key=`, `token:`, `password=` and the like, an `Authorization`, the part of a URL before its `@`, and
  the shapes of well-known keys. A word too much is taken out rather than one too few.
- What is one is known only to whoever has it, and is given (`known`).
- The time that it takes grows with the text's length only: models and providers write what is read here.
"""

import re
from collections.abc import Iterable

REDACTED = "[redacted]"
SHORTEST = 4
"""Characters of a known secret; a shorter one would take words apart."""

_SECRET = re.compile(
    r"""(?ix)
    (?P<before> (?:(?<![a-z])key|apikey|token|secret|password|passwd|pwd|authorization|cookie|handrail(?==))["']?\s*[=:]\s*["']?
              | \b(?:bearer|basic)\s+
              | ://
    )
    (?: (?<=://) (?: [^\s/@:"'<>]{0,200}:[^\s"'<>]{0,1000}@ | [^\s/@"'<>]{1,1000}@ )    # user:password@, whatever is in the password
      | (?<!://) (?: (?<=")[^"]* | (?<=')[^']* | (?:(?:bearer|basic|token)\s+)?[^\s"'&,;)}\]]+ )
    )
    | \b(?: (?:sk|pk|rk)(?:-|_(?:live|test)_) | (?:gsk|xai|pplx|ghp|gho|glpat|github_pat|hf|hrk|xox[abps])[-_] | AIza | AKIA | eyJ )
      [\w-]{6,}[\w*.-]*
    """
)


def redacted(text: str, known: Iterable[str] = ()) -> str:
    """The text without secrets."""
    for secret in known:
        if len(secret) >= SHORTEST:
            text = text.replace(secret, REDACTED)
    return _SECRET.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    before = found["before"] or ""
    return f"{before}{REDACTED}{'@' if before == '://' else ''}"
