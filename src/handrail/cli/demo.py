"""`handrail demo`: everything at once, with nothing to set up: the stand-in for a model, the service, a database, and questions over HTTP.

- The stand-in and the service are processes of their own, and talk over HTTP as anywhere. The service prints the timeline itself.
- Both get a socket that listens already: no port is guessed, and a question that comes early waits in its queue.
- Nothing is left behind: the database is temporary, and the processes are ended.
"""

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from handrail.cli.listening import listening, url
from handrail.cli.seed import seeded
from handrail.cli.telling import told
from handrail.errors import InputError
from handrail.service import find_app
from handrail.service.choosing import WHAT_IT_IS

UNRULY = ("--temperament", "mixed", "--seed", "104")
"""How the stand-in behaves where trips are planned: badly, and the same way each time."""

PATIENCE = 120.0
"""Seconds for one answer; what takes longer hangs."""

HANDRAIL = (sys.executable, "-c", "from handrail.cli import main; main()")
NEXT = """\
What now:
  . .venv/bin/activate              so that the shell finds `handrail`, where it was installed into .venv
  handrail seed orders              made-up orders, in handrail.db beside you
  handrail chat orders              ask in the terminal
  handrail chat trips               plan a trip, and be asked
  handrail check trips              every behaviour of any model, against the ring of trips
  handrail serve --app orders       the same service, to keep
  OPENAI_API_KEY=… handrail serve   with a real model
  docs/quickstart.md                an agent of your own"""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Where an act is played.

    Args:
        host: of the service.
        port: of the service.
        tell: prints.
    """

    host: str
    port: int
    tell: Callable[[str], None]

    def post(self, path: str, body: Mapping[str, Any]) -> str:
        """What the service answers.

        Raises:
            InputError: it answers with an error, or not at all.
        """
        return _asked(self.host, self.port, "POST", path, json.dumps(body))


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to see.

    Args:
        title: what to look at.
        app: whose service it is played at.
        play: does it.
    """

    title: str
    app: str
    play: Callable[[Stage], None]


def _order_question(message: str) -> Callable[[Stage], None]:
    def play(stage: Stage) -> None:
        stage.tell(f"POST /orders/chat {json.dumps({'message': message})}")
        stage.tell(f"Answer: {json.loads(stage.post('/orders/chat', {'message': message}))['answer']}")

    return play


def _trip(message: str) -> Callable[[Stage], None]:
    def play(stage: Stage) -> None:
        body = {"message": message, "answers": {"brief": True, "plan": True, "questions": ["We leave that to you."] * 4}}
        stage.tell(f"POST /trips/chat {json.dumps(body)}")
        stage.tell(f"\n{stage.post('/trips/chat?form=markdown', body)}")

    return play


ACTS: Sequence[Act] = (
    Act(
        title="a question about orders: one tool call, one answer",
        app="orders",
        play=_order_question("Which orders of amber@example.com have been shipped?"),
    ),
    Act(
        title="the first call asks for more than the tool gives: it never runs, the model is told why, and corrects itself",
        app="orders",
        play=_order_question("Show me the last 80 orders of basil@example.com"),
    ),
    Act(
        title="a trip, planned by a model that misbehaves: the ring refuses, a reviewer reads, the travellers say yes twice",
        app="trips",
        play=_trip("Six days on Tenerife in May, ages 30 and 31."),
    ),
)


def command() -> None:
    """Ask two questions about orders and plan a trip over real HTTP, with the timeline; nothing has to be set up."""
    console = Console(soft_wrap=True, highlight=False)
    with told(), ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-demo-"))
        console.print(f"The model of this demo is {WHAT_IT_IS}.")
        stages = _set_up(stack, Path(folder), lambda text: console.print(Text(text)))
        for number, act in enumerate(ACTS, 1):
            console.print(Text(f"\n{number}. {act.title}", style="bold"))
            act.play(stages[act.app])
        console.print(Text(f"\n{NEXT}"))


def _set_up(stack: ExitStack, folder: Path, tell: Callable[[str], None]) -> Mapping[str, Stage]:
    database = {app: f"sqlite:///{folder / app}.db" for app in ("orders", "trips")}
    stack.enter_context(_settings({"HANDRAIL_DATABASE_URL": database["orders"]}))
    beginning = {
        "orders": _begun(stack, "orders", (), database["orders"], tell),
        "trips": _begun(stack, "trips", UNRULY, database["trips"], tell),
    }
    tell(f"handrail seed orders: {asyncio.run(seeded(find_app('orders')))}")
    for beside, stage in beginning.values():
        _asked(stage.host, beside, "GET", "/healthz")
        _asked(stage.host, stage.port, "GET", "/readyz")
    return {app: stage for app, (_, stage) in beginning.items()}


def _begun(stack: ExitStack, app: str, manners: Sequence[str], database: str, tell: Callable[[str], None]) -> tuple[int, Stage]:
    """A stand-in and a service for the app: the stand-in's port, and where the acts are played."""
    rehearsal, service = (stack.enter_context(listening("127.0.0.1", 0)) for _ in range(2))
    (host, port), beside = service.getsockname()[:2], rehearsal.getsockname()[1]
    model = {"OPENAI_BASE_URL": f"{url(rehearsal)}/v1", "OPENAI_API_KEY": "rehearsal", "NO_PROXY": host, "no_proxy": host}
    stack.enter_context(_started(["rehearse", "--app", app, *manners], rehearsal, {}))
    stack.enter_context(_started(["serve", "--app", app], service, {**model, "HANDRAIL_DATABASE_URL": database, "HANDRAIL_TIMELINE": "1"}))
    return beside, Stage(host=host, port=port, tell=tell)


def _asked(host: str, port: int, method: str, path: str, body: str | None = None) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"{path} did not answer ({type(error).__name__}); what was printed above says why") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise InputError(f"{path} answered {answer.status}: {text}")
    return text


@contextmanager
def _settings(ours: Mapping[str, str]) -> Iterator[None]:
    """These settings and no others: neither a key nor a database of the person's own is used."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith(("HANDRAIL_", "OPENAI_"))]:
        del os.environ[name]
    os.environ.update(ours)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _started(arguments: Sequence[str], listener: socket.socket, more: Mapping[str, str]) -> Iterator[None]:
    with listener:
        descriptor = listener.fileno()
        process = subprocess.Popen([*HANDRAIL, *arguments, "--fd", str(descriptor)], env={**os.environ, **more}, pass_fds=[descriptor])
    # Our own copy of the socket is closed: if the process ends, whoever waits for it is told at once.
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
