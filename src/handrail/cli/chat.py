"""`handrail chat`: talk to an agent in the terminal, with the live timeline, questions and approvals.

- A line that is typed while the agent works enters the run. Ctrl-C lands: the run ends with what there is; again stops it.
- With `--journal` a run that was left, or lost with its process, is gone on with when the same command is given again.
- Where an app's setting names another loop, that one talks: it keeps no journal, a line that is typed meanwhile waits for its
  end, and Ctrl-C stops it at once.
- The exit status is 0 if the last run was completed, 1 if it was not, 2 if it could not begin.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from handrail.cli.asking import Answers, Asking
from handrail.cli.conversation import Conversation
from handrail.cli.filling import nearly_full
from handrail.cli.keyboard import Keyboard
from handrail.cli.loading import Loaded, load
from handrail.cli.telling import told
from handrail.cli.timeline import Timeline, flags
from handrail.cli.visible import document, one_line
from handrail.core.agent import Agent
from handrail.core.events import Event, ModelReplied, TurnOpened
from handrail.core.state import RunState
from handrail.drivers.handle import RunHandle
from handrail.drivers.in_process import resume, run
from handrail.errors import InputError
from handrail.ports import Model
from handrail.service.apps import OtherLoop, named
from handrail.service.choosing import chosen
from handrail.vocab.outcomes import Outcome, Parked, Status


def command(
    app: Annotated[str, typer.Argument(help="An app, module:agent, or path/to/file.py:agent.", show_default=False)],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            envvar="HANDRAIL_MODEL",
            help="The model's name; local:PATH for one in a GGUF file, which runs here; or rehearsal for the rule-based stand-in, "
            "the default where OPENAI_API_KEY is not set.",
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Keep the runs in FILE.jsonl, FILE-2.jsonl and so on, and go on with what is there.")
    ] = None,
    message: Annotated[
        list[str] | None, typer.Option(help="Say this instead of asking for a line; again for more, one after the other.")
    ] = None,
    answers: Annotated[Answers, typer.Option(help="Who answers approvals: you, or the same word every time.")] = Answers.ASK,
) -> None:
    """Talk to an agent in the terminal, with the live timeline."""
    with told():
        if any(not text.strip() for text in message or ()):
            raise InputError("--message needs a text")
        loaded = load(app)
        loop = _other_loop(loaded)
        if loop is not None and journal is not None:
            raise InputError(f"{loop.name} keeps no journal: leave --journal away, or unset {loop.setting}")
        talk = Conversation(journal)
        status = asyncio.run(_chat(loaded, talk, loop, model=model, messages=message, answers=answers))
    raise typer.Exit(status)


def _other_loop(loaded: Loaded) -> OtherLoop | None:
    found: OtherLoop | None = None if loaded.app is None or loaded.app.loop is None else named(loaded.app.loop)()
    return found


async def _chat(
    loaded: Loaded, talk: Conversation, loop: OtherLoop | None, *, model: str | None, messages: Sequence[str] | None, answers: Answers
) -> int:
    console, keyboard = Console(soft_wrap=True, highlight=False), Keyboard()
    scenarios = loaded.app.scenarios() if loaded.app is not None else ()
    async with chosen(model, scenarios) as choice, _deps(loaded) as deps:
        console.print(Text(choice.said))
        if loaded.app is not None and loaded.app.ready is not None and (missing := await loaded.app.ready(deps)):
            console.print(Text(missing, style="yellow"))
        agent = loaded.agent if choice.name is None else loaded.agent.but(model=choice.name)
        asking = Asking(console, keyboard, answers)
        shown = None if loaded.app is None else loaded.app.shown
        under = None if loop is None else named(loop.talk)
        if loop is not None:
            console.print(Text(f"The loop is that of {loop.name} ({loop.setting})."))
        chat = Chat(
            agent, model=choice.model, deps=deps, console=console, keyboard=keyboard, asking=asking, talk=talk, shown=shown, under=under
        )
        ended: Outcome | Parked | None = await chat.go_on() if talk.unfinished else None
        async for text in _said(console, keyboard, messages, loaded):
            ended = await chat.say(text)
            if isinstance(ended, Parked):
                break
    return 0 if ended is None or (isinstance(ended, Outcome) and ended.status is Status.COMPLETED) else 1


def _deps(loaded: Loaded) -> AbstractAsyncContextManager[Any]:
    return nullcontext() if loaded.app is None or loaded.app.deps is None else loaded.app.deps()


async def _said(console: Console, keyboard: Keyboard, messages: Sequence[str] | None, loaded: Loaded) -> AsyncIterator[str]:
    if messages is not None:
        for text in messages:
            console.print(Text(f"you > {one_line(text, 500)}", style="bold"))
            yield text
        return
    if loaded.app is not None and loaded.app.example:
        console.print(Text(f"Try: {loaded.app.example}", style="dim"))
    console.print(Text("Ctrl-D ends the conversation; Ctrl-C lands a run that is going on.", style="dim"))
    while True:
        typed = await keyboard.prompted(console, "you")
        if typed is None:
            return
        if typed.strip():
            yield typed.strip()


class Chat:
    """One conversation: its agent, what it runs with, and what was said so far."""

    def __init__(
        self,
        agent: Agent,
        *,
        model: Model,
        deps: Any,
        console: Console,
        keyboard: Keyboard,
        asking: Asking,
        talk: Conversation,
        shown: Callable[[Outcome], str] | None = None,
        under: Callable[..., Awaitable[Any]] | None = None,
    ) -> None:
        """Keep them."""
        self._agent = agent
        self._shown = shown
        self._model = model
        self._deps = deps
        self._console = console
        self._timeline = Timeline()
        self._keyboard = keyboard
        self._asking = asking
        self._talk = talk
        self._state = RunState()
        self._streamed = ""
        self._under = under
        self._items: Sequence[Any] = ()
        self._full: str | None = None
        self._warned = False

    async def say(self, text: str) -> Outcome | Parked:
        """One message, to the end of its run."""
        if self._under is not None:
            return await self._elsewhere(self._under, text)
        async with self._running() as handle:
            return self._ended(
                await run(
                    self._agent,
                    text,
                    model=self._model,
                    deps=self._deps,
                    history=self._talk.history,
                    ask=self._asking,
                    journal=self._talk.journal(),
                    on_event=self._show,
                    on_delta=self._stream,
                    handle=handle,
                )
            )

    async def _elsewhere(self, under: Callable[..., Awaitable[Any]], text: str) -> Outcome | Parked:
        talked = await under(
            self._agent, text, model=self._model, deps=self._deps, history=self._items, ask=self._asking, on_event=self._show
        )
        self._items = talked.history
        outcome: Outcome | Parked = talked.outcome
        return self._ended(outcome)

    async def go_on(self) -> Outcome | Parked:
        """Go on with the run that was left."""
        run_id = self._talk.unfinished or ""
        self._state = self._talk.state
        self._console.print(Text(f"Going on with {run_id}, which was left unfinished.", style="yellow"))
        async with self._running() as handle:
            return self._ended(
                await resume(
                    run_id,
                    agent=self._agent,
                    model=self._model,
                    journal=self._talk.journal(),
                    deps=self._deps,
                    ask=self._asking,
                    on_event=self._show,
                    on_delta=self._stream,
                    handle=handle,
                )
            )

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[RunHandle]:
        """A handle that the keyboard and Ctrl-C speak into."""
        handle, loop, task = RunHandle(), asyncio.get_running_loop(), asyncio.current_task()
        wishes = iter((handle.land, handle.cancel))

        def interrupted() -> None:
            try:
                next(wishes, task.cancel if task is not None else handle.cancel)()
            except InputError:
                return
            self._end_line()
            self._console.print(Text("Ending with what there is; Ctrl-C again stops at once.", style="yellow"))

        self._streamed = ""
        self._keyboard.listener = handle.say if self._keyboard.interactive else None
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, interrupted)
        try:
            yield handle
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)
            self._keyboard.listener = None

    def _show(self, event: Event, state: RunState) -> None:
        self._state = state
        self._end_line()
        if isinstance(event, TurnOpened):
            self._streamed = ""
        if isinstance(event, ModelReplied):
            self._full = nearly_full(event.usage.total, state.history_limit)
        if isinstance(event, ModelReplied) and not event.calls and event.text and self._streamed.strip() == event.text.strip():
            return
        if (shown := self._timeline.line(event, state)) is not None:
            self._console.print(shown)

    def _stream(self, text: str) -> None:
        self._streamed += text
        self._console.print(Text(document(text)), end="")

    def _end_line(self) -> None:
        if self._streamed and not self._streamed.endswith("\n"):
            self._streamed += "\n"
            self._console.print()

    def _ended(self, ended: Outcome | Parked) -> Outcome | Parked:
        self._end_line()
        self._talk.ended(self._state)
        if self._full is not None and not self._warned:
            self._warned = True
            self._console.print(Text(f"This conversation is nearly full, {self._full}.", style="yellow"))
        if isinstance(ended, Parked):
            again = "the same command asks again" if self._talk.kept else "with --journal the same command asks again"
            self._console.print(Text(f"{ended.run_id} waits for an answer; {again}.", style="yellow"))
            return ended
        if ended.output not in (None, "") and self._streamed.strip() != ended.output:
            shown = ended.output if self._shown is None or isinstance(ended.output, str) else self._shown(ended)
            self._console.print(Text(document(shown)))
        notes = flags(ended)
        if notes or ended.status is not Status.COMPLETED:
            self._console.print(Text(", ".join([ended.status.value, *notes]), style="yellow"))
        for unread in ended.unread:
            self._console.print(Text(f"not read any more: {one_line(unread, 200)}", style="yellow"))
        return ended
