"""Migrations lead to the tables that the code speaks of, from nothing, once, and back."""

import asyncio

import alembic.command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.errors import InputError
from handrail.stores.database import make_engine
from handrail.stores.migrating import MIGRATIONS, migrate, newest, revision
from handrail.stores.tables import metadata


async def test_a_new_database_is_brought_to_the_newest_revision_and_only_once(empty_url: str) -> None:
    engine = make_engine(empty_url)
    try:
        assert await revision(engine) is None
        assert await migrate(engine) == (None, newest())
        assert await migrate(engine) == (newest(), newest())
        assert await revision(engine) == newest()
    finally:
        await engine.dispose()


async def test_tables_of_a_newer_version_are_told_and_left_alone(database: AsyncEngine) -> None:
    async with database.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match=r"the tables of a newer handrail \(revision '9999'\): take that version, or a back-up"):
        await migrate(database)
    assert await revision(database) == "9999"


async def test_the_migrated_tables_are_those_of_the_code(database: AsyncEngine) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))

    async with database.connect() as connection:
        assert await connection.run_sync(differences) == []


async def test_several_that_start_at_once_migrate_one_after_the_other(empty_url: str) -> None:
    engines = [make_engine(empty_url) for _ in range(4)]
    try:
        befores = [before for before, _ in await asyncio.gather(*(migrate(engine) for engine in engines))]
    finally:
        for engine in engines:
            await engine.dispose()
    assert sorted(befores, key=str) == sorted([None, newest(), newest(), newest()], key=str)


async def test_a_migration_that_is_taken_back_leaves_nothing(database: AsyncEngine) -> None:
    def back(connection: Connection) -> list[str]:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        alembic.command.downgrade(config, "base")
        return inspect(connection).get_table_names()

    async with database.connect() as connection:
        assert await connection.run_sync(back) == ["alembic_version"]
        await connection.rollback()
