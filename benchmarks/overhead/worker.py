"""One contestant in a process of its own: `python -m benchmarks.overhead.worker NAME BASE_URL`.

Each line of standard input is a batch, `{"turns": K, "runs": N}`; the line that answers it is a list of CPU seconds, one a run.
The first run of a batch is not counted: kept connections may have gone meanwhile. CPU time is that of the whole process, user and system.
"""

import asyncio
import gc
import json
import sys
import time

from openai import AsyncOpenAI

from benchmarks.overhead.contestants import CONTESTANTS, Contestant
from benchmarks.overhead.task import ANSWER


async def batch(contestant: Contestant, turns: int, runs: int) -> list[float]:
    """CPU seconds of each run, after one that is not counted."""
    await once(contestant, turns)
    gc.collect()
    return [await once(contestant, turns) for _ in range(runs)]


async def once(contestant: Contestant, turns: int) -> float:
    """CPU seconds of one run.

    Raises:
        RuntimeError: it came to another answer.
    """
    began = time.process_time()
    answer = await contestant(turns)
    took = time.process_time() - began
    if answer != ANSWER:
        raise RuntimeError(f"the answer is {answer!r}")
    return took


def main(name: str, base_url: str) -> None:
    """Take batches until standard input ends."""
    with asyncio.Runner() as runner:
        client = AsyncOpenAI(base_url=base_url, api_key="benchmark")
        contestant = CONTESTANTS[name](client)
        for line in sys.stdin:
            wanted = json.loads(line)
            print(json.dumps(runner.run(batch(contestant, wanted["turns"], wanted["runs"]))), flush=True)
        runner.run(client.close())


if __name__ == "__main__":
    main(*sys.argv[1:])
