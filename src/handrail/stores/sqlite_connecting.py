"""How a connection to a SQLite file is opened: so that one that fails leaves nothing behind.

- aiosqlite gives each connection a thread. Where the file cannot be opened, it tells the thread to end and does not wait for that; the
  thread then speaks to an event loop that may be closed by now. So it is waited for here; it has nothing left to do.
- The thread keeps no process alive, as SQLAlchemy has it where it connects by itself.
"""

from threading import Thread
from typing import Any

import aiosqlite


def connect_cleanly(dialect: object, record: object, arguments: object, options: dict[str, Any]) -> None:
    """A listener for `do_connect`: SQLAlchemy goes on as ever, but for how the connection is opened."""
    options["async_creator_fn"] = _opened


async def _opened(*arguments: Any, **options: Any) -> aiosqlite.Connection:
    connection = aiosqlite.connect(*arguments, **options)
    thread: Thread = vars(connection)["_thread"]
    thread.daemon = True
    try:
        return await connection
    except BaseException:
        thread.join()
        raise
