"""Environments of the peers, for the tests that need one."""

import os
from pathlib import Path

import pytest

from benchmarks.peers.environments import made, python_of

WANTED = "HANDRAIL_PEERS" in os.environ
"""Whether those that are missing are made: hundreds of megabytes. It is read before a test takes settings away."""


def environment_of(name: str) -> Path:
    """The interpreter of a peer's environment; the test is skipped where there is none."""
    python = python_of(name) if WANTED else made(name)
    if python is None:
        pytest.skip(f"the environment of {name} is not made: `python -m benchmarks.peers {name}`, or HANDRAIL_PEERS=1, makes it")
    return python
