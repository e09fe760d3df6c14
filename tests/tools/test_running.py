"""How a run of a tool ends: the three outcomes, time, cancellation and threads. Nothing here depends on how fast the machine is."""

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import pytest

from handrail.errors import Bug, ToolError
from handrail.tools import Failed, Lost, Returned, Tool, ToolContext, tool
from handrail.tools.running import Ended, Running, TimedOut, finish
from tests.tools.kit import CONTEXT

PATIENCE = 60  # seconds after which a test that hangs fails; nothing takes that long
SOON = 0.01
user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


def _tool(function: Callable[..., Any], effect: Any = "read") -> Tool:
    function.__doc__ = "Do it."
    return tool(effect=effect, name="work")(function)


def _raising(error: BaseException, effect: Any, *, blocking: bool) -> Tool:
    async def later() -> None:
        raise error

    def now() -> None:
        raise error

    return _tool(now if blocking else later, effect)


async def test_an_async_and_a_plain_function_return_their_value() -> None:
    async def later(a: int) -> int:
        return a + 1

    def now(a: int) -> int:
        return a + 1

    assert await _tool(later).run('{"a":1}', CONTEXT) == Returned(content="2")
    assert await _tool(now).run('{"a":1}', CONTEXT) == Returned(content="2")


async def test_the_context_is_injected_whatever_the_parameter_is_called() -> None:
    async def work(a: int, about: ToolContext[Any]) -> list[Any]:
        return [a, about.run_id, about.call_id, about.idempotency_key]

    assert await _tool(work).run('{"a":1}', CONTEXT) == Returned(content='[1,"r1","t1c1","r1.t1c1"]')


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize("effect", ["read", "idempotent", "write"])
async def test_a_tool_error_says_that_nothing_happened_whatever_the_effect(effect: str, blocking: bool) -> None:
    assert await _raising(ToolError("no such\norder"), effect, blocking=blocking).run("{}", CONTEXT) == Failed("no such\norder")
    assert await _raising(ToolError(""), effect, blocking=blocking).run("{}", CONTEXT) == Failed("work failed")
    long = await _raising(ToolError("x" * 2000 + "\0"), effect, blocking=blocking).run("{}", CONTEXT)
    assert isinstance(long, Failed) and len(long.error) == 800


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize(
    "error", [ValueError("two\nlines"), StopIteration("x"), ExceptionGroup("g", [ValueError("x")]), GeneratorExit("x")]
)
async def test_any_other_exception_fails_a_read_and_leaves_a_write_unknown(error: BaseException, blocking: bool) -> None:
    read = await _raising(error, "read", blocking=blocking).run("{}", CONTEXT)
    assert isinstance(read, Failed) and read.error.startswith("work failed with ") and "\n" not in read.error
    for effect in ("idempotent", "write"):
        lost = await _raising(error, effect, blocking=blocking).run("{}", CONTEXT)
        assert isinstance(lost, Lost) and lost.error.startswith("outcome unknown: work failed with ")
        assert lost.error.endswith("check before repeating it")


async def test_the_text_of_an_exception_is_bounded_and_holds_no_credentials() -> None:
    text = "postgresql://app:S3CRET@db/x and https://api.test/?key=S3CRET&x=1, Authorization: Bearer S3CRET " + "y" * 1000
    failed = await _raising(RuntimeError(text), "read", blocking=False).run("{}", CONTEXT)
    assert isinstance(failed, Failed)
    assert "S3CRET" not in failed.error and "db/x" in failed.error
    assert len(failed.error) <= 330


@pytest.mark.parametrize("error", [TimeoutError("mine"), asyncio.CancelledError("mine")])
@pytest.mark.parametrize("blocking", [False, True])
async def test_case_32_a_tools_own_timeout_or_cancellation_is_an_error_result(error: BaseException, blocking: bool) -> None:
    failed = await _raising(error, "read", blocking=blocking).run("{}", CONTEXT)
    assert isinstance(failed, Failed) and type(error).__name__ in failed.error
    assert isinstance(await _raising(error, "write", blocking=blocking).run("{}", CONTEXT), Lost)


