"""One contestant in a process of its own: `python -m benchmarks.overhead.worker MODULE BASE_URL`.

Each line of standard input asks for something, and the line that answers it is JSON:

- `{"turns": K, "runs": N}`: a batch, one run after the other. Answered with a list of CPU seconds, one a run. The first run is not
  counted: kept connections may have gone meanwhile.
- `{"turns": K, "runs": N, "together": true}`: all at the same time, after one that is not counted. Answered with the CPU seconds and the
  seconds of all of them, and the most memory that the process ever had.

CPU time is that of the whole process, user and system. Nothing but the standard library and the contestant is imported here.
"""

import asyncio
import gc
import importlib
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import ANSWER

STATUS = Path("/proc/self/status")


async def batch(contestant: Contestant[Any], turns: int, runs: int) -> list[float]:
    """CPU seconds of each run, after one that is not counted."""
    agent = contestant.agent()
    await once(contestant, agent, turns)
    gc.collect()
    return [await once(contestant, agent, turns) for _ in range(runs)]


async def once(contestant: Contestant[Any], agent: Any, turns: int) -> float:
    """CPU seconds of one run.

    Raises:
        RuntimeError: it came to another answer.
    """
    began = time.process_time()
    answer = await contestant.run(agent, turns)
    took = time.process_time() - began
    if answer != ANSWER:
        raise RuntimeError(f"the answer is {answer!r}")
    return took


async def together(contestant: Contestant[Any], turns: int, runs: int) -> dict[str, float]:
    """What so many runs at the same time cost; an agent that serves one at a time is made for each."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(runs))
    agent = contestant.agent()
    await once(contestant, agent, turns)
    gc.collect()
    cpu, wall = time.process_time(), time.monotonic()
    await asyncio.gather(*(once(contestant, agent if contestant.shared else contestant.agent(), turns) for _ in range(runs)))
    return {"cpu": time.process_time() - cpu, "wall": time.monotonic() - wall, "peak_mb": megabytes("VmHWM")}


def megabytes(name: str) -> float:
    """A line of the process's status, such as the memory that it has (VmRSS) or had at most (VmHWM)."""
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


def main(module: str, base_url: str) -> None:
    """Answer until standard input ends. What a contestant prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    with asyncio.Runner() as runner:
        contestant: Contestant[Any] = importlib.import_module(module).Loop(base_url)
        for line in sys.stdin:
            asked = json.loads(line)
            wanted = (contestant, asked["turns"], asked["runs"])
            done: Any = runner.run(together(*wanted) if asked.get("together") else batch(*wanted))
            print(json.dumps(done), file=answers)
        runner.run(contestant.close())


if __name__ == "__main__":
    main(*sys.argv[1:])
