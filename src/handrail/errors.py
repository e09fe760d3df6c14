"""Every exception of handrail, by whose fault it is.

What a model or a person does wrong is never an exception: it is an event and an outcome. Exceptions are for
a bad agent definition, a caller's mistake, stored data that does not fit, and bugs.

HandrailError
├── CallerError             the code that calls handrail did something wrong
│   ├── AgentError          an agent, a guard or a tool was declared wrongly
│   ├── InputError          an input or a command that does not fit
│   │   └── ServedElsewhere a job of an app that this process does not serve
│   └── StaleInput          an input that the run no longer has a place for (`code` says which)
├── RemoteError             something outside answered badly or not at all
│   ├── ModelError          the model's provider (`kind` says how)
│   └── ProviderError       another service that a tool relies on
├── StoredDataError         stored data cannot be read, or is newer than this version
│   ├── JournalError        a journal is damaged or of another run
│   └── StaleWriter         somebody else has written to this journal meanwhile
└── Bug                     a promise of handrail is broken; please report it
ToolError                   raised by a tool: nothing happened, and the model is told why
"""


class HandrailError(Exception):
    """The root of what handrail raises by itself."""


class CallerError(HandrailError):
    """The code that calls handrail did something wrong."""


class AgentError(CallerError):
    """An agent, a guard or a tool was declared wrongly."""


class InputError(CallerError):
    """An input or a command that does not fit."""


class ServedElsewhere(InputError):
    """A job of an app that this process does not serve: it waits for one that does."""


class StaleInput(CallerError):
    """An input that the run no longer has a place for.

    Args:
        code: why, one of `handrail.core.stale.StaleCode`.
        detail: the same in words.
    """

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code beside the words."""
        super().__init__(detail)
        self.code = code


class RemoteError(HandrailError):
    """Something outside answered badly or not at all."""


class ModelError(RemoteError):
    """The model's provider failed.

    Args:
        kind: one of `handrail.vocab.failures.FailureKind`.
        detail: bounded text without secrets.
        retry_after: seconds that the provider asks to wait, if it said so.
    """

    def __init__(self, kind: str, detail: str, *, retry_after: float | None = None) -> None:
        """Keep the kind and the wait beside the words."""
        super().__init__(detail)
        self.kind = kind
        self.retry_after = retry_after


class ProviderError(RemoteError):
    """Another service that a tool relies on failed."""


class StoredDataError(HandrailError):
    """Stored data cannot be read, or is newer than this version."""


class JournalError(StoredDataError):
    """A journal is damaged, or belongs to another run."""


class StaleWriter(StoredDataError):
    """Somebody else has written to this journal since it was read."""


class Bug(HandrailError):
    """A promise of handrail is broken; please report it."""


class ToolError(Exception):
    """Raised by a tool to say that *nothing happened*; its text goes to the model."""
