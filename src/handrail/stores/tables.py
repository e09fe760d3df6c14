"""The service's tables.

- The journal (`run_events`) is the truth; everything else about a run is a projection of it, written in the same transaction.
- All times are aware UTC. Ids are text with a prefix (`job_`, `apr_`, `key_`); a session's id is the client's own.
- Migrations in `migrations/` lead here, and a test compares both.
"""

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

from handrail.stores.database import UtcDateTime
from handrail.stores.text import CleanJson, CleanString, CleanText
from handrail.vocab.usage import HISTORY_LIMIT

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

sessions = Table(
    "agent_sessions",
    metadata,
    Column("session_id", CleanString(200), primary_key=True),
    Column("user_id", CleanString(200), nullable=False),
    Column("app", CleanString(64), nullable=False),
    Column("history", CleanJson, nullable=False),
    Column("confirmed", CleanJson),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index(None, "user_id", "updated_at"),
)

jobs = Table(
    "agent_jobs",
    metadata,
    Column("job_id", CleanString(64), primary_key=True),
    Column("session_id", CleanString(200), ForeignKey("agent_sessions.session_id"), nullable=False),
    Column("user_id", CleanString(200), nullable=False),
    Column("app", CleanString(64), nullable=False),
    Column("place", Integer, nullable=False),
    Column("status", CleanString(16), nullable=False),
    Column("message", CleanText, nullable=False),
    Column("notes", CleanJson),
    Column("response", CleanText),
    Column("outcome", CleanJson),
    Column("history_tokens", Integer, nullable=False, default=0),
    Column("history_limit", Integer, nullable=False, default=HISTORY_LIMIT),
    Column("retry_of", CleanString(64)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "place"),
    Index(None, "status", "updated_at"),
    Index(None, "user_id", "created_at"),
)

run_events = Table(
    "run_events",
    metadata,
    Column("job_id", CleanString(64), ForeignKey("agent_jobs.job_id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("line", Text, nullable=False),
)

run_messages = Table(
    "run_messages",
    metadata,
    Column("message_id", Integer, primary_key=True, autoincrement=True),
    Column("job_id", CleanString(64), ForeignKey("agent_jobs.job_id"), nullable=False),
    Column("kind", CleanString(16), nullable=False),
    Column("body", CleanJson, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("taken_at", UtcDateTime),
    Index(None, "job_id", "taken_at"),
)

approvals = Table(
    "approvals",
    metadata,
    Column("approval_id", CleanString(64), primary_key=True),
    Column("job_id", CleanString(64), ForeignKey("agent_jobs.job_id"), nullable=False),
    Column("session_id", CleanString(200), nullable=False),
    Column("user_id", CleanString(200), nullable=False),
    Column("hold", CleanString(64), nullable=False),
    Column("digest", CleanString(64), nullable=False),
    Column("tool", CleanString(64), nullable=False),
    Column("arguments", CleanText, nullable=False),
    Column("show", CleanJson, nullable=False),
    Column("status", CleanString(16), nullable=False),
    Column("decided_by", CleanString(200)),
    Column("comment", CleanText),
    Column("created_at", UtcDateTime, nullable=False),
    Column("decided_at", UtcDateTime),
    Column("expires_at", UtcDateTime),
    UniqueConstraint("job_id", "hold"),
    Index(None, "user_id", "status"),
)

session_wakes = Table(
    "session_wakes",
    metadata,
    Column("session_id", CleanString(200), ForeignKey("agent_sessions.session_id"), primary_key=True),
    Column("since", UtcDateTime),
    Column("timer", UtcDateTime),
    Column("wanted", Integer, nullable=False),
    Index(None, "since"),
    Index(None, "timer"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("key_id", CleanString(64), primary_key=True),
    Column("hash", CleanString(64), nullable=False),
    Column("user_id", CleanString(200), nullable=False),
    Column("scopes", CleanJson, nullable=False),
    Column("label", CleanString(200), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    Index(None, "user_id"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("user_id", CleanString(200), primary_key=True),
    Column("key", CleanString(200), primary_key=True),
    Column("digest", CleanString(64), nullable=False),
    Column("job_id", CleanString(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

one_time_tokens = Table(
    "one_time_tokens",
    metadata,
    Column("hash", CleanString(64), primary_key=True),
    Column("purpose", CleanString(32), nullable=False),
    Column("bound", CleanJson, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("used_at", UtcDateTime),
)

platform_messages = Table(
    "platform_messages",
    metadata,
    Column("platform", CleanString(32), primary_key=True),
    Column("message_id", CleanString(200), primary_key=True),
    Column("job_id", CleanString(64)),
    Column("created_at", UtcDateTime, nullable=False),
)

session_leases = Table(
    "session_leases",
    metadata,
    Column("session_id", CleanString(200), ForeignKey("agent_sessions.session_id"), primary_key=True),
    Column("owner", CleanString(64), nullable=False),
    Column("fence", Integer, nullable=False),
    Column("until", UtcDateTime, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("delivery_id", CleanString(64), primary_key=True),
    Column("job_id", CleanString(64), ForeignKey("agent_jobs.job_id"), nullable=False),
    Column("surface", CleanString(32), nullable=False),
    Column("target", CleanJson, nullable=False),
    Column("sent", CleanJson, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "job_id"),
    Index(None, "surface", "next_at"),
)

client_results = Table(
    "client_results",
    metadata,
    Column("job_id", CleanString(64), ForeignKey("agent_jobs.job_id"), primary_key=True),
    Column("call_id", CleanString(64), primary_key=True),
    Column("digest", CleanString(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

conversation_heads = Table(
    "conversation_heads",
    metadata,
    Column("user_id", CleanString(200), primary_key=True),
    Column("digest", CleanString(64), primary_key=True),
    Column("session_id", CleanString(200), ForeignKey("agent_sessions.session_id"), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)
