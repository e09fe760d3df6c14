"""Everything that can be set, as one table. Each field is an environment variable with `HANDRAIL_` before its name in capitals.

`docs/reference/settings.md` is made from this.

- An app's own settings are a table of the same kind with a prefix of its own, read with the same `read_settings`.
- Where HANDRAIL_SECRETS_DIR names a folder, a file there with the lower-case name of a variable stands for it, as container platforms mount
  secrets. A variable that is set goes before a file.
"""

import os
from pathlib import Path
from typing import Literal, TypeVar, overload

from pydantic import Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from handrail.errors import InputError
from handrail.vocab.usage import HISTORY_LIMIT

SECRETS_DIR = "HANDRAIL_SECRETS_DIR"
S = TypeVar("S", bound=BaseSettings)


class Settings(BaseSettings):
    """What the service and the apps are set to."""

    model_config = SettingsConfigDict(env_prefix="HANDRAIL_", extra="ignore", frozen=True, hide_input_in_errors=True)

    database_url: SecretStr = Field(
        default=SecretStr("sqlite+aiosqlite:///handrail.db"),
        description="The database: SQLite or PostgreSQL. `postgres://`, `postgresql://` and URLs for asyncpg are taken as they are.",
    )
    host: str = Field(default="127.0.0.1", description="The address that `handrail serve` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port that `handrail serve` listens on; 0 takes a free one.")
    worker_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="The port on which `handrail worker` answers `/healthz`, `/readyz` and `/metrics`, at `HANDRAIL_HOST`; it listens on "
        "none if this is not set.",
    )
    model: str | None = Field(
        default=None,
        description="The model instead of the one that an agent names; `rehearsal` is the rule-based stand-in, `local:PATH` a model in a "
        "GGUF file, which runs here and needs the extra `local`.",
    )
    local_threads: int | None = Field(
        default=None, ge=1, description="Threads that a model of `local:` computes with; as many as there are cores if it is not set."
    )
    local_context: int = Field(
        default=16_384, ge=1, description="Tokens that fit into one request to a model of `local:` and its reply; more take more memory."
    )
    transport: Literal["official", "aiohttp"] = Field(
        default="official",
        description="By which library models are spoken to: `official` is the official OpenAI client; `aiohttp` takes a fraction of its "
        "CPU time, for many runs a core, and needs the extra `aiohttp`.",
    )
    most_body_bytes: int = Field(
        default=1_000_000, ge=1, description="The longest request body in bytes, counted while it is read; a longer one is answered 413."
    )
    most_body_depth: int = Field(
        default=64, ge=1, description="How deeply arrays and objects of a request may be nested; a deeper one is answered 400."
    )
    most_body_seconds: float = Field(
        default=30, gt=0, description="How long a request's body may take to come, in seconds; a slower one is answered 408."
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
    history_limit: int = Field(
        default=HISTORY_LIMIT,
        ge=1_000,
        description="Tokens of a model call beyond which a session's older turns are summarised; for new jobs.",
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
    allowed_hosts: str = Field(
        default="",
        description="Names by which MCP clients may reach the service, with commas, beside the loopback ones and that of "
        "`HANDRAIL_PUBLIC_URL`; under any other it is answered 403, and so is a page of another site.",
    )
    approvers: str = Field(
        default="owner",
        description="Who may decide approvals: `owner` (whoever's run it is), users by name, or both, with commas. Empty is nobody.",
    )
    logs: Literal["text", "json"] = Field(
        default="text", description="How logs are written to standard error: `text` or `json`, one record a line."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="From which level on our own logs, and those of the apps, are written; everybody else's from `warning`."
    )
    timeline: bool | None = Field(
        default=None,
        description="Whether `handrail serve` and `handrail worker` print the timeline of runs, which holds what people say and what tools "
        "find. If it is not set: only to a terminal, and not with `HANDRAIL_LOGS=json`.",
    )
    telemetry: Literal["off", "otlp", "console"] = Field(
        default="off",
        description="Where traces and metrics go: nowhere, to an OpenTelemetry collector (OTLP over HTTP; all else is said with "
        "the standard `OTEL_*` variables), or to standard error. It needs the extra `telemetry`.",
    )
    mattermost_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="The site URL of the Mattermost server whose slash commands are answered, as its System Console has it.",
    )
    mattermost_commands: SecretStr | None = Field(
        default=None,
        description="The slash commands that are answered: a JSON list of `{team_id, command, token, app, channels, approvers}`. "
        "It needs `HANDRAIL_MATTERMOST_URL` and `HANDRAIL_PUBLIC_URL`.",
    )
    audio_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="An audio server that speaks OpenAI's API, such as https://api.openai.com/v1: it hears recordings and reads text out. "
        "Without it that is done here, where the extra `voice` is installed.",
    )
    audio_key: SecretStr | None = Field(default=None, description="The key for `HANDRAIL_AUDIO_URL`.")
    audio_transcription_model: str = Field(
        default="gpt-transcribe", description="The model by which the server of `HANDRAIL_AUDIO_URL` hears."
    )
    audio_speech_model: str = Field(
        default="gpt-4o-mini-tts", description="The model by which the server of `HANDRAIL_AUDIO_URL` reads out."
    )
    audio_voice: str = Field(default="alloy", description="Its voice, where a request names none.")
    most_audio_bytes: int = Field(
        default=10_000_000, ge=1, description="The longest request with a recording in bytes; a longer one is answered 413."
    )
    most_audio_per_minute: int = Field(
        default=240, ge=1, description="Recordings and readings of one user in a minute, for each process; more are answered 429."
    )
    apps: str = Field(
        default="",
        description="On AWS Lambda: the apps that are served, by name or as module:name, with commas; all that are installed if empty.",
    )
    runner_function: str | None = Field(
        default=None, description="On AWS Lambda: the name or ARN of the function that runs sessions; the template sets it."
    )
    lambda_program: str | None = Field(
        default=None,
        description="On AWS Lambda: what the handlers of `handrail.engines.aws_lambda` run, as module:name; the template sets it to "
        "`handrail.service.aws_lambda:opened`.",
    )
    aws_secrets: str = Field(
        default="",
        description="On AWS Lambda: secrets of AWS Secrets Manager, by ARN and with commas; each is a JSON object of variables that begin "
        "with HANDRAIL_, OPENAI_ or PG. A variable that is set goes before them.",
    )


