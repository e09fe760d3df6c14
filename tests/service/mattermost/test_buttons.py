"""Approvals in a channel, case 61: only those decide who may, once, on the card that was shown; everybody else is told so in private."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from handrail.core.events import RunFinished
from handrail.stores.approvals import ApprovalStatus
from handrail.stores.tables import one_time_tokens
from handrail.stores.transactions import read
from tests.service.branch import teller
from tests.service.mattermost.conftest import COMMAND, Opening, Town
from tests.service.mattermost.fake import ALICE, BOSS, CAROL, CHANNEL, OTHER_CHANNEL, OTHER_TEAM, Post

PRIVATE_NO = "You are not one of those who decide this. It stays open for them."
BY_THE_BOSS = {**COMMAND, "approvers": [BOSS]}


async def _asked(town: Town, text: str = "pay 5 to bob") -> Post:
    """The card of a command that waits for a yes."""
    before = len(town.fake.posts)
    assert (await town.typed(text)).status_code == 200
    await town.fake.until_posts(before + 1)
    return town.fake.posts[-1]


def _text(post: Post) -> str:
    text: str = post.props["attachments"][0]["text"]
    return text


async def test_a_card_shows_what_a_yes_is_bound_to_and_a_yes_runs_it(town: Town) -> None:
    card = await _asked(town)
    assert list(card.buttons) == ["yes", "no"] and card.channel_id == CHANNEL
    assert '**pay** needs a yes. It would be called with exactly this:\n\n```\n{\n  "cents": 5,\n  "to": "bob"\n}\n```' in _text(card)
    assert "until 2026-01-01 13:00 UTC" in _text(card)
    assert town.branch.paid == []
    pressed = await town.press("yes", ALICE, post=0)
    await town.fake.until_posts(2)
    assert set(pressed.json()) == {"update"}
    assert (card.buttons, _text(card).endswith("**Approved by alice.**")) == ({}, True)
    assert (town.branch.paid, town.fake.posts[1].message) == (["bob 5"], "Done: paid 5 to bob")
    assert (await town.approval(ALICE)).decided_by == f"mattermost:{ALICE}"


async def test_a_no_runs_nothing_and_the_card_says_so(town: Town) -> None:
    card = await _asked(town)
    await town.press("no", ALICE, post=0)
    await town.fake.until_posts(2)
    assert (card.buttons, _text(card).endswith("**Refused by alice.**"), town.branch.paid) == ({}, True, [])
    assert "A person refused this very call" in town.fake.posts[1].message


async def test_case_61_by_default_only_who_typed_the_command_decides(town: Town) -> None:
    card = await _asked(town)
    for button in ("yes", "no"):
        await town.press(button, CAROL, post=0)
    assert town.fake.ephemeral[1:] == [(CAROL, PRIVATE_NO)] * 2
    assert list(card.buttons) == ["yes", "no"]
    assert (await town.approval(ALICE)).status is ApprovalStatus.PENDING
    await town.press("yes", ALICE, post=0)
    await town.fake.until_posts(2)
    assert town.branch.paid == ["bob 5"]


async def test_case_61_with_named_approvers_nobody_else_decides_and_the_card_stays_open(opening: Opening) -> None:
    async with opening([BY_THE_BOSS]) as town:
        card = await _asked(town)
        for user_id in (ALICE, CAROL, "bot" + "1" * 23):
            assert (await town.press("yes", user_id, post=0)).json()["ephemeral_text"] == PRIVATE_NO
        elsewhere = [
            await town.press("yes", BOSS, post=0, team_id=OTHER_TEAM),
            await town.press("yes", BOSS, post=0, channel_id=OTHER_CHANNEL),
            await town.press("yes", BOSS, post=0, channel_id=OTHER_CHANNEL, team_id=""),
        ]
        assert {answer.json()["ephemeral_text"] for answer in elsewhere} == {"This button belongs to another channel. Nothing was done."}
        nobody = [
            await town.press("yes", "", post=0),
            await town.press("yes", "../admin", post=0),
            await town.press("yes", None, post=0),
        ]
        assert {answer.status_code for answer in nobody} == {401}
        assert ((await town.approval(ALICE)).status, list(card.buttons), town.branch.paid) == (ApprovalStatus.PENDING, ["yes", "no"], [])
        await town.press("yes", BOSS, post=0)
        await town.fake.until_posts(2)
        assert _text(card).endswith("**Approved by boss.**")
        assert town.branch.paid == ["bob 5"]


@pytest.mark.parametrize(
    ("commands", "fields", "decides"),
    [
        ({**COMMAND, "approvers": []}, {}, set()),
        ({**COMMAND, "approvers": ["owner", BOSS]}, {}, {ALICE, BOSS}),
        (COMMAND, {"approvers": f"mattermost:{BOSS}, carol"}, {BOSS}),
        (COMMAND, {"approvers": ""}, set()),
    ],
    ids=["nobody", "owner and boss", "as for everything else", "nobody anywhere"],
)
async def test_case_61_who_decides_is_a_list(commands: Any, fields: Any, decides: set[str], opening: Opening) -> None:
    async with opening([commands], **fields) as town:
        for user_id in (CAROL, BOSS, ALICE):
            card = await _asked(town)
            await town.press("no", user_id, post=town.fake.posts.index(card))
            assert list(card.buttons) == ([] if user_id in decides else ["yes", "no"]), user_id
            if user_id in decides:
                await town.fake.until_posts(town.fake.posts.index(card) + 2)


async def test_case_61_who_pressed_is_who_mattermost_says_and_nothing_else(town: Town) -> None:
    await _asked(town)
    forged = {"context": {**town.fake.posts[0].buttons["yes"]["integration"]["context"], "user_id": ALICE}, "by": ALICE}
    assert (await town.press("yes", CAROL, post=0, user_name="alice", **forged)).json()["ephemeral_text"] == PRIVATE_NO
    assert town.branch.paid == []


async def test_in_a_direct_message_no_team_is_named(town: Town) -> None:
    await _asked(town)
    assert "update" in (await town.press("yes", ALICE, post=0, team_id="")).json()


async def test_a_token_that_is_none_of_ours_is_a_strangers(town: Town) -> None:
    card = await _asked(town)
    token = card.buttons["yes"]["integration"]["context"]["token"]
    for wrong in (token[:-1], token + "x", token.swapcase(), "", "x" * 10_000, "Zoë", "\x00"):
        assert (await town.press("yes", ALICE, post=0, context={"token": wrong})).status_code == 401
    for context in ({}, {"token": None}, {"token": [token]}, None, token):
        assert (await town.press("yes", ALICE, post=0, context=context)).status_code == 401
    assert town.branch.paid == []


async def test_no_token_is_stored_and_each_button_has_its_own(town: Town) -> None:
    card = await _asked(town)
    tokens = {button["integration"]["context"]["token"] for button in card.buttons.values()}

    async def stored(connection: Any) -> str:
        return str((await connection.execute(select(one_time_tokens))).all())

    rows = await read(town.branch.running.database, stored)
    assert len(tokens) == 2 and not any(token in rows for token in tokens)


async def test_case_51_the_two_buttons_of_a_card_are_used_up_together(town: Town) -> None:
    card = await _asked(town)
    buttons = dict(card.buttons)
    await town.press("no", ALICE, post=0)
    card.props = {"attachments": [{"actions": list(buttons.values())}]}  # somebody's client still shows them
    for button in ("yes", "no"):
        again = await town.press(button, ALICE, post=0)
        assert "Refused by" in again.json()["update"]["props"]["attachments"][0]["text"]
        card.props = {"attachments": [{"actions": list(buttons.values())}]}
    await town.fake.until_posts(2)
    assert town.branch.paid == []


async def test_case_51_many_presses_at_the_same_moment_are_one_decision(town: Town) -> None:
    card = await _asked(town)
    contexts = {name: button["integration"]["context"] for name, button in card.buttons.items()}
    body = {"user_id": ALICE, "channel_id": CHANNEL}
    send = town.client.post
    answers = await asyncio.gather(*(send("/mattermost/action", json={**body, "context": contexts[name]}) for name in ("yes", "no") * 4))
    await town.fake.until_posts(2)
    shown = {answer.json()["update"]["props"]["attachments"][0]["text"].rpartition("\n")[2] for answer in answers}
    approved = (await town.approval(ALICE)).status is ApprovalStatus.APPROVED
    assert shown == {f"**{'Approved' if approved else 'Refused'} by mattermost:{ALICE}.**"}
    assert town.branch.paid == (["bob 5"] if approved else [])


async def test_a_card_that_was_decided_elsewhere_shows_that(town: Town) -> None:
    card = await _asked(town)
    approval = await town.approval(ALICE)
    await town.branch.running.desk.decide(f"mattermost:{ALICE}", approval.approval_id, approve=False, by="boss")
    await town.fake.until_posts(2)
    await town.press("yes", ALICE, post=0)
    assert (_text(card).endswith("**Refused by boss.**"), card.buttons, town.branch.paid) == (True, {}, [])


async def test_a_card_keeps_the_name_of_whoever_decided_it_whoever_presses_again(opening: Opening) -> None:
    async with opening([{**COMMAND, "approvers": ["owner", BOSS]}]) as town:
        card = await _asked(town)
        buttons = list(card.buttons.values())
        await town.press("yes", ALICE, post=0)
        await town.fake.until_posts(2)
        shown = card.props
        for who, words in ((ALICE, "**Approved by alice.**"), (BOSS, "Somebody else has decided this already: it is approved.")):
            card.props = {"attachments": [{"actions": buttons}]}  # somebody's client still shows them
            assert words in (await town.press("no", who, post=0)).text
            assert "mattermost:" not in str(card.props)
        assert shown["attachments"][0]["text"].endswith("**Approved by alice.**") and town.branch.paid == ["bob 5"]


async def test_case_52_a_late_yes_runs_nothing(opening: Opening) -> None:
    async with opening(agent=lambda: teller(timedelta(minutes=10))) as town:
        card = await _asked(town)
        (job_id,) = await town.jobs(ALICE)
        town.branch.clock.advance(600)
        await town.branch.until(job_id, RunFinished)
        late = await town.press("yes", ALICE, post=0)
        assert "Expired." in late.json()["update"]["props"]["attachments"][0]["text"]
        assert (card.buttons, town.branch.paid) == ({}, [])


async def test_a_press_after_the_last_post_says_where_the_answer_is(town: Town) -> None:
    await _asked(town)
    (job_id,) = await town.jobs(ALICE)
    town.branch.clock.advance(1_800)
    await town.press("yes", ALICE, post=0)
    await town.branch.ended(job_id)
    # The courier may not have looked yet; either way nothing is posted, and nothing is lost.
    assert (len(town.fake.posts), town.branch.paid) == (1, ["bob 5"])


async def test_cards_leave_a_post_for_what_comes_of_them(town: Town) -> None:
    for cents in range(1, 5):
        await _asked(town, f"pay {cents} to bob") if cents == 1 else await town.fake.until_posts(cents)
        assert "yes" in town.fake.posts[-1].buttons
        (job_id,) = await town.jobs(ALICE)
        await town.branch.running.desk.say(f"mattermost:{ALICE}", job_id, f"pay {cents + 1} to bob")
    await town.fake.until_posts(5)
    assert "needs one more yes, and Mattermost takes no more posts" in town.fake.posts[-1].message
    assert (len(town.fake.posts), town.fake.refused) == (5, [])


async def test_what_is_too_long_to_be_shown_has_no_buttons(town: Town) -> None:
    names = " ".join(f"pay 1 to {'x' * 12_000}" for _ in range(1))
    card = await _asked(town, names)
    (approval,) = await town.branch.running.desk.approvals(f"mattermost:{ALICE}")
    assert (card.buttons, approval.approval_id in _text(card)) == ({}, True)


async def test_the_command_of_a_card_may_be_gone(opening: Opening) -> None:
    async with opening() as town:
        card = await _asked(town)
    async with opening([{**COMMAND, "command": "/other"}]) as town:
        town.fake.posts.append(card)
        answer = await town.press("yes", ALICE, post=0)
        assert answer.json()["ephemeral_text"] == "This command is not answered any more. Nothing was done."


def test_the_client_sends_json_as_the_server_does() -> None:
    assert httpx2.Request("POST", "http://x", json={"a": 1}).headers["content-type"] == "application/json"
