"""A start in a process of its own: `python -m benchmarks.sizes.importing MODULE BASE_URL`.

- The module is one of `benchmarks.overhead`: it imports what those who use that system import. Before it only the standard library is.
- It prints what the import cost, what all cost until the first run was over (some import the larger part only then), and what an agent
  with three tools costs from scratch, the median of many. Times are CPU time.
"""

import asyncio
import importlib
import json
import os
import statistics
import sys
import time
from typing import Any

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.worker import megabytes, once

AGENTS = 30


async def started(module: str, url: str) -> dict[str, float]:
    """What the start cost."""
    began = time.process_time()
    known = len(sys.modules)
    loop = importlib.import_module(module).Loop
    cost = {"import": time.process_time() - began}
    contestant: Contestant[Any] = loop(url)
    await once(contestant, contestant.agent(), 1)
    cost |= {"first": time.process_time() - began, "modules": len(sys.modules) - known, "mb": megabytes("VmRSS")}
    cost["agent"] = statistics.median([agent(contestant) for _ in range(AGENTS)])
    await contestant.close()
    return cost


def agent(contestant: Contestant[Any]) -> float:
    """CPU seconds of one agent."""
    began = time.process_time()
    contestant.agent()
    return time.process_time() - began


def main(module: str, url: str) -> None:
    """Start, and print what that cost. What a contestant prints goes to standard error, and what it left running does not hold us up."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps(asyncio.run(started(module, url))), file=answers, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
