"""A person in a browser: a link that works once, a signed cookie that no script reads, and posts that carry a token."""

import base64
from datetime import timedelta
from http.cookies import SimpleCookie

import httpx2
import msgspec
import pytest

from handrail.errors import InputError
from handrail.service.auth.cookies import Cookies
from handrail.service.auth.links import LASTS, sign_in_link
from handrail.testing import ManualClock
from tests.service.branch import SECRET, Branch, invoke


async def _link(branch: Branch, user_id: str = "alice", base: str = "http://service.test") -> str:
    return await sign_in_link(branch.running.database, base, user_id=user_id, clock=branch.clock)


async def test_a_link_signs_in_once(branch: Branch) -> None:
    async with branch.stranger() as browser:
        link = await _link(branch)
        assert link.startswith("http://service.test/sign-in?token=")
        came = await browser.get(link)
        assert came.status_code == 200 and "You are <b>alice</b> here" in came.text
        assert came.headers["cache-control"] == "no-store" and came.headers["referrer-policy"] == "no-referrer"
        assert (await browser.get("/me")).json()["user_id"] == "alice"
        again = await browser.get(link)
        assert (again.status_code, again.json()["code"]) == (410, "link_over")
        assert "set-cookie" not in again.headers


async def test_the_cookie_is_for_no_script_and_no_other_site(branch: Branch) -> None:
    async with branch.stranger() as browser:
        for base, secure in (("http://service.test", False), ("https://service.test", True)):
            cookie = SimpleCookie((await browser.get(await _link(branch, base=base))).headers["set-cookie"])["handrail"]
            assert (cookie["httponly"], cookie["samesite"], cookie["path"], bool(cookie["secure"])) == (True, "lax", "/", secure)
            assert cookie["max-age"] == str(12 * 3600)


async def test_a_link_is_good_for_minutes_only(branch: Branch) -> None:
    async with branch.stranger() as browser:
        link = await _link(branch)
        branch.clock.advance(LASTS.total_seconds())
        assert (await browser.get(link)).status_code == 410
        for wrong in ("/sign-in?token=x", f"{link}x"):
            assert (await browser.get(wrong)).status_code == 410
        assert (await browser.get("/sign-in")).status_code == 422
        assert len((await browser.get("/me")).json()) == 5  # a problem


async def test_a_link_leads_on_to_a_page_of_this_service_only(branch: Branch) -> None:
    async with branch.stranger() as browser:
        on = await browser.get(f"{await _link(branch)}&then=/panel?x=1")
        assert (on.status_code, on.headers["location"]) == (303, "/panel?x=1") and "set-cookie" in on.headers
        for away in ("https://evil.test/", "//evil.test", "/\\evil.test", "evil", "/a%0d%0aSet-Cookie:x=y"):
            assert (await browser.get(f"{await _link(branch)}&then={away}")).status_code == 200, away


async def test_a_name_with_markup_is_shown_as_text(branch: Branch) -> None:
    async with branch.stranger() as browser:
        assert "<b>&lt;img src=x&gt;</b>" in (await browser.get(await _link(branch, "<img src=x>"))).text


async def test_a_link_is_made_for_nobody_who_cannot_be(branch: Branch) -> None:
    with pytest.raises(InputError, match="cannot be a user's name"):
        await _link(branch, "")


async def test_a_post_needs_the_token_that_its_page_has_read(branch: Branch) -> None:
    body = {"session_id": "s1", "message": "hello"}
    async with branch.stranger() as browser, branch.stranger() as other:
        await browser.get(await _link(branch))
        await other.get(await _link(branch))
        assert (await browser.get("/agent/sessions")).status_code == 200
        token = (await browser.get("/me")).json()["csrf_token"]
        others = (await other.get("/me")).json()["csrf_token"]
        for wrong in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": token[:-1]}, {"X-CSRF-Token": others}):
            refused = await browser.post("/agent/invoke", json=body, headers=wrong)
            assert (refused.status_code, refused.json()["code"]) == (403, "csrf")
        assert (await browser.post("/agent/invoke", json=body, headers={"X-CSRF-Token": token})).status_code == 202
        assert (await other.post("/agent/invoke", json=body, headers={"X-CSRF-Token": others})).status_code == 202


async def test_a_browser_acts_for_nobody_else(branch: Branch) -> None:
    async with branch.stranger() as browser, branch.client("bob") as bob:
        await branch.ended(await invoke(bob, "hello"))
        await browser.get(await _link(branch))
        assert (await browser.get("/agent/sessions/s1")).status_code == 404
        assert (await browser.get("/me", headers={"X-Act-As": "bob"})).status_code == 404


async def test_a_wrong_key_is_not_made_good_by_a_cookie(branch: Branch) -> None:
    async with branch.stranger() as browser:
        await browser.get(await _link(branch))
        assert (await browser.get("/me", headers={"X-API-Key": "hrk_x_y"})).status_code == 401


async def test_a_browser_is_signed_in_for_hours_and_may_leave_earlier(branch: Branch) -> None:
    async with branch.stranger() as browser:
        await browser.get(await _link(branch))
        branch.clock.advance(timedelta(hours=12).total_seconds() - 1)
        token = (await browser.get("/me")).json()["csrf_token"]
        branch.clock.advance(1)
        assert (await browser.get("/me")).status_code == 401
        await browser.get(await _link(branch))
        token = (await browser.get("/me")).json()["csrf_token"]
        assert (await browser.post("/sign-out")).status_code == 403
        assert (await browser.post("/sign-out", headers={"X-CSRF-Token": token})).status_code == 204
        assert (await browser.get("/me")).status_code == 401


async def test_a_key_needs_no_token(branch: Branch) -> None:
    async with branch.client("alice") as client:
        assert (await client.get("/me")).json() == {"user_id": "alice", "csrf_token": None}
        await invoke(client, "hello")


def test_a_cookie_that_is_not_exactly_ours_is_nothing() -> None:
    clock = ManualClock()
    cookies = Cookies(SECRET.encode(), clock=clock, lasts=timedelta(hours=1))
    good = cookies.made("alice")
    payload, _, signature = good.partition(".")
    found = cookies.read(good)
    assert found is not None and found.user_id == "alice"
    forged = base64.urlsafe_b64encode(msgspec.json.encode({**msgspec.to_builtins(found), "user_id": "boss"})).rstrip(b"=").decode()
    wrong = ["", ".", payload, f"{payload}.", f".{signature}", f"{forged}.{signature}"]
    changed = [f"{good}x", f"{good}=", good.swapcase(), f"{good}\xff", "x" * 2_000]
    assert [cookies.read(value) for value in wrong + changed] == [None] * 11
    assert Cookies(b"another secret of 32 characters!", clock=clock, lasts=timedelta(hours=1)).read(good) is None
    clock.advance(3_600)
    assert cookies.read(good) is None


async def test_two_processes_with_one_secret_know_the_same_browsers(branch: Branch) -> None:
    elsewhere = Cookies(SECRET.encode(), clock=branch.clock, lasts=timedelta(hours=1))
    async with branch.stranger() as browser:
        answer: httpx2.Response = await browser.get("/me", headers={"Cookie": f"handrail={elsewhere.made('carol')}"})
    assert answer.json()["user_id"] == "carol"
