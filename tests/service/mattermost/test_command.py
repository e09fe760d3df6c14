"""A slash command over HTTP: answered at once, run once, and its answer posted to the channel; only with its own token (case 73)."""

import asyncio
import logging
from urllib.parse import urlencode

import httpx2
import pytest

from handrail.service.desk import LONGEST_MESSAGE
from handrail.service.surfaces.mattermost.surface import WORKING
from tests.service.mattermost.conftest import COMMAND, Opening, Town
from tests.service.mattermost.fake import ALICE, CAROL, CHANNEL, OTHER_CHANNEL, OTHER_TEAM, TEAM, TOKEN

OTHER_TOKEN, NEW_TOKEN = "9" * 26, "8" * 26
WEATHER = {"team_id": TEAM, "command": "/weather", "token": OTHER_TOKEN, "app": "bank"}
ELSEWHERE = {"team_id": OTHER_TEAM, "command": "/foodfight", "token": OTHER_TOKEN, "app": "bank"}


async def test_a_command_is_answered_at_once_and_its_answer_is_posted_to_the_channel(town: Town) -> None:
    answer = await town.typed("wait")
    assert (answer.status_code, town.fake.ephemeral) == (200, [(ALICE, WORKING)])
    await town.branch.model.asked.wait()
    assert town.fake.posts == [], "the run is still going on"
    town.branch.model.go_on.set()
    await town.fake.until_posts(1)
    assert [(post.channel_id, post.message) for post in town.fake.posts] == [(CHANNEL, "You said: wait")]


async def test_each_command_begins_anew_and_belongs_to_who_typed_it(town: Town) -> None:
    for text, user in (("my code is 1234", ALICE), ("what is my code?", ALICE), ("hello", CAROL)):
        await town.typed(text, user_id=user)
    await town.fake.until_posts(3)
    assert [len(request.messages) for request in town.branch.model.requests] == [1, 1, 1]
    assert (len(await town.jobs(ALICE)), len(await town.jobs(CAROL))) == (2, 1)
    assert len({job.session_id for job in await town.branch.running.desk.jobs(f"mattermost:{ALICE}")}) == 2


async def test_case_39_a_command_that_is_delivered_again_runs_once(town: Town) -> None:
    form = town.fake.form("hello")
    twice = await asyncio.gather(*(town.fake.sent(town.client, form) for _ in range(3)))
    await town.fake.until_posts(1)
    afterwards = await town.fake.sent(town.client, form)
    assert {answer.status_code for answer in (*twice, afterwards)} == {200}
    assert len({answer.content for answer in (*twice, afterwards)}) == 1
    assert (len(await town.jobs(ALICE)), len(town.branch.model.requests)) == (1, 1)
    await town.typed("hello")  # the same words again are another command
    await town.fake.until_posts(2)
    assert (len(await town.jobs(ALICE)), len(town.fake.posts)) == (2, 2)


async def test_case_39_a_command_that_is_delivered_again_after_a_restart_runs_once(opening: Opening) -> None:
    async with opening() as town:
        form = town.fake.form("hello")
        await town.fake.sent(town.client, form)
        await town.fake.until_posts(1)
    async with opening() as town:
        form["response_url"] = f"{town.fake.site}/hooks/commands/{form['response_url'][-26:]}"
        assert (await town.fake.sent(town.client, form)).status_code == 200
        assert (len(await town.jobs(ALICE)), town.branch.model.requests) == (1, [])


REFUSED = {
    "another team's": {"team_id": OTHER_TEAM},
    "another command's": {"command": "/weather"},
    "a command in capitals": {"command": "/FoodFight"},
    "no command": {"command": ""},
    "empty": {"token": ""},
    "cut": {"token": TOKEN[:-1]},
    "longer": {"token": TOKEN + "x"},
    "in capitals": {"token": TOKEN.upper()},
    "not ASCII": {"token": "Zoë" * 9},
    "a list of all": {"token": f"{TOKEN},{OTHER_TOKEN}"},
    "another one that is known": {"token": OTHER_TOKEN},
}


async def test_case_73_a_token_is_good_for_its_own_command_in_its_own_team_only(opening: Opening) -> None:
    async with opening([COMMAND, WEATHER, ELSEWHERE]) as town:
        for what, changed in REFUSED.items():
            form = town.fake.form("pay 5 to bob") | changed
            without = {name: value for name, value in form.items() if name != "token"}
            header = httpx2.Headers([(b"Authorization", b"Token " + form["token"].encode())])
            answers = [
                await town.client.post("/mattermost/command", data=form),
                await town.client.post("/mattermost/command", data=form, headers=header),
                await town.client.post("/mattermost/command", data=without, headers=header),
                await town.client.post("/mattermost/command", data=without),
            ]
            assert {answer.status_code for answer in answers} == {401}, what
            assert len({answer.content for answer in answers}) == 1, what
        assert await town.jobs(ALICE) == []


