"""Lines from a terminal while other things go on.

- A thread reads the file descriptor itself: a thread that waits in Python's buffered stdin would block the end of the process.
- A line goes to whoever asked for one, else to whoever listens (a running run), else it waits.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from handrail.cli.visible import visible


class Keyboard:
    """Standard input, or any other file descriptor, line by line."""

    def __init__(self, fd: int = 0) -> None:
        """Read nothing yet."""
        self.interactive = os.isatty(fd)
        self.listener: Callable[[str], None] | None = None
        self._fd = fd
        self._lines: deque[str | None] = deque()
        self._wanted: asyncio.Future[str | None] | None = None
        self._thread: threading.Thread | None = None

    async def line(self) -> str | None:
        """The next line without its end; `None` where there are no more. One at a time."""
        self._begin()
        if self._lines:
            return self._lines[0] if self._lines[0] is None else self._lines.popleft()
        self._wanted = asyncio.get_running_loop().create_future()
        try:
            return await self._wanted
        finally:
            self._wanted = None

    async def prompted(self, console: Console, prompt: str) -> str | None:
        """Ask for a line; one that no terminal echoes is echoed here, so that what is printed can be read afterwards."""
        console.print(Text(f"{prompt} > ", style="bold"), end="")
        line = await self.line()
        if not self.interactive:
            console.print(Text("" if line is None else visible(line)))
        return line

    def _begin(self) -> None:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), name="keyboard", daemon=True)
            self._thread.start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        try:
            while part := os.read(self._fd, 4096):
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(self._arrived, line.decode(errors="replace").rstrip("\r"))
            if rest:
                loop.call_soon_threadsafe(self._arrived, rest.decode(errors="replace"))
            loop.call_soon_threadsafe(self._arrived, None)
        except (OSError, RuntimeError):  # the terminal or the loop is gone, and nobody reads any more
            return

    def _arrived(self, line: str | None) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(line)
            if line is None:
                self._lines.append(None)
        elif line is not None and self.listener is not None:
            if line.strip():
                self.listener(line)
        else:
            self._lines.append(line)
