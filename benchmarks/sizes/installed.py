"""How much a base install takes on the disk: its lock, installed into a new environment, and handrail itself as the wheel has it."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.peers.environments import INSTALL, ROOT, NotMadeError, tell, uv

LOCK = ROOT / "requirements" / "base.lock"
SOURCE = ROOT / "src" / "handrail"
PAGES = SOURCE / "service" / "static"


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """A base install.

    Args:
        packages: how many it brings beside handrail.
        packages_mb: what they take, bytecode included.
        handrail_mb: what handrail itself takes, its four apps and their data included, without the built pages.
        pages_mb: the built pages; 0 where none are built.
    """

    packages: int
    packages_mb: float
    handrail_mb: float
    pages_mb: float


def installed() -> Size | None:
    """Install it and look; `None` where it cannot be installed, after saying why."""
    tell("the size of a base install ...")
    with tempfile.TemporaryDirectory(prefix="handrail-base-") as folder:
        try:
            uv("venv", "--no-project", "--python", sys.executable, folder)
            uv("pip", "install", *INSTALL, "--python", f"{folder}/bin/python", "--requirements", str(LOCK))
        except NotMadeError as error:
            tell(f"the base install is not measured: {error}")
            return None
        (site,) = Path(folder).glob("lib/python*/site-packages")
        pages = _megabytes(PAGES.rglob("*"))
        own = _megabytes(path for path in SOURCE.rglob("*") if "__pycache__" not in path.parts)
        return Size(
            packages=len(list(site.glob("*.dist-info"))),
            packages_mb=_megabytes(site.rglob("*")),
            handrail_mb=own - pages,
            pages_mb=pages,
        )


def _megabytes(paths: Iterator[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
