"""The commands for operators: keys, sessions, jobs, migrate, login-link and doctor. None of them needs a service that runs."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.cli import app as commands
from handrail.stores import jobs, keys, one_time
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.transactions import read, write
from handrail.testing import ManualClock
from tests.service.branch import invoke, opened

KEY = re.compile(r"hrk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")


@pytest.fixture(autouse=True)
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    found = f"sqlite:///{tmp_path / 'handrail.db'}"
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", found)
    monkeypatch.setenv("COLUMNS", "200")
    return found


def handrail(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def printed(*arguments: str) -> str:
    told = handrail(*arguments)
    assert told.exit_code == 0, told.output
    return told.stdout


@pytest.fixture
def filled(url: str) -> dict[str, str]:
    """Two jobs of alice's: one has ended, one waits for her yes."""

    async def fill() -> dict[str, str]:
        engine = make_engine(url)
        await migrate(engine)
        async with opened(engine) as branch, branch.client("alice") as client:
            ended, waits = await invoke(client, "hello \x1b[31m"), await invoke(client, "pay 5 to bob", session="s2")
            await branch.ended(ended)
            await branch.waits(waits)
        await engine.dispose()
        return {"ended": ended, "waits": waits}

    return asyncio.run(fill())


def _found(url: str, act: Any, *arguments: Any, **more: Any) -> Any:
    async def look() -> Any:
        engine = make_engine(url)
        try:
            return await read(engine, act, *arguments, **more)
        finally:
            await engine.dispose()

    return asyncio.run(look())


def test_a_key_is_shown_once_and_comes_in(url: str) -> None:
    told = printed("keys", "create", "--user", "alice", "--label", "her laptop")
    text = KEY.findall(told)
    assert len(text) == 1 and "shown this once" in told
    quiet = printed("keys", "create", "--user", "panel", "--scope", "act-as", "--quiet")
    assert KEY.fullmatch(quiet.strip())
    assert _found(url, keys.checked, text[0]).user_id == "alice"
    assert _found(url, keys.checked, quiet.strip()).scopes == ("act-as",)
    listed = printed("keys", "list")
    assert "her laptop" in listed and "act-as" in listed
    assert all(secret.split("_", 2)[2] not in listed for secret in (text[0], quiet.strip()))


def test_a_key_that_is_revoked_does_not_work_any_more(url: str) -> None:
    text = printed("keys", "create", "--user", "alice", "--quiet").strip()
    key_id = text.split("_")[1]
    assert printed("keys", "revoke", key_id) == f"Key {key_id} does not work any more.\n"
    assert _found(url, keys.checked, text) is None
    again = handrail("keys", "revoke", key_id)
    assert again.exit_code == 2 and f"there is no key '{key_id}' that works" in again.stderr
    assert "no" in printed("keys", "list").splitlines()[1].split()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--user", ""], "cannot be a user's name"),
        (["--user", "Zoë"], "cannot be a user's name"),
        (["--user", "alice", "--scope", "admin"], "there is no scope 'admin'; there is: act-as"),
        (["--user", "alice", "--label", "x" * 201], "a label has at most 200 characters, not 201"),
    ],
)
def test_a_key_that_cannot_be_is_told_in_one_line(arguments: list[str], words: str) -> None:
    told = handrail("keys", "create", *arguments)
    assert told.exit_code == 2 and words in told.stderr and len(told.stderr.splitlines()) == 1


def test_jobs_are_listed_and_shown_with_their_timeline(filled: dict[str, str]) -> None:
    listed = printed("jobs", "list")
    assert [row.split()[1] for row in listed.splitlines()[1:]].count("COMPLETE") == 1
    assert filled["waits"] in printed("jobs", "list", "--status", "INPUT_REQUIRED", "--user", "alice", "--session", "s2")
    assert len(printed("jobs", "list", "--user", "bob").splitlines()) == 1
    assert len(printed("jobs", "list", "--most", "1").splitlines()) == 2
    shown = printed("jobs", "show", filled["waits"])
    assert "status         INPUT_REQUIRED" in shown and "held" in shown and "pay(" in shown
    assert "\x1b" not in listed + printed("jobs", "show", filled["ended"])


def test_a_job_whose_conversation_is_nearly_full_is_marked(filled: dict[str, str], url: str) -> None:
    async def grow(tokens: int) -> None:
        engine = make_engine(url)
        await write(engine, jobs.keep, filled["ended"], at=ManualClock().now(), history_tokens=tokens)
        await engine.dispose()

    for tokens, marked in ((79_999, False), (80_000, True)):
        asyncio.run(grow(tokens))
        shown = printed("jobs", "show", filled["ended"])
        assert ("nearly full    80,000 of 100,000 tokens: beyond that, older turns are summarised" in shown) is marked
        assert ("nearly full" in shown) is marked


def test_a_run_that_has_ended_is_tailed_to_its_end(filled: dict[str, str]) -> None:
    assert printed("jobs", "tail", filled["ended"]).splitlines()[-1].split() == ["ends", "completed"]


def test_a_run_is_exported_as_its_journal(filled: dict[str, str], tmp_path: Path) -> None:
    lines = printed("jobs", "export", filled["ended"]).splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["RunStarted", "TurnOpened", "ModelReplied", "RunFinished"]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert handrail("replay", str(path), "--app", "tests.service.branch:teller").exit_code == 0


