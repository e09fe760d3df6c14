"""Settings come from the environment, and no secret of theirs is shown by accident."""

from pathlib import Path

import pytest
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

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


def test_a_secret_that_is_too_short_is_counted_in_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_SECRET", "hunter2")
    with pytest.raises(InputError, match=r"^a setting does not fit: HANDRAIL_SECRET: it needs 32 characters or more$"):
        read_settings()


class OfAnApp(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="HANDRAIL_BAKERY_")

    ovens: int = Field(default=1, ge=1)


def test_an_app_reads_its_own_settings_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings(OfAnApp).ovens == 1
    monkeypatch.setenv("HANDRAIL_BAKERY_OVENS", "-7")
    with pytest.raises(InputError, match=r"^a setting does not fit: HANDRAIL_BAKERY_OVENS: Input should be greater") as found:
        read_settings(OfAnApp)
    assert "-7" not in str(found.value)


def test_a_file_of_the_secrets_folder_stands_for_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "handrail_database_url").write_text("postgresql://me:hunter2@db/orders\n")
    (tmp_path / "handrail_model").write_text("from-a-file")
    (tmp_path / "handrail_bakery_ovens").write_text("3")
    monkeypatch.setenv("HANDRAIL_SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv("HANDRAIL_MODEL", "from-a-variable")
    assert database_url() == "postgresql://me:hunter2@db/orders"
    assert read_settings().model == "from-a-variable"
    assert read_settings(OfAnApp).ovens == 3


def test_a_secrets_folder_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HANDRAIL_SECRETS_DIR", str(tmp_path / "gone"))
    with pytest.raises(InputError, match="HANDRAIL_SECRETS_DIR is to be a folder"):
        read_settings()


def test_a_secret_that_does_not_fit_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "handrail_secret").write_text("hunter2")
    monkeypatch.setenv("HANDRAIL_SECRETS_DIR", str(tmp_path))
    with pytest.raises(InputError, match="HANDRAIL_SECRET: ") as found:
        read_settings()
    assert "hunter2" not in str(found.value)


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
