"""Logs: one record a line whatever is in it, whose run it was, and no secret."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from handrail import run, tool
from handrail.drivers.at_work import working_on
from handrail.service import App
from handrail.service.logs import MARGIN, UNWRITTEN, configure, set_up
from handrail.service.redaction import redactor
from handrail.service.settings import Settings
from handrail.testing import ScriptedModel, calls, says
from tests.drivers.kit import agent
from tests.service import kit

FORMS = ("text", "json")
OURS = ("", "handrail", "aiosqlite", "sqlalchemy.engine", "mine", "tests")
Configured = Callable[..., io.StringIO]


@contextmanager
def restored() -> Iterator[None]:
    """Whatever a test sets up, the loggers are afterwards as they were."""
    root = logging.getLogger()
    handlers, levels = list(root.handlers), {name: logging.getLogger(name).level for name in OURS}
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@pytest.fixture
def configured() -> Iterator[Configured]:
    def configure_(form: str = "text", level: str = "debug", **fields: Any) -> io.StringIO:
        stream = io.StringIO()
        configure(form=form, level=level, redact=redactor(environ={"MY_API_KEY": "S3NTINEL-KEY"}), stream=stream, **fields)
        return stream

    with restored():
        yield configure_


def test_a_record_has_a_time_a_level_a_logger_and_its_fields(configured: Configured) -> None:
    stream = configured("json")
    with working_on("job_1", "s1"):
        logging.getLogger("handrail.x").info("%s and %d", "one", 2, extra={"many": 3})
    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"level": "info", "logger": "handrail.x", "event": "one and 2", "many": 3, "run_id": "job_1", "session_id": "s1"}


def test_text_is_for_people(configured: Configured) -> None:
    stream = configured("text")
    with working_on("job_1", "a b"):
        logging.getLogger("handrail.x").warning("one and two")
    time, _, rest = stream.getvalue().partition(" ")
    assert time.endswith("Z") and rest == 'warning handrail.x: one and two run_id=job_1 session_id="a b"\n'


FORGED = "x\n2026-12-01T00:00:00Z error   handrail: forged\r\x1b[31m\x85\u2028\x00\ud800\u202e"


@pytest.mark.parametrize("form", FORMS)
def test_nothing_in_a_value_begins_a_line_or_does_anything_to_a_terminal(form: str, configured: Configured) -> None:
    stream = configured(form)
    with working_on(FORGED, FORGED):
        logging.getLogger("handrail.x").info("said %s", FORGED, extra={"what": FORGED, FORGED: {FORGED: [FORGED]}})
    printed = stream.getvalue()
    assert printed.count("\n") == 1 and printed.endswith("\n")
    assert all(character.isprintable() for character in printed[:-1])
    assert len(printed.splitlines()) == 1


@pytest.mark.parametrize("form", FORMS)
def test_no_line_of_a_traceback_passes_for_a_record(form: str, configured: Configured) -> None:
    stream = configured(form)
    try:
        raise ValueError(FORGED)
    except ValueError:
        logging.getLogger("handrail.x").exception("failed")
    first, *others = stream.getvalue().split("\n")[:-1]
    assert "failed" in first and "forged" in stream.getvalue()
    assert all(line.startswith(MARGIN) for line in others) and (form == "text") == bool(others)


@pytest.mark.parametrize("form", FORMS)
def test_case_75_no_secret_is_in_a_line(form: str, configured: Configured) -> None:
    stream = configured(form)
    log = logging.getLogger("handrail.x")
    log.info("a S3NTINEL-KEY, password=S3NTINEL", extra={"token": "S3NTINEL", "headers": {"X-Api-Key": "S3NTINEL"}, "at": ["S3NTINEL-KEY"]})
    try:
        try:
            raise ConnectionError("postgresql://u:S3NTINEL@host/db")
        except ConnectionError as error:
            raise RuntimeError("Authorization: Bearer S3NTINEL") from error
    except RuntimeError:
        log.exception("failed with S3NTINEL-KEY")
    assert "S3NTINEL" not in stream.getvalue() and stream.getvalue().count("[redacted]") >= 7


@pytest.mark.parametrize("form", FORMS)
def test_case_75_a_record_that_cannot_be_written_shows_nothing_of_itself(
    form: str, configured: Configured, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("S3NTINEL")

    stream = configured(form)
    logging.getLogger("handrail.x").info("%d S3NTINEL", "S3NTINEL")
    logging.getLogger("handrail.x").info("%s", Broken())
    logging.getLogger("handrail.x").info("x", extra={"what": Broken()})
    assert stream.getvalue() == f"{UNWRITTEN}\n" * 3
    assert capsys.readouterr().err == ""


def test_a_stream_that_is_gone_ends_nothing(configured: Configured) -> None:
    stream = configured()
    stream.close()
    logging.getLogger("handrail.x").info("nobody hears it")


def test_case_75_what_libraries_say_for_debugging_is_not_heard_whatever_they_are_set_to(configured: Configured) -> None:
    stream = configured("text", "debug")
    for name in ("aiosqlite", "sqlalchemy.engine", "mine"):
        logging.getLogger(name).setLevel(logging.DEBUG)
        logging.getLogger(name).info("INSERT … S3NTINEL")
        logging.getLogger(name).warning("%s says", name)
    logging.getLogger("handrails").info("somebody else's")
    assert [line.partition("warning ")[2] for line in stream.getvalue().splitlines()] == [
        "aiosqlite: aiosqlite says",
        "sqlalchemy.engine: sqlalchemy.engine says",
        "mine: mine says",
    ]


@pytest.mark.parametrize(("level", "heard"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_is_ours_and_that_of_the_apps(level: str, heard: int, configured: Configured) -> None:
    stream = configured("text", level, apps=["mine"])
    for name in ("handrail.x", "mine.x"):
        for each in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
            logging.getLogger(name).log(each, "x")
    assert len(stream.getvalue().splitlines()) == 2 * heard


def test_what_was_set_up_before_is_replaced_and_the_package_of_an_app_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    with restored():
        before = io.StringIO()
        logging.getLogger().addHandler(logging.StreamHandler(before))
        set_up(Settings(logs="json"), [App(name="greeter", summary="Greets.", agent=kit.greeter)])
        logging.getLogger("tests.somewhere").info("heard")
        assert before.getvalue() == ""
        assert json.loads(capsys.readouterr().err)["event"] == "heard"


async def test_what_a_tool_logs_says_whose_run_it_was(configured: Configured) -> None:
    log = logging.getLogger("handrail.x")

    @tool(effect="read")
    async def here() -> str:
        """Log from the loop."""
        log.info("here")
        return "x"

    @tool(effect="read")
    def there() -> str:
        """Log from a thread."""
        log.info("there")
        return "x"

    stream = configured("json")
    mini = agent(here, there)
    with ScriptedModel(calls(("here", {}), ("there", {})), says("Done.")) as model:
        await run(mini, "Go", model=model, run_id="run_1")
    log.info("after")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert sorted((line["event"], line.get("run_id")) for line in lines) == [("after", None), ("here", "run_1"), ("there", "run_1")]
