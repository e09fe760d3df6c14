"""The service's first tables."""

import sqlalchemy as sa
from alembic import op

from handrail.stores.database import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "agent_sessions",
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("app", sa.String(length=64), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_agent_sessions")),
    )
    op.create_index(op.f("ix_agent_sessions_user_id_updated_at"), "agent_sessions", ["user_id", "updated_at"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_api_keys")),
    )
    op.create_index(op.f("ix_api_keys_user_id"), "api_keys", ["user_id"], unique=False)
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "one_time_tokens",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("bound", sa.JSON(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("used_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_one_time_tokens")),
    )
    op.create_table(
        "platform_messages",
        sa.Column("platform", sa.String(length=32), nullable=False),
        sa.Column("message_id", sa.String(length=200), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("platform", "message_id", name=op.f("pk_platform_messages")),
    )
    op.create_table(
        "agent_jobs",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("app", sa.String(length=64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("history_tokens", sa.Integer(), nullable=False),
        sa.Column("history_limit", sa.Integer(), nullable=False),
        sa.Column("retry_of", sa.String(length=64), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["agent_sessions.session_id"], name=op.f("fk_agent_jobs_session_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_agent_jobs")),
        sa.UniqueConstraint("session_id", "place", name=op.f("uq_agent_jobs_session_id_place")),
    )
    op.create_index(op.f("ix_agent_jobs_status_updated_at"), "agent_jobs", ["status", "updated_at"], unique=False)
    op.create_index(op.f("ix_agent_jobs_user_id_created_at"), "agent_jobs", ["user_id", "created_at"], unique=False)
    op.create_table(
        "session_wakes",
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("since", UtcDateTime(), nullable=True),
        sa.Column("timer", UtcDateTime(), nullable=True),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["agent_sessions.session_id"], name=op.f("fk_session_wakes_session_id")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_session_wakes")),
    )
    op.create_index(op.f("ix_session_wakes_since"), "session_wakes", ["since"], unique=False)
    op.create_index(op.f("ix_session_wakes_timer"), "session_wakes", ["timer"], unique=False)
    op.create_table(
        "approvals",
        sa.Column("approval_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("hold", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("show", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("decided_by", sa.String(length=200), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=True),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["agent_jobs.job_id"], name=op.f("fk_approvals_job_id")),
        sa.PrimaryKeyConstraint("approval_id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("job_id", "hold", name=op.f("uq_approvals_job_id_hold")),
    )
    op.create_index(op.f("ix_approvals_user_id_status"), "approvals", ["user_id", "status"], unique=False)
    op.create_table(
        "run_events",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["agent_jobs.job_id"], name=op.f("fk_run_events_job_id")),
        sa.PrimaryKeyConstraint("job_id", "seq", name=op.f("pk_run_events")),
    )
    op.create_table(
        "run_messages",
        sa.Column("message_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("taken_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["agent_jobs.job_id"], name=op.f("fk_run_messages_job_id")),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_run_messages")),
    )
    op.create_index(op.f("ix_run_messages_job_id_taken_at"), "run_messages", ["job_id", "taken_at"], unique=False)


def downgrade() -> None:
    """Take them away."""
    op.drop_index(op.f("ix_run_messages_job_id_taken_at"), table_name="run_messages")
    op.drop_table("run_messages")
    op.drop_table("run_events")
    op.drop_index(op.f("ix_approvals_user_id_status"), table_name="approvals")
    op.drop_table("approvals")
    op.drop_index(op.f("ix_session_wakes_timer"), table_name="session_wakes")
    op.drop_index(op.f("ix_session_wakes_since"), table_name="session_wakes")
    op.drop_table("session_wakes")
    op.drop_index(op.f("ix_agent_jobs_user_id_created_at"), table_name="agent_jobs")
    op.drop_index(op.f("ix_agent_jobs_status_updated_at"), table_name="agent_jobs")
    op.drop_table("agent_jobs")
    op.drop_table("platform_messages")
    op.drop_table("one_time_tokens")
    op.drop_table("idempotency_keys")
    op.drop_index(op.f("ix_api_keys_user_id"), table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_index(op.f("ix_agent_sessions_user_id_updated_at"), table_name="agent_sessions")
    op.drop_table("agent_sessions")
