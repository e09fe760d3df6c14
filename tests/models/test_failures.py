"""What may be told of a failure, and how long a provider asks to wait."""

from datetime import UTC, datetime

import pytest

from handrail.models.failures import LONGEST_WAIT, by_status, clean, retry_after

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ({"retry-after": "5"}, 5),
        ({"retry-after": "60"}, 60),
        ({"retry-after": "61"}, 61),
        ({"retry-after": "600"}, 600),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
        ({"retry-after": "Wed, 01 Jul 2026 12:01:30 GMT"}, 90),
        ({"retry-after": "Wed, 01 Jul 2026 11:59:00 GMT"}, None),
        ({"retry-after": "Wed, 99 Jul 2026 11:59:00 GMT"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "junk", "retry-after": "9"}, 9),
        ({"retry-after": "1e300"}, LONGEST_WAIT),
    ],
)
def test_case_35_a_wait_is_kept_where_it_is_a_sensible_number_of_seconds(said: dict[str, str], seconds: float | None) -> None:
    assert retry_after(said, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "rejected"),
        (401, "unauthorised"),
        (403, "unauthorised"),
        (404, "rejected"),
        (408, "timeout"),
        (422, "rejected"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (503, "unavailable"),
        (529, "unavailable"),
    ],
)
def test_a_status_stands_for_a_kind(status: int, kind: str) -> None:
    assert by_status(status) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: S3NTINEL-value",
        "Authorization: Bearer S3NTINEL",
        "GET https://host/v1?key=S3NTINEL&x=1",
        'sent {"api_key": "S3NTINEL", "x": 1}',
        "postgresql://user:S3NTINEL@host/db",
        "token=S3NTINEL",
        "password: S3NTINEL",
        "key sk-S3NTINEL0123 is wrong",
        "key AIzaS3NTINEL0123 is wrong",
    ],
)
def test_case_75_what_is_a_secret_or_looks_like_one_is_taken_out(text: str) -> None:
    cleaned = clean(text, secrets=["S3NTINEL-value"])
    assert "S3NTINEL" not in cleaned and "[redacted]" in cleaned


@pytest.mark.parametrize(
    "text", ["HTTP 429: too many tokens per minute", "the monkey was fine", "https://host/v1/chat/completions is down", "skilled"]
)
def test_words_that_are_no_secrets_stay(text: str) -> None:
    assert clean(text) == text


def test_a_detail_is_one_line_of_bounded_length() -> None:
    cleaned = clean("a\nb\r\n c " + "word " * 10_000)
    assert cleaned.startswith("a b c word") and len(cleaned) == 300 and "\n" not in cleaned
