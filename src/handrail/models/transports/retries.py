"""When to ask a provider again, and after how long: the official client's own rule, for a member that has none (cases 34 and 35).

- What asking again cannot cure is asked once. A provider may say itself whether it is to be asked again (`x-should-retry`).
- Never earlier than asked for. A wait longer than `LONGEST_ASKED` is not waited for here; whoever asked is told of it.
- Without a wait that is asked for: twice as long each time, less up to a quarter, so that many do not come back together.
"""

from collections.abc import Mapping

MOST = 2
FIRST_SECONDS = 0.5
LONGEST_SECONDS = 8.0
LONGEST_ASKED = 120.0
_CURABLE = frozenset({408, 409, 429})


def curable(status: int, headers: Mapping[str, str]) -> bool:
    """Whether asking again may help."""
    match headers.get("x-should-retry"):
        case "true":
            return True
        case "false":
            return False
        case _:
            return status in _CURABLE or status >= 500


def pause(retries: int, asked: float | None, chance: float) -> float | None:
    """Seconds to wait before the next try; `None` where there is to be none.

    Args:
        retries: made so far.
        asked: seconds that the provider asks to wait; positive.
        chance: from 0 up to 1.
    """
    if retries >= MOST or (asked is not None and asked > LONGEST_ASKED):
        return None
    if asked is not None:
        return asked
    return min(FIRST_SECONDS * 2.0**retries, LONGEST_SECONDS) * (1 - chance / 4)
