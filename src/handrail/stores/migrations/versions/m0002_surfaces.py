"""Leases of sessions, what surfaces still have to deliver, results of clients, heads of conversations, and what people confirmed."""

import sqlalchemy as sa
from alembic import op

from handrail.stores.database import UtcDateTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make them."""
    op.add_column("agent_jobs", sa.Column("notes", sa.JSON(), nullable=True))
    op.add_column("agent_sessions", sa.Column("confirmed", sa.JSON(), nullable=True))
    op.create_table(
        "session_leases",
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("until", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["agent_sessions.session_id"], name=op.f("fk_session_leases_session_id")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_session_leases")),
    )
    op.create_table(
        "deliveries",
        sa.Column("delivery_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("surface", sa.String(length=32), nullable=False),
        sa.Column("target", sa.JSON(), nullable=False),
        sa.Column("sent", sa.JSON(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["agent_jobs.job_id"], name=op.f("fk_deliveries_job_id")),
        sa.PrimaryKeyConstraint("delivery_id", name=op.f("pk_deliveries")),
    )
    op.create_index(op.f("ix_deliveries_job_id"), "deliveries", ["job_id"], unique=False)
    op.create_index(op.f("ix_deliveries_surface_next_at"), "deliveries", ["surface", "next_at"], unique=False)
    op.create_table(
        "client_results",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("call_id", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["agent_jobs.job_id"], name=op.f("fk_client_results_job_id")),
        sa.PrimaryKeyConstraint("job_id", "call_id", name=op.f("pk_client_results")),
    )
    op.create_table(
        "conversation_heads",
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=200), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["agent_sessions.session_id"], name=op.f("fk_conversation_heads_session_id")),
        sa.PrimaryKeyConstraint("user_id", "digest", name=op.f("pk_conversation_heads")),
    )


def downgrade() -> None:
    """Take them back."""
    for table in ("conversation_heads", "client_results", "deliveries", "session_leases"):
        op.drop_table(table)
    op.drop_column("agent_sessions", "confirmed")
    op.drop_column("agent_jobs", "notes")