async def test_case_32_the_askers_cancellation_wins_over_a_tool_that_swallows_it() -> None:
    started = asyncio.Event()
    after: list[str] = []

    async def stubborn() -> str:
        try:
            started.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            after.append("swallowed")
        return "stopped"

    async def asking() -> None:
        await _tool(stubborn).run("{}", CONTEXT)
        after.append("went on")

    asker = asyncio.create_task(asking())
    await started.wait()
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert after == ["swallowed"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("blocking", [False, True])
def test_case_32_keyboard_interrupt_and_system_exit_go_on_to_the_process(stop: type[BaseException], blocking: bool) -> None:
    for effect in ("read", "write"):
        with pytest.raises(stop):
            asyncio.run(_raising(stop(), effect, blocking=blocking).run("{}", CONTEXT))


async def test_case_30_an_async_tool_that_is_cancelled_has_ended_when_the_cancellation_arrives() -> None:
    started, wrote = asyncio.Event(), list[str]()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
            wrote.append("late")
        finally:
            await asyncio.sleep(0)
            wrote.append("cleaned up")

    asker = asyncio.create_task(_tool(work).run("{}", CONTEXT))
    await started.wait()
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert wrote == ["cleaned up"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_case_30_the_late_result_of_a_thread_is_discarded_and_noted() -> None:
    started, go, noted = threading.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    notes: list[str] = []

    def late(text: str) -> None:
        notes.append(text)
        loop.call_soon_threadsafe(noted.set)

    def work() -> str:
        started.set()
        assert go.wait(PATIENCE)
        return "late"

    asker = asyncio.create_task(_tool(work, "write").run("{}", CONTEXT, on_late=late))
    await asyncio.to_thread(started.wait, PATIENCE)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert notes == []
    go.set()
    await asyncio.wait_for(noted.wait(), PATIENCE)
    assert notes == ["tool work (run 'r1', call 't1c1') ended after it was given up; its result is discarded"]


@pytest.mark.parametrize(("effect", "kind"), [("read", Failed), ("idempotent", Lost), ("write", Lost)])
async def test_case_30_a_tool_that_overruns_is_given_up(effect: str, kind: type[Failed | Lost]) -> None:
    go = threading.Event()

    async def forever() -> None:
        await asyncio.Event().wait()

    def blocked() -> None:
        go.wait(PATIENCE)

    for function in (forever, blocked):
        ran = await _tool(function, effect).run("{}", CONTEXT, seconds=SOON)
        assert isinstance(ran, kind) and "did not finish within 0.01 seconds" in ran.error
        assert ran.error.startswith("outcome unknown") == (kind is Lost)
    go.set()


async def test_a_tool_is_given_the_time_that_it_was_declared_with() -> None:
    async def forever() -> None:
        """Never end."""
        await asyncio.Event().wait()

    ran = await tool(effect="read", timeout=SOON)(forever).run("{}", CONTEXT)
    assert ran == Failed("forever did not finish within 0.01 seconds")


async def test_an_async_tool_that_ignores_its_cancellation_is_abandoned_after_the_grace_and_noted() -> None:
    go, noted = asyncio.Event(), asyncio.Event()

    async def stubborn() -> str:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    running = Running(function=stubborn, arguments={}, blocking=False, late=noted.set)
    assert await finish(running, seconds=SOON, grace=SOON) == TimedOut()
    assert not noted.is_set()
    go.set()
    await asyncio.wait_for(noted.wait(), PATIENCE)


async def test_case_37_a_blocking_tool_does_not_freeze_the_loop_and_sees_context_variables() -> None:
    heard = threading.Event()

    def work() -> str:
        """Only a loop that goes on can set what this waits for."""
        return user.get() if heard.wait(PATIENCE) else "the loop stood still"

    async def heartbeat() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        heard.set()

    token = user.set("ada")
    ran, _ = await asyncio.gather(_tool(work).run("{}", CONTEXT), heartbeat())
    user.reset(token)
    assert ran == Returned(content="ada", text=True)


async def test_case_37_another_run_is_answered_while_a_tool_blocks() -> None:
    go = threading.Event()

    def slow() -> str:
        return "slow" if go.wait(PATIENCE) else "never"

    async def quick() -> str:
        go.set()
        return "quick"

    first, second = await asyncio.gather(_tool(slow).run("{}", CONTEXT), _tool(quick).run("{}", CONTEXT))
    assert first == Returned(content="slow", text=True)
    assert second == Returned(content="quick", text=True)


@pytest.mark.slow
def test_case_30_an_abandoned_thread_does_not_keep_the_process_alive() -> None:
    script = textwrap.dedent(
        """
        import asyncio, threading
        from handrail.tools import ToolContext, tool

        @tool(effect="write", timeout=0.01)
        def work() -> None:
            '''Never end.'''
            threading.Event().wait()

        print(asyncio.run(work.run("{}", ToolContext(deps=None))).error)
        """
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("outcome unknown: work did not finish")
    assert done.stderr == ""


def test_a_thread_that_ends_after_its_loop_is_noted_too() -> None:
    go, noted = threading.Event(), threading.Event()

    def work() -> None:
        go.wait(PATIENCE)

    running = Running(function=work, arguments={}, blocking=True, late=noted.set)
    assert asyncio.run(finish(running, seconds=SOON)) == TimedOut()
    assert not noted.is_set()
    go.set()
    assert noted.wait(PATIENCE)


async def test_a_run_inside_a_task_that_was_cancelled_before_still_finishes() -> None:
    """A driver that is being cancelled lets a running write end; only a new cancellation stops that."""

    async def work() -> str:
        await asyncio.sleep(0)
        return "written"

    async def winding_down() -> object:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return await _tool(work, "write").run("{}", CONTEXT)
        return None

    driver = asyncio.create_task(winding_down())
    await asyncio.sleep(0)
    driver.cancel()
    assert await driver == Returned(content="written", text=True)


async def test_ended_keeps_a_falsy_value() -> None:
    async def nothing() -> int:
        return 0

    assert await finish(Running(function=nothing, arguments={}, blocking=False, late=lambda: None), seconds=PATIENCE) == Ended(value=0)


async def test_arguments_that_do_not_fit_at_the_time_of_running_fail_and_nothing_happens() -> None:
    async def work(a: int) -> None:
        raise AssertionError("never entered")

    for arguments in ('{"a":"x"}', "{}", "[]", "{"):
        assert isinstance(await _tool(work, "write").run(arguments, CONTEXT), Failed)


async def test_a_client_tool_is_never_run_here() -> None:
    def show(page: str) -> None:
        """Show a page."""

    with pytest.raises(Bug, match="runs in the client"):
        await tool(effect="read", where="client")(show).run('{"page":"x"}', CONTEXT)
