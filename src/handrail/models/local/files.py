"""The file of a model: found, and looked at before anything reads it in earnest.

- Whatever can be said without loading it is said at once, with what to do.
- A bare name is looked for among the models that were fetched (`$XDG_CACHE_HOME/handrail/models`), if it is no file here.
"""

import os
from pathlib import Path

from handrail.errors import InputError

MAGIC = b"GGUF"
"""The first four bytes of the format (ggml-org/ggml, docs/gguf.md)."""
SUFFIX = ".gguf"
BESIDE = 400 * 2**20
"""Bytes that llama.cpp needs beside the file of a small model: the cache of a context, and its buffers."""
MEMINFO = Path("/proc/meminfo")


def model_file(name: str, *, meminfo: Path = MEMINFO) -> Path:
    """The file of that name, which is one that can be loaded.

    Args:
        name: a path, or the name of a file among the models that were fetched, with or without `.gguf`.
        meminfo: where the kernel says how much memory is left; where it does not, nobody asks.

    Raises:
        InputError: it is not there, it is no GGUF file, or there is too little memory for it.
    """
    path = _found(name)
    try:
        with path.open("rb") as opened:
            magic = opened.read(len(MAGIC))
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"the model {str(path)!r} cannot be read: {error.strerror}") from None
    if magic != MAGIC:
        raise InputError(f"{str(path)!r} is no GGUF file (it does not begin with GGUF); name a model in that format, such as *-q4_k_m.gguf")
    left = _memory_left(meminfo)
    if left is not None and size + BESIDE > left:
        raise InputError(
            f"{path.name} needs about {_gigabytes(size + BESIDE)} of memory, and {_gigabytes(left)} are left: "
            "end something else, or name a smaller model"
        )
    return path


def models_folder() -> Path:
    """Where models that were fetched are kept (XDG Base Directory Specification)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handrail" / "models"


def models_there() -> tuple[str, ...]:
    """The names of the models that were fetched."""
    return tuple(sorted(path.stem for path in models_folder().glob(f"*{SUFFIX}")))


def _found(name: str) -> Path:
    path = Path(name).expanduser()
    if path.is_file():
        return path
    kept = models_folder() / (name if name.endswith(SUFFIX) else name + SUFFIX)
    if name and path.name == name and kept.is_file():
        return kept
    there = models_there()
    known = f"; fetched are {', '.join(there)}" if there else ""
    raise InputError(f"there is no model {name!r}: give the path of a GGUF file, as in --model local:models/some-model-q4_k_m.gguf{known}")


def _memory_left(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kibibytes = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kibibytes is None else int(kibibytes) * 1024


def _gigabytes(size: int) -> str:
    return f"{size / 10**9:.1f} GB"
