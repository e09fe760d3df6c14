"""A PostgreSQL server for the engine that needs one."""

from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