@overload
def read_settings() -> Settings: ...


@overload
def read_settings(kind: type[S]) -> S: ...


def read_settings(kind: type[BaseSettings] = Settings) -> BaseSettings:
    """The settings of this environment: the service's, or those of an app.

    Raises:
        InputError: one of them does not fit; its value is not shown.
    """
    folder = os.environ.get(SECRETS_DIR) or None
    if folder is not None and not Path(folder).is_dir():
        raise InputError(f"{SECRETS_DIR} is to be a folder, and {folder!r} is none")
    prefix = kind.model_config.get("env_prefix", "")
    try:
        return kind(_secrets_dir=folder)
    except ValidationError as error:
        wrong = "; ".join(f"{prefix}{str(each['loc'][0]).upper()}: {_said(each)}" for each in error.errors(include_input=False))
        raise InputError(f"a setting does not fit: {wrong}") from None
    except OSError as error:
        raise InputError(f"a file of {SECRETS_DIR} cannot be read: {error}") from None


def _said(wrong: ErrorDetails) -> str:
    """What does not fit; a secret that is too short is counted in characters, and not in `items`."""
    return f"it needs {wrong['ctx']['min_length']} characters or more" if wrong["type"] == "too_short" else wrong["msg"]


def database_url() -> str:
    """The database's URL, as it is to be connected to.

    Raises:
        InputError: a setting does not fit.
    """
    return read_settings().database_url.get_secret_value()