def test_a_job_is_retried_as_a_new_one_of_its_conversation(filled: dict[str, str]) -> None:
    new = printed("jobs", "retry", filled["ended"]).split()[0]
    assert new.startswith("job_") and new != filled["ended"]
    assert f"retry_of       {filled['ended']}" in printed("jobs", "show", new)
    told = handrail("jobs", "retry", filled["waits"])
    assert told.exit_code == 2 and "cancel it first" in told.stderr


def test_a_job_is_cancelled_once(filled: dict[str, str]) -> None:
    assert printed("jobs", "cancel", filled["waits"]) == f"{filled['waits']} is to end.\n"
    assert printed("jobs", "cancel", filled["ended"]) == f"{filled['ended']} has ended already: COMPLETE.\n"


@pytest.mark.parametrize("command", ["show", "tail", "export", "retry", "cancel"])
def test_a_job_that_is_not_there_is_told(command: str) -> None:
    told = handrail("jobs", command, "job_x")
    assert told.exit_code == 2 and told.stderr == "handrail: there is no job 'job_x'; `handrail jobs list` says which there are\n"


def test_a_status_that_is_not_there_is_told() -> None:
    told = handrail("jobs", "list", "--status", "done")
    assert told.exit_code == 2 and "there is no status 'done'; there is PENDING, RUNNING" in told.stderr


def test_conversations_are_listed_and_read(filled: dict[str, str]) -> None:
    listed = printed("sessions", "list", "--user", "alice")
    assert {row.split()[0] for row in listed.splitlines()[1:]} == {"s1", "s2"}
    assert printed("sessions", "show", "s1", "--user", "alice") == "user: hello \\u001b[31m\nassistant: You said: hello \\u001b[31m\n"
    assert printed("sessions", "show", "s2", "--user", "alice") == "Nothing was said yet.\n"
    told = handrail("sessions", "show", "s1", "--user", "bob")
    assert told.exit_code == 2 and "'bob' has no session 's1'" in told.stderr


def test_a_link_signs_in_at_the_public_address(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, more, base in (
        ((), {}, "http://127.0.0.1:8000"),
        ((), {"HANDRAIL_PUBLIC_URL": "https://agents.example.com/"}, "https://agents.example.com"),
        (("--url", "http://host:1"), {"HANDRAIL_PUBLIC_URL": "https://agents.example.com"}, "http://host:1"),
    ):
        for name, value in more.items():
            monkeypatch.setenv(name, value)
        link = printed("login-link", "--user", "alice", *arguments).strip()
        assert link.startswith(f"{base}/sign-in?token=")

    async def used() -> Any:
        engine = make_engine(url)
        try:
            return await write(engine, one_time.use, "sign-in", link.partition("token=")[2], at=ManualClock().now())
        finally:
            await engine.dispose()

    assert asyncio.run(used()) == {"user_id": "alice"}
    assert handrail("login-link", "--user", " ").exit_code == 2


def test_a_database_is_migrated_once() -> None:
    assert re.fullmatch(r"The database is at revision \w+ now\.\n", printed("migrate"))
    assert re.fullmatch(r"The database was at revision \w+ already\.\n", printed("migrate"))


def test_the_doctor_says_what_is_well_and_what_is_not() -> None:
    told = handrail("doctor", "--app", "orders")
    lines = {line.split()[1] + ("" if line.startswith("ok") else "!"): line for line in told.stdout.splitlines()}
    assert told.exit_code == 1
    assert "gets its tables when it is first used" in lines["database"] and "OPENAI_API_KEY is not set" in lines["model"]
    assert "ring: TurnLimit(5)" in lines["orders"] and "handrail seed orders" in lines["orders!"] and "Python 3." in lines["versions"]
    printed("migrate")
    assert "sqlite" in handrail("doctor", "--app", "trips", "--no-model").stdout
    assert handrail("doctor", "--app", "trips", "--no-model").exit_code == 0


def test_the_doctor_notes_apps_without_data_and_fails_where_one_was_named() -> None:
    told = handrail("doctor", "--no-model")
    assert told.exit_code == 0 and "wrong" not in told.stdout
    assert [line.split()[1] for line in told.stdout.splitlines() if line.startswith("note ")] == ["delivery", "foodfight", "orders"]
    assert handrail("doctor", "--no-model", "--app", "foodfight").exit_code == 1


def test_whoever_has_no_conversations_is_told_so() -> None:
    assert printed("sessions", "list", "--user", "nobody") == "nobody has no conversations here.\n"


def test_case_75_the_doctor_shows_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/x")
    told = handrail("doctor", "--app", "trips", "--no-model")
    assert told.exit_code == 1 and "hunter2" not in told.output
    assert "wrong database   the database at 127.0.0.1:1 cannot be reached (" in told.stdout


@pytest.mark.parametrize("command", [["jobs", "list"], ["keys", "list"], ["login-link", "--user", "alice"], ["migrate"]])
def test_a_database_that_cannot_be_reached_is_told_in_one_line(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/x")
    told = handrail(*command)
    assert told.exit_code == 2 and "see to HANDRAIL_DATABASE_URL" in told.stderr and len(told.stderr.splitlines()) == 1
    assert "hunter2" not in told.output
