"""Procrastinate's connections: nothing goes over the wire but what is asked for.

- Each of its questions is one statement, so there is no transaction around it.
- A connection is asked whether it is still there when it has not been for a second. One that went away meanwhile fails at its question,
  which the queue asks again.
"""

import math
import time
from typing import Any
from weakref import WeakKeyDictionary

from procrastinate import PsycopgConnector
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

QUIET_SECONDS = 1.0
CONNECTIONS = 4
PATIENCE = 10.0
"""Seconds to wait for one of them."""


def connector(place: str) -> PsycopgConnector:
    """What Procrastinate speaks to PostgreSQL through; nothing is connected yet."""
    return PsycopgConnector(conninfo=place, min_size=1, max_size=CONNECTIONS, timeout=PATIENCE, pool_factory=_pool)


class Asked:
    """Asks a connection whether it is still there, now and then."""

    def __init__(self) -> None:
        """None has been asked yet."""
        self._asked: WeakKeyDictionary[AsyncConnection[Any], float] = WeakKeyDictionary()

    async def __call__(self, connection: AsyncConnection[Any]) -> None:
        """Ask, unless it was just now.

        Raises:
            psycopg.OperationalError: it is gone.
        """
        now = time.monotonic()
        if now - self._asked.get(connection, -math.inf) >= QUIET_SECONDS:
            await AsyncConnectionPool.check_connection(connection)
            self._asked[connection] = now


def _pool(**arguments: Any) -> AsyncConnectionPool:
    return AsyncConnectionPool(**{**arguments, "check": Asked(), "configure": _without_transactions})


async def _without_transactions(connection: AsyncConnection[Any]) -> None:
    await connection.set_autocommit(True)
