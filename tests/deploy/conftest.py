"""A PostgreSQL server for the commands of compose.yaml."""

from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
