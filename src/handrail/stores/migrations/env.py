"""Alembic's way in. The connection comes from `handrail.stores.migrating`, which is the only one to call it."""

from alembic import context

from handrail.stores.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
