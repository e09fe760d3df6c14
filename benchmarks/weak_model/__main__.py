"""`python -m benchmarks.weak_model --model local:PATH`: run tasks, tell how each went, and write the figures.

- A run that was broken off goes on where it was: each task that is over is in the notebook beside the figures.
- Figures of a half are written when all of its tasks were run; of some of them they are only told.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.weak_model.fetching import SOURCES
from benchmarks.weak_model.notebook import Entry, Notebook
from benchmarks.weak_model.report import Sums, sums, table, written
from benchmarks.weak_model.running import Done, done
from benchmarks.weak_model.systems import AGENTS, SYSTEMS, agent_digest
from benchmarks.weak_model.tasks import HALVES, Task, tasks
from handrail import Agent
from handrail.errors import InputError
from handrail.models import OpenAIChat
from handrail.models.local import LocalModel
from handrail.models.local.engine import EngineSettings
from handrail.models.local.files import model_file
from handrail.models.local.transport import LocalTransport
from handrail.ports import Model

LOCAL = "local:"
CONTEXT = 16_384
RESULTS = Path(__file__).parents[1] / "results" / "weak_model.json"
SHORT = 2
"""Tasks of an app in the short form."""
NATIVE_SECONDS = 1_800.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    if asked.short:
        asked.half, asked.system = asked.half or HALVES[:1], asked.system or ["ring"]
    if asked.json is None:
        asked.json = Path(tempfile.mkdtemp(prefix="weak-model-")) / RESULTS.name if asked.short else RESULTS
    try:
        path = model_file(asked.model.removeprefix(LOCAL))
        found = asyncio.run(_run(asked, path, Notebook(asked.json.with_suffix(".jsonl"))))
    except InputError as error:
        raise SystemExit(str(error)) from None
    written(asked.json, [each for each in found if each.tasks == len(tasks(each.app, each.half))])
    print(table(found))


async def _run(asked: argparse.Namespace, path: Path, notebook: Notebook) -> list[Sums]:
    found = []
    async with models_of(path, threads=asked.threads) as models:
        for app in asked.app or AGENTS:
            for half in asked.half or HALVES:
                for system in [SYSTEMS[name] for name in asked.system or SYSTEMS]:
                    wanted = [task for task in tasks(app, half) if not asked.task or task.id in asked.task]
                    about = {"model": path.name, "system": system.name, "app": app, "half": half}
                    runner = Runner(models[system.constrained], system.agent(app), notebook, about)
                    results = [await runner.done(task, again=asked.again) for task in (wanted[:SHORT] if asked.short else wanted)]
                    found += [sums(results, model=path, app=app, half=half, system=system.name)] if results else []
    return found


class Runner:
    """Runs tasks of one half of an app's, or finds them in the notebook."""

    def __init__(self, model: Model, agent: Agent, notebook: Notebook, about: Mapping[str, str]) -> None:
        """Find what is known."""
        self._model = model
        self._agent = agent
        self._notebook = notebook
        self._about = {**about, "agent": agent_digest(agent)}
        self._known = notebook.found(**self._about)

    async def done(self, task: Task, *, again: bool = False) -> Done:
        """What came of the task; it is told and written down."""
        came = None if again else self._known.get(task.id)
        if came is None:
            came = await done(task, self._agent, self._model)
            self._notebook.add(Entry(**self._about, done=came))
        how = "right" if not came.faults else f"wrong: {'; '.join(came.faults)}"
        tell(f"{self._about['system']} {task.id} ({came.seconds:.0f} s, {came.calls} calls): {how}")
        return came


@asynccontextmanager
async def models_of(path: Path, *, threads: int) -> AsyncIterator[Mapping[bool, Model]]:
    """The model, constrained or not; both are one process, which keeps the beginnings that its requests have in common."""
    settings = EngineSettings(path=path, threads=threads, context=CONTEXT)
    native = OpenAIChat(transport=LocalTransport(settings), total_seconds=NATIVE_SECONDS)
    try:
        yield {False: native, True: LocalModel(path, chat=native)}
    finally:
        await native.close()


def tell(what: str) -> None:
    """Say it beside the figures."""
    print(what, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weak_model", description="Do small models get tasks done?")
    fetched = f"{LOCAL}{SOURCES['1.5b'].file}"
    parser.add_argument(
        "--model", default=fetched, metavar="local:PATH", help="a GGUF file, or the name of one that was fetched (%(default)s)"
    )
    parser.add_argument("--half", choices=HALVES, action="append", help="which half of the tasks; again for both (both by default)")
    parser.add_argument("--app", choices=list(AGENTS), action="append", help="which app; again for more (all by default)")
    parser.add_argument("--system", choices=list(SYSTEMS), action="append", help="how the model is run; again for more (all by default)")
    parser.add_argument("--task", action="append", metavar="ID", help="just this task; again for more")
    parser.add_argument("--short", action="store_true", help=f"{SHORT} tuning tasks of each app inside the ring; nothing is kept")
    parser.add_argument("--again", action="store_true", help="run what is in the notebook already, too")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="that compute (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"the figures; the notebook is beside it ({RESULTS})")
    return parser


if __name__ == "__main__":
    main()
