"""The tables' history, one step a file in `versions/`, run by Alembic."""
