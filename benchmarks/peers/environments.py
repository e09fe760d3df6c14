"""Environments of the peers: `.peers/NAME` in the checkout, made by uv from `requirements/NAME.lock`.

- An environment is made again only when its lock, its interpreter or the place of the checkout has changed; two who want one take turns.
- It holds the peer and handrail's own base dependencies, so that handrail's sources can be imported there.
- Where one cannot be had (no interpreter that is new enough, no package index within reach), that is said, and the answer is `None`.
"""

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.catalogue import PEERS, SHARED
from benchmarks.peers.interpreters import interpreter

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".peers"
LOCKS = Path(__file__).with_name("requirements")
STAMP = ".handrail-stamp"
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
COMPILE = ("--universal", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
INSTALL = ("--require-hashes", "--no-deps", "--compile-bytecode")


class NotMadeError(Exception):
    """An environment cannot be had, with the reason."""


def tell(what: str) -> None:
    """Say it beside the figures."""
    print(what, file=sys.stderr, flush=True)


def python_of(name: str) -> Path | None:
    """The interpreter of a peer's environment, which is made if need be; `None` where it cannot be had, after saying why."""
    try:
        with _alone(name):
            return made(name) or _make(name)
    except NotMadeError as error:
        tell(f"{name} is left out: {error}")
        return None


def made(name: str) -> Path | None:
    """The interpreter of a peer's environment if that is made and up to date; nothing is made here."""
    python = PLACE / name / "bin" / "python"
    stamp = PLACE / name / STAMP
    base = interpreter(PEERS[name].python)
    fits = base is not None and python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted(name, base)
    return python if fits else None


def version_of(name: str) -> str:
    """The release of a peer that its lock pins."""
    package = re.escape(PEERS[name].packages[0].partition("[")[0])
    pin = re.search(rf"^{package}==(\S+)", lock_of(name).read_text(encoding="utf-8"), re.MULTILINE)
    assert pin, f"{lock_of(name)} does not pin {package}"
    return pin[1]


def lock_of(name: str) -> Path:
    """The file that pins a peer."""
    return LOCKS / f"{name}.lock"


def compile_lock(name: str) -> None:
    """Make a peer's lock again, with the newest releases that fit together.

    Raises:
        NotMadeError: none fit together, or there is no package index within reach.
    """
    peer = PEERS[name]
    tell(f"compiling {lock_of(name).relative_to(ROOT)}")
    project, shared = (("pyproject.toml",), _shared()) if peer.beside_handrail else ((), ())
    versions = ("--upgrade", "--python-version", peer.python)
    uv("pip", "compile", *versions, *COMPILE, *project, "-", "--output-file", str(lock_of(name)), said="\n".join((*peer.packages, *shared)))


def _shared() -> tuple[str, ...]:
    """What the comparison is to have in common, as handrail's own lock pins it."""
    pins = (ROOT / "requirements" / "base.lock").read_text(encoding="utf-8")
    found = [re.search(rf"^{package}==\S+", pins, re.MULTILINE) for package in SHARED]
    return tuple(pin[0] for pin in found if pin)


def _make(name: str) -> Path:
    base = interpreter(PEERS[name].python)
    if base is None:
        raise NotMadeError(f"it needs Python {PEERS[name].python} or newer, and there is none here")
    began = time.monotonic()
    folder = PLACE / name
    python = folder / "bin" / "python"
    tell(f"making the environment of {name} {version_of(name)} ...")
    shutil.rmtree(folder, ignore_errors=True)
    uv("venv", "--no-project", "--python", str(base), str(folder))
    uv("pip", "install", *INSTALL, "--python", str(python), "--requirements", str(lock_of(name)))
    site = Path(output([str(python), "-c", SITE]).strip())
    (site / "handrail.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    (folder / STAMP).write_text(wanted(name, base), encoding="utf-8")
    tell(f"made it in {time.monotonic() - began:.0f} s")
    return python


def wanted(name: str, base: Path) -> str:
    """What an environment that is up to date is stamped with."""
    return hashlib.sha256(b"\0".join((lock_of(name).read_bytes(), str(base).encode(), str(ROOT).encode()))).hexdigest()


@contextmanager
def _alone(name: str) -> Iterator[None]:
    PLACE.mkdir(exist_ok=True)
    with (PLACE / f"{name}.turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


def uv(*arguments: str, said: str = "") -> str:
    """What uv prints; `said` is its standard input.

    Raises:
        NotMadeError: it could not do it, or is not there.
    """
    program = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if program is None:
        raise NotMadeError("there is no uv; `make setup` installs it")
    return output([program, "--quiet", *arguments], said)


def output(command: Sequence[str], said: str = "") -> str:
    """What a program prints; `said` is its standard input.

    Raises:
        NotMadeError: it failed.
    """
    done = subprocess.run(command, cwd=ROOT, input=said, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMadeError(f"{Path(command[0]).name} could not do it: {done.stderr.strip()[-600:]}")
    return done.stdout
