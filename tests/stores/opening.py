"""A process of its own for the tests of case 45: `python -m tests.stores.opening FILE NAME MANY`.

It opens the file (new or not), makes the tables, and adds `MANY` jobs to a session of its own.
"""

import asyncio
import sys

from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from tests.stores.kit import added


async def main(file: str, name: str, many: int) -> None:
    database = make_engine(f"sqlite:///{file}")
    await migrate(database)
    for number in range(many):
        await added(database, f"job_{name}_{number}", session_id=name)
    await database.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
