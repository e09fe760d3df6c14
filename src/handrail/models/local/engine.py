"""llama.cpp in a process of its own, for as long as an event loop needs it.

- A process of its own, since a model's file is other people's data, read by C++: what goes wrong there ends that process and nothing else.
  It also keeps llama.cpp's handlers of signals, and its memory, out of this one.
- It is reached by a Unix socket in a folder that only this user can enter: no port, no key, nothing that a page in a browser can call.
- It gets no variables of the environment but those by which programs are found: no secrets.
- It is started when it is first needed, once; again where it has died. It ends with `close`, and when this process ends in whatever way.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

import msgspec

from handrail.errors import ModelError
from handrail.models.failures import clean
from handrail.vocab.failures import FailureKind

ENDING_SECONDS = 5.0
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "TMPDIR", "VIRTUAL_ENV")
SERVING = Path(__file__).with_name("serving.py")
SOCKET, SAID = "model.sock", "said"  # llama.cpp takes a name for a socket by its ending


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is run.

    Args:
        path: its file.
        threads: that compute at once.
        context: tokens that fit into one request and its reply.
        cache_megabytes: memory for the beginnings of other conversations, so that they are not read again.
    """

    path: Path
    threads: int
    context: int
    cache_megabytes: int = 512


class _Said(msgspec.Struct, frozen=True):
    """The one line of the other process."""

    ready: str | None = None
    failed: str | None = None


class Engine:
    """One process with one model; for one event loop."""

    def __init__(self, settings: EngineSettings) -> None:
        """Start nothing yet."""
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="handrail-model-"))
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self._folder / SOCKET

    @property
    def pid(self) -> int | None:
        """Its process, where there is one."""
        return None if self._process is None else self._process.pid

    async def ended(self) -> None:
        """Return when its process has ended by itself."""
        if self._process is not None:
            await self._process.wait()

    async def started(self) -> None:
        """Return when it serves; at once where it does.

        Raises:
            ModelError: it cannot be started.
        """
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                self.socket.unlink(missing_ok=True)
                self._process = await self._start()

    async def close(self) -> None:
        """End it."""
        async with self._starting:
            if self._process is not None:
                await _ended(self._process)
                self._process = None
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _start(self) -> asyncio.subprocess.Process:
        with (self._folder / SAID).open("wb") as said:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # what lies beside the file is no module of the other process's
                SERVING,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=said,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                start_new_session=True,  # Ctrl-C is for us; we end it
            )
        try:
            line = await self._asked(process)
        except BaseException:
            await _ended(process)
            raise
        if line.ready is None:
            await _ended(process)
            raise ModelError(FailureKind.OTHER, self._why())
        return process

    async def _asked(self, process: asyncio.subprocess.Process) -> _Said:
        """What it says, having been told what to do."""
        told = {**msgspec.structs.asdict(self._settings), "path": str(self._settings.path), "socket": str(self.socket)}
        if process.stdin is None or process.stdout is None:
            return _Said()
        process.stdin.write(msgspec.json.encode(told) + b"\n")
        try:
            await process.stdin.drain()
            return msgspec.json.decode(await process.stdout.readline(), type=_Said)
        except (ConnectionError, msgspec.MsgspecError):
            return _Said()

    def _why(self) -> str:
        """What llama.cpp said first, or Python last."""
        lines = (self._folder / SAID).read_text(errors="replace").splitlines()
        missing = [line for line in lines if line.startswith("ModuleNotFoundError")]
        if missing:
            return "running a model here needs handrail[local]: install it (xllamacpp)"
        told = [line.partition(" E ")[2].rpartition("error loading model: ")[2] for line in lines if " E " in line]
        why = (told or lines[-1:] or ["it says nothing"])[0]
        return clean(f"{self._settings.path.name} cannot be run: {why}; fetch the file again, or name another model")


async def _ended(process: asyncio.subprocess.Process) -> None:
    """The end of its input is the sign to end; a process that does not take it is killed."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(ENDING_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
