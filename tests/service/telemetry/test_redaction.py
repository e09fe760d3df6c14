"""Case 75: what is a secret, or looks like one, is in nothing that leaves this process as text."""

import pytest
from pydantic import SecretStr

from handrail.service.redaction import LONGEST, cleaned_of_secrets, known_secrets, redactor
from handrail.service.settings import Settings
from handrail.vocab.redaction import redacted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer S3NTINEL x", "Authorization: [redacted] x"),
        ("{'Authorization': 'Bearer S3NTINEL'}", "{'Authorization': '[redacted]'}"),
        ('b"authorization", b"Bearer S3NTINEL"', 'b"authorization", b"Bearer [redacted]"'),
        ("authorization: Token S3NTINEL", "authorization: [redacted]"),
        ("x-api-key: S3NTINEL", "x-api-key: [redacted]"),
        ("Cookie: a=b; handrail=S3NTINEL.x; c=d", "Cookie: [redacted]; handrail=[redacted]; c=d"),
        ("postgresql://user:S3NT/IN@EL@host/db is down", "postgresql://[redacted]@host/db is down"),
        ("redis://:S3NTINEL@host", "redis://[redacted]@host"),
        ("https://S3NTINEL@host/", "https://[redacted]@host/"),
        ("host=x password='S3NTINEL and more' user=y", "host=x password='[redacted]' user=y"),
        ("https://host/v1?key=S3NTINEL&x=1", "https://host/v1?key=[redacted]&x=1"),
        ("/sign-in?token=S3NTINEL", "/sign-in?token=[redacted]"),
        ('{"api_key": "S3NTINEL", "x": 1}', '{"api_key": "[redacted]", "x": 1}'),
        ("OPENAI_API_KEY=S3NTINEL", "OPENAI_API_KEY=[redacted]"),
        ("key hrk_0123456789ab_S3NTINEL", "key [redacted]"),
        ("key sk-proj-S3NTINEL", "key [redacted]"),
    ],
)
def test_case_75_what_looks_like_a_secret_is_taken_out(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the monkey = 3 skeletons",
        "pk_run_events",
        "handrail: this needs more",
        "http://127.0.0.1:8000/agent",
        "too many tokens",
        "a@b.example",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_case_75_the_secrets_of_the_settings_and_of_the_environment_are_known() -> None:
    settings = Settings(
        secret=SecretStr("the cookies' S3NTINEL, 32 and more"),
        database_url=SecretStr("postgresql://user:S3NTINEL%2Fpassword@host/name"),
        mattermost_commands=SecretStr('[{"team_id": "not-secret", "token": "S3NTINEL-of-a-command"}, {"token": ["S3NTINEL-of-one", 1]}]'),
    )
    environ = {
        "OPENAI_API_KEY": "S3NTINEL-of-the-provider",
        "PGPASSWORD": "S3NTINEL-of-libpq",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=S3NTINEL-header,y=S3NTINEL-another",
        "OTHER_DATABASE_URL": "mysql://me:S3NTINEL-elsewhere@host/db?sslpassword=x&token=S3NTINEL-query",
        "HOME": "/root/not-secret",
        "SHORT_TOKEN": "abc",
        "MY_PASSWORD": "handrail",
        "BROKEN_URL": "http://[",
    }
    known = known_secrets(settings, environ)
    for secret in (
        "the cookies' S3NTINEL, 32 and more",
        "S3NTINEL%2Fpassword",
        "S3NTINEL/password",
        "S3NTINEL-of-a-command",
        "S3NTINEL-of-one",
        "S3NTINEL-of-the-provider",
        "S3NTINEL-of-libpq",
        "S3NTINEL-header",
        "S3NTINEL-another",
        "S3NTINEL-elsewhere",
        "S3NTINEL-query",
    ):
        assert secret in known
    assert not {"abc", "handrail", "not-secret", "/root/not-secret"} & set(known)
    assert list(known) == sorted(known, key=lambda each: (-len(each), each))


def test_case_75_a_known_secret_is_taken_out_wherever_it_stands() -> None:
    redact = redactor(environ={"X_TOKEN": "S3NTINEL-x", "Y_TOKEN": "S3NTINEL-x-and-more"})
    assert redact("a S3NTINEL-x-and-more b S3NTINEL-xS3NTINEL-x") == "a [redacted] b [redacted][redacted]"
    assert redact("y" * (LONGEST - 5) + "S3NTINEL-x") == "y" * (LONGEST - 5) + "[reda…"
    assert redact("y" * 3 * LONGEST) == "y" * LONGEST + "…"


def test_what_stands_under_the_name_of_a_secret_is_taken_out_of_values() -> None:
    value = {"password": "x", "X-Api-Key": [1], "a": [{"token": 1, "b": None}, "key=1", 2.5, True], "tokens": 3}
    assert cleaned_of_secrets(value, redactor(environ={})) == {
        "password": "[redacted]",
        "X-Api-Key": "[redacted]",
        "a": [{"token": "[redacted]", "b": None}, "key=[redacted]", 2.5, True],
        "tokens": 3,
    }


@pytest.mark.parametrize("piece", ["a-", "://a:", "://", "key=", "bearer ", "key: ", "sk-", "api_", '"', "https://h:1/"])
def test_the_time_grows_with_the_length_only(piece: str) -> None:
    """What takes a time that is square in the length would not come to its end here."""
    assert redacted(piece * 20_000) is not None


def test_case_75_no_setting_shows_a_secret() -> None:
    settings = Settings(secret=SecretStr("S3NTINEL" * 5), database_url=SecretStr("postgresql://u:S3NTINEL@h/d"))
    assert "S3NTINEL" not in f"{settings!r} {settings} {settings.model_dump_json()} {settings.model_dump()}"
