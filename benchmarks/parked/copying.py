"""Many runs that wait, made from one: it is run until it waits, and its rows are copied under other names.

A test approves a copy, which then goes on like the run that it was made from.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.stores.tables import approvals, jobs, run_events, session_wakes, sessions
from handrail.stores.transactions import read, write

TABLES = (sessions, jobs, run_events, approvals, session_wakes)
AT_ONCE = 1_000


async def copied(database: AsyncEngine, many: int) -> None:
    """Copy the only run that there is."""
    rows = {table: await read(database, _rows, table) for table in TABLES}
    for first in range(0, many, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, many))
        await write(database, _added, {table: list(_under_other_names(rows[table], numbers)) for table in TABLES})


async def _rows(connection: AsyncConnection, table: Table) -> list[dict[str, Any]]:
    return [dict(row) for row in (await connection.execute(select(table))).mappings()]


async def _added(connection: AsyncConnection, rows: dict[Table, list[dict[str, Any]]]) -> None:
    for table, new in rows.items():
        await connection.execute(insert(table), new)


def _under_other_names(rows: list[dict[str, Any]], numbers: range) -> Iterator[dict[str, Any]]:
    for number in numbers:
        for row in rows:
            names: dict[str, str] = {name: f"{row[name]}_{number}" for name in ("session_id", "job_id", "approval_id") if name in row}
            if "line" in row:
                names["line"] = row["line"].replace(row["job_id"], names["job_id"])
            yield {**row, **names}
