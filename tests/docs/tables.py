"""The pages that are tables of the code's own values: settings and limits."""

from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from handrail.apps.orders.orders_agent import MAX_TOOL_ROUNDS
from handrail.apps.orders.routes import LONGEST_MESSAGE
from handrail.core.limits import MOST_TAKEOVERS
from handrail.models.openai_chat import IDLE_SECONDS, TOTAL_SECONDS
from handrail.service.settings import Settings
from handrail.stores.database import BUSY_MILLISECONDS
from handrail.tools import arguments, encoding, wording
from handrail.vocab.calls import MOST_CALLS

PROVIDER = """\
## For the model's provider

These are the official client's own, and it reads them itself.

| variable | meaning |
|---|---|
| `OPENAI_API_KEY` | The key. Without it the rule-based stand-in answers, and the commands say so. |
| `OPENAI_BASE_URL` | Another provider that speaks chat completions. |
"""


def settings() -> str:
    """Every setting with its variable and its default."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.get_default()
        shown = default.get_secret_value() if isinstance(default, SecretStr) else default
        written = "" if shown is None or shown is PydanticUndefined else f"`{shown}`"
        rows.append(f"| `HANDRAIL_{name.upper()}` | {written} | {field.description} |")
    head = [
        "# Settings",
        "",
        "Each is an environment variable; an option of a command goes before it. A value that does not fit stops the command, with a line",
        "that names the setting. A password in a setting is never printed.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *rows, "", PROVIDER])


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
        ("a compressed request", "none is taken", "415", ""),
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
