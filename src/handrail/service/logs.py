"""Logs, as a command sets them up: one record a line, as text or as JSON, with the run and the session that it belongs to.

- Only commands call this: handrail as a library sets nothing up, and logs under `handrail`.
- The level is ours and that of the served apps. Everybody else is heard from warnings on, whatever they are set to: what libraries say for
  debugging holds requests, headers and what is stored.
- Nothing in a value can begin a line: line breaks and control characters are written out, and the lines of a traceback are indented.
- No secret is in a line: known ones are taken out, and so is what looks like one.
"""

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import EventDict

from handrail.core.attempt import Raised, attempt
from handrail.drivers.at_work import at_work
from handrail.service.apps import App
from handrail.service.redaction import Redact, cleaned_of_secrets, redactor
from handrail.service.settings import Settings

OWN = "handrail"
MARGIN = "    | "
"""Before each line of a traceback: no line of it can pass for a record."""

UNWRITTEN = "a log record could not be written"
LEFT_OUT = ("_record", "_from_structlog", "color_message")
PLAIN = re.compile(r"[\w.:/@+-]+")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def set_up(settings: Settings, apps: Iterable[App]) -> None:
    """Write logs to standard error, as the settings say; the packages of the apps log at our level."""
    packages = sorted({str(getattr(app.agent, "__module__", OWN)).partition(".")[0] for app in apps})
    configure(form=settings.logs, level=settings.log_level, redact=redactor(settings), apps=packages)


def configure(*, form: str, level: str, redact: Redact, apps: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Write logs to a stream, in place of whatever was set up before.

    Args:
        form: `text` or `json`.
        level: `debug`, `info`, `warning` or `error`.
        redact: takes secrets out.
        apps: the names of packages that log at our level.
        stream: standard error if not given.
    """
    names = (OWN, *apps)
    root = logging.getLogger()
    root.handlers[:] = [handler(form=form, redact=redact, names=names, stream=sys.stderr if stream is None else stream)]
    root.setLevel(logging.WARNING)
    for name in names:
        logging.getLogger(name).setLevel(level.upper())


def handler(*, form: str, redact: Redact, names: Iterable[str], stream: TextIO) -> logging.Handler:
    """What writes the lines; from loggers that are none of those names it takes warnings and worse."""
    made = _Writer(stream)
    made.addFilter(_Heard(names))
    made.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.stdlib.ExtraAdder(),
                _with_what_is_at_work,
            ],
            processors=[structlog.processors.format_exc_info, _Redacting(redact), _as_json if form == "json" else _as_text],
        )
    )
    return made


class _Writer(logging.StreamHandler[TextIO]):
    """Says nothing of what a record holds that cannot be written; the standard one prints it. A stream that is gone ends nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        line = attempt(self.format, record)
        attempt(self._put, UNWRITTEN if isinstance(line, Raised) else line)

    def _put(self, line: str) -> None:
        self.stream.write(f"{line}{self.terminator}")
        self.flush()


class _Heard(logging.Filter):
    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._below = tuple(f"{name}." for name in self._names)

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.name in self._names or record.name.startswith(self._below)


class _Redacting:
    """Takes secrets out of every value, the traceback too."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact

    def __call__(self, logger: Any, method: str, record: EventDict) -> EventDict:
        return {name: cleaned_of_secrets(value, self._redact, name) for name, value in record.items() if name not in LEFT_OUT}


def _with_what_is_at_work(logger: Any, method: str, record: EventDict) -> EventDict:
    working = at_work()
    if working is not None:
        record["run_id"] = working.run_id
        if working.session_id is not None:
            record["session_id"] = working.session_id
    return record


def _as_json(logger: Any, method: str, record: EventDict) -> str:
    """One line: JSON writes line breaks out by itself, and what else can end a line is written out too."""
    return _visible(msgspec.json.encode(record).decode())


def _as_text(logger: Any, method: str, record: EventDict) -> str:
    rest = dict(record)
    trace = "\n".join(str(rest.pop(name)) for name in ("exception", "stack_info") if rest.get(name))
    words = [rest.pop("timestamp", ""), f"{rest.pop('level', ''):<7}", f"{rest.pop('logger', '')}:", rest.pop("event", "")]
    fields = [f"{name}={_field(value)}" for name, value in sorted(rest.items())]
    below = [f"{MARGIN}{_visible(line)}" for line in trace.split("\n") if line]
    return "\n".join([_visible(" ".join(map(str, [*words, *fields]))), *below])


def _field(value: Any) -> str:
    return value if isinstance(value, str) and PLAIN.fullmatch(value) else msgspec.json.encode(value).decode()


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
