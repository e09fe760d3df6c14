"""The pages that are tables of the code's own values: settings and limits."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec

from pydantic import SecretStr
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from handrail.apps.orders.ring import MAX_TOOL_ROUNDS
from handrail.apps.orders.routes import LONGEST_MESSAGE
from handrail.core.history import MOST_CUTS
from handrail.core.limits import MOST_TAKEOVERS
from handrail.models.openai_chat import IDLE_SECONDS, TOTAL_SECONDS
from handrail.service import client_calls, desk, find_apps, hops, streams
from handrail.service.auth import links
from handrail.service.schemas import sessions as session_schemas
from handrail.service.settings import SECRETS_DIR, Settings
from handrail.service.surfaces.audio import schemas as audio_schemas
from handrail.service.surfaces.audio import sound
from handrail.service.surfaces.mattermost import courier, texts
from handrail.service.surfaces.openai import conversation
from handrail.stores import approvals, jobs, sessions
from handrail.stores.database import BUSY_MILLISECONDS
from handrail.tools import arguments, encoding, wording
from handrail.vocab.calls import MOST_CALLS
from handrail.vocab.usage import HISTORY_LIMIT

PROVIDER = """\
## For the model's provider

These are the official client's own, and it reads them itself.

| variable | meaning |
|---|---|
| `OPENAI_API_KEY` | The key. Without it the rule-based stand-in answers, and the commands say so. |
| `OPENAI_BASE_URL` | Another provider that speaks chat completions. |
"""


FILES = f"""\
## From files

Where `{SECRETS_DIR}` names a folder, a file in it with the lower-case name of a variable stands for it: `handrail_database_url`,
`handrail_secret`. This is how container platforms mount secrets (`/run/secrets`). A variable that is set goes before a file.
"""

TABLE = ["| variable | default | meaning |", "|---|---|---|"]


def settings() -> str:
    """Every setting with its variable and its default: the service's, then those of each app."""
    head = [
        "# Settings",
        "",
        "Each is an environment variable; an option of a command goes before it. A value that does not fit stops the command, with a line",
        "that names the setting. A password in a setting is never printed.",
        "",
        *TABLE,
    ]
    lines = [*head, *_rows(Settings), ""]
    for app, kind in settings_of_apps().items():
        lines += [f"## For {app}", "", *TABLE, *_rows(kind), ""]
    return "\n".join([*lines, FILES, PROVIDER])


def settings_of_apps() -> Mapping[str, type[BaseSettings]]:
    """App -> its own settings, where its package has a module `settings`."""
    found = {}
    for name in find_apps():
        place = f"handrail.apps.{name}.settings"
        if find_spec(place) is not None:
            kinds = [each for each in vars(import_module(place)).values() if isinstance(each, type) and each.__module__ == place]
            found[name] = next(kind for kind in kinds if issubclass(kind, BaseSettings))
    return found


def _rows(kind: type[BaseSettings]) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        default = field.get_default()
        shown = default.get_secret_value() if isinstance(default, SecretStr) else default
        written = "" if shown is None or shown is PydanticUndefined else f"`{shown}`"
        yield f"| `{kind.model_config.get('env_prefix', '')}{name.upper()}` | {written} | {field.description} |"


