"""Everything that can be set, as one table. Each field is an environment variable with `HANDRAIL_` before its name in capitals.

`docs/reference/settings.md` is made from this.
"""

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from handrail.errors import InputError


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
    most_requests_per_minute: int = Field(
        default=1_200, ge=1, description="Requests of one user in a minute, for each process; more are answered 429 with `Retry-After`."
    )
    most_messages_per_minute: int = Field(
        default=120, ge=1, description="Messages of one user to agents in a minute, for each process; more are answered 429."
    )
    most_streams: int = Field(
        default=20, ge=1, description="Event streams that one user may have open at once, for each process; more are answered 429."
    )
    secret: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="Signs the cookies of browsers: 32 characters or more, the same in every process. Without it one is made at each "
        "start, and people sign in again after a restart.",
    )
    sign_in_hours: float = Field(default=12, gt=0, le=720, description="How long a browser stays signed in, in hours.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$",
        description="Where people reach the service, such as https://agents.example.com; for the links that commands print.",
    )
    approvers: str = Field(
        default="owner",
        description="Who may decide approvals: `owner` (whoever's run it is), users by name, or both, with commas. Empty is nobody.",
    )


def read_settings() -> Settings:
    """The settings of this environment.

    Raises:
        InputError: one of them does not fit; its value is not shown.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(f"HANDRAIL_{str(each['loc'][0]).upper()}: {each['msg']}" for each in error.errors(include_input=False))
        raise InputError(f"a setting does not fit: {wrong}") from None


def database_url() -> str:
    """The database's URL, as it is to be connected to.

    Raises:
        InputError: a setting does not fit.
    """
    return read_settings().database_url.get_secret_value()
