"""How a connection to a SQLite file is opened: so that one that fails leaves nothing behind.

- aiosqlite gives each connection a thread. Where the file cannot be opened, it tells the thread to end and does not wait for that; the
  thread then speaks to an event loop that may be closed by now. So it is waited for here; it has nothing left to do.
- A file that is not there yet is made for its owner alone: it will hold what people said. SQLite gives the files beside it the same mode.
- The thread keeps no process alive, as SQLAlchemy has it where it connects by itself.
"""

import os
from contextlib import suppress
from threading import Thread
from typing import Any

import aiosqlite


def connect_cleanly(dialect: object, record: object, arguments: object, options: dict[str, Any]) -> None:
    """A listener for `do_connect`: SQLAlchemy goes on as ever, but for how the connection is opened."""
    options["async_creator_fn"] = _opened


async def _opened(*arguments: Any, **options: Any) -> aiosqlite.Connection:
    if not options.get("uri"):
        _made(arguments[0])
    connection = aiosqlite.connect(*arguments, **options)
    thread: Thread = vars(connection)["_thread"]
    thread.daemon = True
    try:
        return await connection
    except BaseException:
        thread.join()
        raise


def _made(file: str) -> None:
    """Make the file where there is none; whatever is wrong with its place is SQLite's to tell."""
    if file == ":memory:":
        return
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
