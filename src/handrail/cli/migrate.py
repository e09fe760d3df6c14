"""`handrail migrate`: bring the database to this version's tables. SQLite does it by itself when the service starts."""

import asyncio

import typer

from handrail.cli.telling import told


def command() -> None:
    """Bring the database to this version's tables."""
    with told():
        typer.echo(asyncio.run(_migrated()))


async def _migrated() -> str:
    from sqlalchemy.exc import SQLAlchemyError

    from handrail.errors import InputError
    from handrail.service.apps import named
    from handrail.service.opening import is_sqlite
    from handrail.service.settings import read_settings
    from handrail.stores.database import make_engine
    from handrail.stores.migrating import migrate

    database = make_engine(read_settings().database_url.get_secret_value())
    try:
        before, after = await migrate(database)
        if not is_sqlite(database):
            await named("handrail.engines.postgres_schema:migrate_queue")(database)
    except SQLAlchemyError as error:
        raise InputError(f"the database could not be migrated ({type(error).__name__}): see to HANDRAIL_DATABASE_URL") from error
    finally:
        await database.dispose()
    return f"The database was at revision {after} already." if before == after else f"The database is at revision {after} now."
