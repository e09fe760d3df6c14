"""What a provider did wrong, as one `ModelError`: a kind to act on, and one bounded line without secrets (cases 35 and 75).

- The client's own exceptions end here. None of them goes on, nor as a cause: they hold the request, its headers and with them the key.
- A wait that the provider asks for is kept only where it is a positive, finite number of seconds; anything else counts as not said.
"""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import openai

from handrail.errors import ModelError
from handrail.vocab.failures import FailureKind
from handrail.vocab.redaction import redacted

LONGEST_DETAIL = 300
LONGEST_WAIT = timedelta(days=30).total_seconds()
TOO_LONG = re.compile(r"context[ _-]?(length|window|size|limit)|maximum number of tokens|prompt is too long|too many tokens", re.IGNORECASE)
_BY_STATUS = {
    401: FailureKind.UNAUTHORISED,
    403: FailureKind.UNAUTHORISED,
    408: FailureKind.TIMEOUT,
    429: FailureKind.RATE_LIMITED,
}


def failure(error: openai.OpenAIError, *, now: datetime, secrets: Iterable[str] = ()) -> ModelError:
    """The official client's exception as ours."""
    match error:
        case openai.APIStatusError():
            return refused(error.status_code, error.response.headers, error.body, now=now, secrets=secrets)
        case openai.APITimeoutError():
            return late()
        case openai.APIConnectionError():
            return unreachable(error.__cause__)
        case openai.APIResponseValidationError():
            return malformed("the client could not read it")
        case _:
            return ModelError(FailureKind.OTHER, clean(str(error), secrets))


def refused(status: int, headers: Mapping[str, str], body: object, *, now: datetime, secrets: Iterable[str] = ()) -> ModelError:
    """An answer with an error status.

    Args:
        status: of HTTP.
        headers: for the wait that is asked for.
        body: the error in it, decoded where it is JSON, else its text.
        now: for a wait until a date.
        secrets: what is taken out of the provider's words.
    """
    said = _said(body) or "no reason was given"
    known = f"{body.get('code')} {body.get('type')} {said}" if isinstance(body, Mapping) else said
    # Providers say in a code, or only in words, that the request has more tokens than the model takes.
    too_long = status in {400, 413, 422} and TOO_LONG.search(known) is not None
    kind = FailureKind.TOO_LONG if too_long else by_status(status)
    return ModelError(kind, clean(f"HTTP {status}: {said}", secrets), retry_after=retry_after(headers, now))


def late() -> ModelError:
    """No answer within the network's time-outs."""
    return ModelError(FailureKind.TIMEOUT, "the provider did not answer in time")


def unreachable(cause: BaseException | None) -> ModelError:
    """No answer at all; only the name of the cause is told, since its text may have the address in it."""
    return ModelError(FailureKind.CONNECTION, f"the provider could not be reached ({type(cause).__name__ if cause else 'no connection'})")


def broken_off(cause: BaseException) -> ModelError:
    """A stream that ended in the middle."""
    return ModelError(FailureKind.CONNECTION, f"the stream broke off ({type(cause).__name__})")


def by_status(status: int) -> FailureKind:
    """The kind that an HTTP status stands for."""
    if status >= 500:
        return FailureKind.UNAVAILABLE
    return _BY_STATUS.get(status, FailureKind.REJECTED)


def malformed(what: str, secrets: Iterable[str] = ()) -> ModelError:
    """An answer that is no completion."""
    return ModelError(FailureKind.MALFORMED, clean(f"the answer is no completion: {what}", secrets))


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """One line of bounded length, with everything taken out that is a secret or looks like one."""
    text = " ".join(redacted(text[: 20 * LONGEST_DETAIL], secrets).split())
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 1] + "…"


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a provider asks to wait: `retry-after-ms`, or `Retry-After` as a number or an HTTP date (RFC 9110, 10.2.3)."""
    exact = _positive(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    asked = headers.get("retry-after", "")
    return _positive(asked) or _until(asked, now)


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(value, LONGEST_WAIT) if math.isfinite(value) and value > 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds()
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None


def _said(body: object) -> str:
    """The provider's own words, where it has some."""
    said = body.get("message") if isinstance(body, Mapping) else body
    return said if isinstance(said, str) else ""
