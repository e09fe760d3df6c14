"""Everything that can be set, as one table. Each field is an environment variable with `HANDRAIL_` before its name in capitals.

`docs/reference/settings.md` is made from this.
"""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What the service and the apps are set to."""

    model_config = SettingsConfigDict(env_prefix="HANDRAIL_", extra="ignore", frozen=True, hide_input_in_errors=True)

    database_url: SecretStr = Field(
        default=SecretStr("sqlite+aiosqlite:///handrail.db"),
        description="The database: SQLite or PostgreSQL. `postgres://`, `postgresql://` and URLs for asyncpg are taken as they are.",
    )
    host: str = Field(default="127.0.0.1", description="The address that `handrail serve` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port that `handrail serve` listens on; 0 takes a free one.")
    model: str | None = Field(
        default=None,
        description="The model instead of the one that an agent names; `rehearsal` is the rule-based stand-in.",
    )
    most_body_bytes: int = Field(
        default=1_000_000, ge=1, description="The longest request body in bytes, counted while it is read; a longer one is answered 413."
    )
    most_body_depth: int = Field(
        default=64, ge=1, description="How deeply arrays and objects of a request may be nested; a deeper one is answered 400."
    )


def database_url() -> str:
    """The database's URL, as it is to be connected to."""
    return Settings().database_url.get_secret_value()