async def test_case_73_every_failure_has_the_same_answer(town: Town) -> None:
    form = town.fake.form("hello")
    encoded = urlencode(form).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    post = town.client.post
    without = urlencode({name: value for name, value in form.items() if name != "token"}).encode()
    answers = [
        await post("/mattermost/command"),
        await post("/mattermost/command", params={"token": TOKEN}, content=without, headers=kind),
        await post("/mattermost/command", params=form),
        await post("/mattermost/command", json=form),
        await post("/mattermost/command", content=encoded, headers={"Content-Type": "text/plain"}),
        await post("/mattermost/command", content=encoded + b"&token=x", headers=kind),
        await post("/mattermost/command", content=encoded + b"&team_id=x", headers=kind),
        await post("/mattermost/command", content=b"&".join([b"a=b"] * 3_000), headers=kind),
        await post("/mattermost/command", content=b"\xff\xfe\x00" * 9, headers=kind),
        await post("/mattermost/command", content=without, headers={**kind, "Authorization": f"Bearer {TOKEN}"}),
        await post("/mattermost/command", content=without, headers={**kind, "Authorization": TOKEN}),
        await post("/mattermost/command", content=encoded, headers={**kind, "Authorization": f"Token {OTHER_TOKEN}"}),
        await post("/mattermost/action", json={"user_id": ALICE, "channel_id": CHANNEL, "context": {"token": TOKEN}}),
        await post("/mattermost/action", content=b"{"),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1
    assert await town.jobs(ALICE) == []


async def test_case_73_a_token_may_come_in_the_header_or_in_the_form(town: Town) -> None:
    form = town.fake.form("hello")
    without = {name: value for name, value in form.items() if name != "token"}
    for headers, data in (({"Authorization": f"Token {TOKEN}"}, without), ({}, form), ({"Authorization": "Bearer of another kind"}, form)):
        assert (await town.client.post("/mattermost/command", data=data, headers=headers)).status_code == 200


async def test_case_73_while_a_token_is_replaced_both_are_good_and_then_the_old_one_is_not(opening: Opening) -> None:
    async with opening([{**COMMAND, "token": [NEW_TOKEN, TOKEN]}]) as town:
        assert [(await town.typed("hello", token=token)).status_code for token in (TOKEN, NEW_TOKEN)] == [200, 200]
    async with opening([{**COMMAND, "token": NEW_TOKEN}]) as town:
        assert [(await town.typed("hello", token=token)).status_code for token in (TOKEN, NEW_TOKEN)] == [401, 200]


async def test_case_73_without_any_command_nothing_is_good(opening: Opening) -> None:
    for unset in ("[]", None):
        async with opening(mattermost_commands=unset) as town:
            assert (await town.typed("hello")).status_code == 401
            assert (await town.typed("hello", token="")).status_code == 401


async def test_case_73_no_token_is_logged_and_no_name_makes_a_line_of_its_own(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="handrail")
    forged = "alice\r\nERROR all is lost"
    await town.typed("hello", user_name=forged, channel_name=forged, team_domain=forged)
    await town.typed("hello", command=forged)
    await town.typed("hello", user_id=forged)
    await town.typed("hello", token=OTHER_TOKEN)
    await town.fake.until_posts(1)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING]
    for record in caplog.records:
        assert TOKEN not in record.getMessage() and OTHER_TOKEN not in record.getMessage()
        assert "all is lost" not in record.getMessage()


async def test_case_73_a_long_form_is_stopped(opening: Opening) -> None:
    async with opening(most_body_bytes=5_000) as town:
        answer = await town.typed("x" * 6_000)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_long")


async def test_an_id_that_mattermost_cannot_have_made_is_refused(town: Town) -> None:
    wrong = [{"user_id": ""}, {"user_id": "alice"}, {"user_id": ALICE + "\n"}, {"channel_id": "../" * 8 + "ab"}, {"channel_id": ""}]
    for changed in wrong:
        answer = await town.typed("hello", **changed)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert await town.jobs(ALICE) == []


async def test_a_command_can_be_kept_to_its_channels(opening: Opening) -> None:
    async with opening([{**COMMAND, "channels": [CHANNEL]}]) as town:
        await town.typed("hello", channel_id=OTHER_CHANNEL)
        await town.typed("hello")
        await town.fake.until_posts(1)
        assert [text for _, text in town.fake.ephemeral] == ["/foodfight is not for this channel. Nothing was done.", WORKING]
        assert len(await town.jobs(ALICE)) == 1


async def test_what_cannot_be_asked_is_told_in_private(opening: Opening) -> None:
    async with opening(most_messages_per_minute=1) as town:
        await town.typed("  ")
        await town.typed("x" * (LONGEST_MESSAGE + 1))
        await town.typed("hello")
        await town.typed("hello again")
        said = [text for _, text in town.fake.ephemeral]
    assert said[0] == "Say what you want: `/foodfight <message>`."
    assert said[1] == "A message has at most 32,000 characters. Nothing was done."
    assert said[2] == WORKING and "more than 1 messages in a minute" in said[3]


async def test_the_paths_take_nothing_but_posts(town: Town) -> None:
    for path in ("/mattermost/command", "/mattermost/action"):
        assert (await town.client.get(path)).status_code == 405
    assert (await town.client.post("/mattermost/else")).status_code == 401


def test_the_client_of_these_tests_sends_what_the_server_does() -> None:
    sent = httpx2.Request("POST", "http://x", data={"text": "a b"}, headers={"Accept": "application/json"})
    assert (sent.headers["content-type"], sent.content) == ("application/x-www-form-urlencoded", b"text=a+b")
