"""Settings come from the environment, and no secret of theirs is shown by accident."""

import pytest

from handrail.errors import InputError
from handrail.service.settings import Settings, database_url, read_settings


def test_there_is_a_default_for_everything() -> None:
    settings = Settings()
    assert database_url() == "sqlite+aiosqlite:///handrail.db"
    assert (settings.host, settings.port, settings.model) == ("127.0.0.1", 8000, None)


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "postgresql://me:hunter2@db/orders")
    monkeypatch.setenv("HANDRAIL_PORT", "0")
    monkeypatch.setenv("HANDRAIL_MODEL", "rehearsal")
    monkeypatch.setenv("HANDRAIL_NOT_OURS", "1")
    assert database_url() == "postgresql://me:hunter2@db/orders"
    assert (Settings().port, Settings().model) == (0, "rehearsal")


def test_case_75_the_password_of_a_database_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "postgresql://me:hunter2@db/orders")
    settings = Settings()
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_a_setting_that_does_not_fit_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_PORT", "hunter2")
    with pytest.raises(InputError, match=r"^a setting does not fit: HANDRAIL_PORT: Input should be a valid integer") as found:
        read_settings()
    assert "hunter2" not in str(found.value)


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
