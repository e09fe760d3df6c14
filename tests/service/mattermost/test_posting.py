"""What is posted: whole, once, in time, and calling nobody; whatever becomes of a process or of the way to Mattermost."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import PlainTextResponse

from handrail import Agent, tool
from handrail.ports import OnDelta
from handrail.service.surfaces.mattermost.courier import LEASE, SURFACE, Courier
from handrail.service.surfaces.mattermost.texts import JOINER
from handrail.stores import deliveries
from handrail.stores.transactions import read, write
from handrail.testing import calls, says
from handrail.vocab.messages import ToolMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest
from tests.service.branch import teller
from tests.service.mattermost.conftest import PUBLIC_URL, Opening, Posting, Town
from tests.service.mattermost.fake import ALICE, MOST_CHARACTERS, Post, mentions

Making = Callable[..., AbstractAsyncContextManager[Posting]]
no_answer = partial(PlainTextResponse, "no", 502)


@tool(effect="read", where="person")
async def ask_venue(question: str) -> str:
    """Ask which venue is meant.

    Args:
        question: What to ask.
    """
    raise AssertionError("a person answers")


def asker() -> Agent:
    return Agent(name="teller", instructions="Ask first.", model="m", tools=[ask_venue])


def saying(text: str) -> Callable[..., object]:
    """A model that says one thing."""

    async def reply(request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        return says(text)

    return reply


async def _open(office: Posting) -> list[deliveries.Due]:
    """What is still to be posted."""
    far = office.branch.clock.now() + timedelta(days=1)
    return list(await read(office.branch.running.database, deliveries.due, SURFACE, at=far))


async def test_a_long_answer_is_split_and_nothing_of_it_is_lost(town: Town) -> None:
    words = " ".join(f"word{number}" for number in range(3_400))
    await town.typed(f"say {words}")
    await town.fake.until_posts(2)
    said = [post.message for post in town.fake.posts]
    assert all(len(message) <= MOST_CHARACTERS for message in said)
    assert " ".join(" ".join(said).split()) == f"You said: say {words}"


async def test_what_does_not_fit_into_five_posts_is_cut_with_a_note(posting: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    async with posting() as office:
        for unit in ("x" * 99 + "\n", "word ", "y", "@channel ", "\U0001f355"):
            office.fake.posts.clear()
            monkeypatch.setattr(office.branch.model, "reply", saying(unit * (120_000 // len(unit))))
            job = await office.ended("tell me all")
            said = await office.look()
            assert (len(said), office.fake.refused) == (5, [])
            assert all(len(message) <= MOST_CHARACTERS for message in said)
            assert said[4].endswith(f" characters; the rest is in {job.job_id}.)*")
            assert [mentions(post) for post in office.fake.posts] == [set()] * 5


CALLING = [
    "@channel",
    "hello @all!",
    "(@here)",
    "a.@channel",
    "a-@channel.",
    "_@channel_",
    "**@CHANNEL**",
    "@@channel",
    "\\@channel",
    "&#64;channel",
    "&#0064;channel",
    "&#x40;channel &#X0040;all &commat;here",
    "x\u200b@channel",
    "x\u202e@channel",
    "[@channel](http://x)",
    "`code`@channel",
    "@alice @boss.",
    "> @channel",
    "\n@channel\r\n@all",
    "<@alice>",
]
NOT_CALLING = ["<!channel>", ":@channel:", "é@channel"]


async def test_nobody_is_called_by_what_a_model_says(posting: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    async with posting() as office:
        for text in (*CALLING, *NOT_CALLING):
            monkeypatch.setattr(office.branch.model, "reply", saying(text))
            await office.ended("hello")
            await office.look()
            post = office.fake.posts[-1]
            assert mentions(post) == set(), text
            assert "<!" not in post.message and "<@" not in post.message
            assert text.isascii() is False or post.message.replace(JOINER, "") == text.strip().replace("\r", "")
        assert len(office.fake.posts) == len(CALLING) + len(NOT_CALLING)


async def test_nobody_is_called_by_the_card_of_a_call(town: Town) -> None:
    await town.typed("pay 5 to channel and say `` ``` @channel")
    await town.fake.until_posts(1)
    assert mentions(town.fake.posts[0]) == set()


def test_the_reader_of_mentions_would_find_them() -> None:
    found = [mentions(Post("", "", text, {})) for text in CALLING]
    assert all(found), CALLING[found.index(set())]
    assert mentions(Post("", "", "a@example.com `@channel` 5@6", {})) == set()


async def test_an_address_of_mail_stays_as_it_is(town: Town) -> None:
    await town.typed("write to bob@example.com, A.B@example.com")
    await town.fake.until_posts(1)
    assert town.fake.posts[0].message == "You said: write to bob@example.com, A.B@example.com"


async def test_how_a_run_ended_is_told(posting: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    async with posting(agent=lambda: teller().but(empty_reply="accept")) as office:
        parked = await office.asked("pay 5 to bob")
        await office.branch.waits(parked.job_id)
        await office.branch.running.desk.cancel(parked.user_id, parked.job_id)
        await office.branch.ended(parked.job_id)
        assert await office.look() == ["This was stopped before there was an answer."]
        monkeypatch.setattr(office.branch.model, "reply", saying(""))
        await office.ended("hello")
        assert (await office.look())[1:] == ["(The answer is empty.)"]


async def test_a_failed_run_tells_the_channel_nothing_of_what_went_wrong(posting: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        raise RuntimeError("the password is hunter2")

    async with posting() as office:
        monkeypatch.setattr(office.branch.model, "reply", broken)
        job = await office.ended("hello")
        assert await office.look() == [f"This could not be done. What went wrong is in {job.job_id}."]


async def test_what_mattermost_did_not_take_is_tried_again_ever_later_and_what_it_took_is_not_posted_twice(posting: Making) -> None:
    async with posting() as office:
        await office.ended("x " * 15_000)
        office.fake.in_the_way = [no_answer, no_answer, no_answer]
        posted = [len(await office.look(after=seconds)) for seconds in (0, 0.9, 0.1, 1.9, 0.1, 3.9)]
        assert (posted, len(office.fake.paths)) == ([0] * 6, 3)
        assert len(await office.look(after=0.1)) == 2
        assert len(await office.look(after=600)) == 2
        assert await _open(office) == []


async def test_an_answer_that_fails_half_way_goes_on_where_it_was(posting: Making) -> None:
    async with posting() as office:
        await office.ended(" ".join(f"word{number}" for number in range(3_400)))
        office.fake.in_the_way = [None, no_answer]
        assert [len(await office.look(after=seconds)) for seconds in (0, 1, 60)] == [1, 2, 2]
        assert office.fake.posts[0].message.startswith("You said: word0 ") and office.fake.posts[1].message.endswith(" word3399")


async def test_what_mattermost_refuses_is_given_up(posting: Making, caplog: pytest.LogCaptureFixture) -> None:
    async with posting() as office:
        for tries, status in enumerate((400, 403, 404, 413), 1):
            await office.ended("hello")
            office.fake.in_the_way = [partial(PlainTextResponse, "no", status)]
            assert [await office.look(after=60) for _ in range(2)] == [[], []]
            assert (len(office.fake.paths), await _open(office)) == (tries, [])
            assert f"Mattermost refused 'answer 1' with {status}" in caplog.text


async def test_what_may_pass_is_tried_again(posting: Making) -> None:
    async with posting() as office:
        for posted, status in enumerate((408, 425, 429, 500, 503)):
            await office.ended("hello")
            office.fake.in_the_way = [partial(PlainTextResponse, "no", status)]
            assert [len(await office.look(after=60)) for _ in range(2)] == [posted, posted + 1]


async def test_a_mattermost_that_is_away_is_waited_for_until_it_takes_no_more(posting: Making, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with posting() as office:
        async with Courier.opened(office.branch.running, site="http://127.0.0.1:9", button_url=PUBLIC_URL) as away:
            await office.ended("hello")
            await away.look()
            assert len(await _open(office)) == 1
            office.branch.clock.advance(1_800)
            await away.look()
        assert (await _open(office), await office.look()) == ([], [])
    assert "the thirty minutes in which Mattermost takes posts are over" in caplog.text


async def test_a_process_that_starts_posts_what_another_one_left(opening: Opening, posting: Making) -> None:
    async with posting() as office:
        await office.ended("hello")  # and nobody looks: its process is gone
        hook, kept = next(iter(office.fake.hooks.items()))
    async with opening() as town:
        town.fake.hooks[hook] = kept
        await town.fake.until_posts(1)
        assert town.fake.posts[0].message == "You said: hello"


async def test_of_two_processes_one_posts(posting: Making) -> None:
    async with posting() as office, Courier.opened(office.branch.running, site=office.fake.site, button_url=PUBLIC_URL) as other:
        for number in range(5):
            await office.ended(f"hello {number}")
        await asyncio.gather(office.courier.look(), other.look(), office.courier.look(), other.look())
        assert sorted(await office.look()) == [f"You said: hello {number}" for number in range(5)]


async def test_what_a_lost_process_had_claimed_is_taken_up_after_a_while(posting: Making) -> None:
    async with posting() as office:
        await office.ended("hello")
        (due,) = await _open(office)
        database, until = office.branch.running.database, office.branch.clock.now() + LEASE
        assert await write(database, deliveries.claim, due.delivery, until=until)
        assert await office.look(after=LEASE.total_seconds() - 1) == []
        assert await office.look(after=1) == ["You said: hello"]


async def test_a_question_is_what_the_run_came_to_since_nobody_can_answer_it(posting: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asks(request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        assert not isinstance(request.messages[-1], ToolMessage)
        return calls(("ask_venue", {"question": "Which of the two @here?"}))

    async with posting(agent=asker) as office:
        monkeypatch.setattr(office.branch.model, "reply", asks)
        job = await office.asked("book a table")
        await office.branch.waits(job.job_id)
        (said,) = await office.look()
        await office.branch.ended(job.job_id)
        assert len(await office.look(after=60)) == 1
        assert await _open(office) == []
    assert "Which of the two" in said and "ask again, with the answer in it" in said
    assert mentions(office.fake.posts[0]) == set()


async def test_a_card_that_mattermost_did_not_take_comes_again_with_buttons_that_work(posting: Making) -> None:
    async with posting() as office:
        job = await office.asked("pay 5 to bob")
        await office.branch.waits(job.job_id)
        office.fake.in_the_way = [no_answer]
        assert [len(await office.look(after=seconds)) for seconds in (0, 1, 60)] == [0, 1, 1]
        assert list(office.fake.posts[0].buttons) == ["yes", "no"]


async def test_a_command_and_its_answer_to_come_are_written_together_or_not_at_all(
    posting: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(connection: AsyncConnection, job_id: str, new: deliveries.NewDelivery, *, at: object) -> None:
        raise RuntimeError("the disk is full")

    async with posting(start=False) as office:
        monkeypatch.setattr(deliveries, "add", full)
        with pytest.raises(RuntimeError):
            await office.asked("hello")
        assert await office.branch.running.desk.jobs(f"mattermost:{ALICE}") == []
