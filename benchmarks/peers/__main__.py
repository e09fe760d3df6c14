"""`python -m benchmarks.peers [--upgrade] [NAME ...]`: make the peers' environments, or their locks again.

Exit 1 where one of them cannot be had.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.peers.catalogue import PEERS
from benchmarks.peers.environments import NotMadeError, compile_lock, python_of, tell, version_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what the command line names, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="Make the environments of the peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(PEERS)} (all by default)")
    parser.add_argument("--upgrade", action="store_true", help="first compile their locks again, with the newest releases")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(PEERS):
        parser.error(f"there is no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    return max([_one(name, upgrade=asked.upgrade) for name in asked.names or PEERS])


def _one(name: str, *, upgrade: bool) -> int:
    if upgrade:
        try:
            compile_lock(name)
        except NotMadeError as error:
            tell(f"{name} keeps its lock: {error}")
            return 1
    python = python_of(name)
    if python is None:
        return 1
    print(f"{name} {version_of(name)} {python}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