def limits() -> str:
    """What is bounded, by how much, and what happens beyond."""
    known = Settings.model_fields
    rows = [
        ("a request's body", f"{known['most_body_bytes'].default:,} bytes, counted while it is read", "413", "`HANDRAIL_MOST_BODY_BYTES`"),
        (
            "nesting of JSON in a request",
            f"{known['most_body_depth'].default} deep, seen before it is parsed",
            "400",
            "`HANDRAIL_MOST_BODY_DEPTH`",
        ),
        ("the time a request's body takes", f"{known['most_body_seconds'].default:g} s", "408", "`HANDRAIL_MOST_BODY_SECONDS`"),
        ("a compressed request", "none is taken", "415", ""),
        ("a message to an agent", f"1 to {desk.LONGEST_MESSAGE:,} characters", "422", ""),
        ("a session's name; a user's", f"{desk.LONGEST_ID} characters; 128", "422", ""),
        ("a comment on a decision", f"{desk.LONGEST_COMMENT:,} characters", "422", ""),
        (
            "requests of one user",
            f"{known['most_requests_per_minute'].default:,} a minute, for each process",
            "429",
            "`HANDRAIL_MOST_REQUESTS_PER_MINUTE`",
        ),
        (
            "messages of one user",
            f"{known['most_messages_per_minute'].default:,} a minute, for each process",
            "429",
            "`HANDRAIL_MOST_MESSAGES_PER_MINUTE`",
        ),
        ("event streams of one user", f"{known['most_streams'].default} at once, for each process", "429", "`HANDRAIL_MOST_STREAMS`"),
        ("silence of an event stream", f"{streams.KEEP_ALIVE.total_seconds():g} s", "`: keep-alive`", ""),
        (
            "sessions, jobs, approvals in one list",
            f"{sessions.MOST_LISTED}, {jobs.MOST_LISTED}, {approvals.MOST_LISTED}",
            "older ones are left out",
            "",
        ),
        ("messages of a session in one answer", f"{session_schemas.MOST_MESSAGES}", "older ones are counted", ""),
        ("history that a model sees", f"{HISTORY_LIMIT:,} tokens", "older turns are summarised", "`HANDRAIL_HISTORY_LIMIT`"),
        ("cuts of a history in one turn", f"{MOST_CUTS}", "the run lands, or fails", ""),
        ("a hop that waits for news", f"{hops.LONGEST_WAIT.total_seconds():g} s", "it answers with what there is", ""),
        ("a recording", f"{known['most_audio_bytes'].default:,} bytes, {sound.LONGEST} s", "413, 422", "`HANDRAIL_MOST_AUDIO_BYTES`"),
        ("a text to be read out", f"{audio_schemas.LONGEST_TEXT:,} characters", "400", ""),
        (
            "recordings and readings of one user",
            f"{known['most_audio_per_minute'].default} a minute, for each process",
            "429",
            "`HANDRAIL_MOST_AUDIO_PER_MINUTE`",
        ),
        ("one post to Mattermost", f"{texts.LONGEST_POST:,} characters", "it is split", ""),
        (
            "an earlier chat that a front end sends",
            f"{conversation.LONGEST_QUOTED:,} characters of it are quoted",
            "the rest is left out",
            "",
        ),
        ("a browser's result", f"{client_calls.LONGEST_RESULT:,} characters", "413", ""),
        ("why a browser could not do it", f"{client_calls.LONGEST_ERROR} characters", "422", ""),
        (
            "posts to one response URL of Mattermost",
            f"{courier.MOST_POSTS}, within {courier.LIFETIME.total_seconds() / 60:g} minutes",
            "the last one says where the rest is",
            "",
        ),
        ("a sign-in link", f"{links.LASTS.total_seconds() / 60:g} minutes, once", "410", ""),
        ("a browser's sign-in", f"{known['sign_in_hours'].default:g} hours", "401", "`HANDRAIL_SIGN_IN_HOURS`"),
        ("a question to `/orders/chat`", f"1 to {LONGEST_MESSAGE:,} characters", "422", ""),
        ("model calls for one question to `/orders/chat`", f"{MAX_TOOL_ROUNDS}", "502", "`TurnLimit` of your agent"),
        ("requests for one model call", "3: the client's own two retries, and no other", "502", "`OpenAIChat(client=…)`"),
        ("one model call, retries included", f"{TOTAL_SECONDS:g} s", "it has failed", "`OpenAIChat(total_seconds=…)`"),
        ("silence of a stream that has begun", f"{IDLE_SECONDS:g} s without content", "it has failed", "`OpenAIChat(idle_seconds=…)`"),
        ("tool calls in one reply", f"{MOST_CALLS}", "the rest is dropped, and noted in the journal", ""),
        (
            "arguments of a tool call",
            f"{arguments.MOST_BYTES // 1024} KiB, {arguments.MOST_DEPTH} deep",
            "an error that the model can correct",
            "",
        ),
        ("an error that a model is told", f"{wording.LONGEST} characters", "it is cut", ""),
        ("a result that a model sees", f"{encoding.MOST_SHOWN:,} characters", "it is cut with a note; the journal keeps the whole", ""),
        ("one run of a tool", "30 s", "a read has failed, a write's outcome is unknown", "`@tool(timeout=…)`"),
        ("take-overs of a run without progress", f"{MOST_TAKEOVERS}", "it lands, or fails", ""),
        ("waiting for another writer in SQLite", f"{BUSY_MILLISECONDS / 1000:g} s", "the write is an error", ""),
    ]
    head = [
        "# Limits",
        "",
        "What is bounded, by how much, and what happens beyond it. The limits of a run itself (turns, time, tokens, uses of a tool) are",
        "guards that you declare: see [guards](guards/index.md).",
        "",
        "| what | at most | beyond it | changed by |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows), ""])
