"""The event loop of what serves for long: uvloop's where it is installed (the extra `service` brings it), else asyncio's own."""

import asyncio
from collections.abc import Coroutine
from importlib.util import find_spec
from typing import Any, TypeVar

T = TypeVar("T")


def lasting(main: Coroutine[Any, Any, T]) -> T:
    """Run it to its end."""
    if find_spec("uvloop") is None:
        return asyncio.run(main)
    from uvloop import new_event_loop

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)
