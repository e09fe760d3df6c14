"""What a model under the host did wrong, as one of ours: a kind to act on, and one bounded line without secrets."""

from datetime import datetime

from pydantic_ai.exceptions import (
    FallbackExceptionGroup,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)

from handrail.errors import ModelError
from handrail.models.failures import clean, late, malformed, refused, unreachable
from handrail.vocab.failures import FailureKind

FAILURES = (ModelError, ModelAPIError, UnexpectedModelBehavior, FallbackExceptionGroup)
"""What a model call raises where it has failed for good; whatever else comes out of it is somebody's bug."""


def failure_of(error: Exception, now: datetime) -> ModelError:
    """The host's exception as ours; of several models that have failed, the last one's. A provider's own words are cleaned."""
    match error:
        case ModelError():
            return error
        case FallbackExceptionGroup():
            return failure_of(error.exceptions[-1], now)
        case ModelHTTPError():
            return refused(error.status_code, {}, error.body, now=now)
        case ModelTimeoutError() | ModelRequestTimeout():
            return late()
        case ModelConnectionError():
            return unreachable(error.__cause__)
        case UnexpectedModelBehavior():
            return malformed(type(error).__name__)
        case _:
            return ModelError(FailureKind.OTHER, clean(str(error)))
