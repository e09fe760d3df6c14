"""Case 74: answers go to the configured site and nowhere else, whatever a request says and wherever the site sends us."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest
from starlette.responses import RedirectResponse

from handrail.service.problems import Problem
from handrail.service.surfaces.mattermost.forms import hook_in, hook_url
from tests.service.mattermost.conftest import Posting, Town
from tests.service.mattermost.fake import ALICE

SITE = "https://chat.example.com/mm"
HOOK = "xbrkb8p393gjpq5cawei7npije"
PATH = f"/hooks/commands/{HOOK}"

FOREIGN = [
    "",
    PATH,
    f"http://169.254.169.254{PATH}",
    f"http://[::ffff:127.0.0.1]{PATH}",
    f"http://2130706433{PATH}",
    f"http://100.64.0.1{PATH}",
    f"http://[64:ff9b::a9fe:a9fe]{PATH}",
    f"file:///etc/passwd{PATH}",
    "file:///etc/passwd",
    f"https://chat.example.com@evil.test/mm{PATH}",
    f"https://evil.test/mm{PATH}",
    f"https://evil.test/{SITE}{PATH}",
    f"https://chat.example.com.evil.test/mm{PATH}",
    f"https://user:word@chat.example.com/mm{PATH}",
    f"https://chat.example.com:8443/mm{PATH}",
    f"http://chat.example.com/mm{PATH}",
    f"//chat.example.com/mm{PATH}",
    f"https://chat.example.com{PATH}",
    f"https://chat.example.com/mm/../mm{PATH}",
    f"https://chat.example.com\\@evil.test/mm{PATH}",
    f"{SITE}/api/v4/posts",
    f"{SITE}/hooks/{HOOK}",
    f"{SITE}{PATH}/../../../api/v4/posts",
    f"{SITE}/hooks/commands/../../api/v4/users",
    f"{SITE}{PATH}?a=b",
    f"{SITE}{PATH}#x",
    f"{SITE}{PATH}\r\nX-Header: 1",
    f"{SITE}{PATH}\n",
    f" {SITE}{PATH}",
    f"{SITE}/hooks/commands/{HOOK.upper()}",
    f"{SITE}/hooks/commands/{HOOK[:-1]}",
    f"{SITE}/hooks/commands/{HOOK}a",
    f"{SITE}/hooks/commands/{HOOK[:-1]}é",
    f"{SITE}/hooks/commands/",
    f"{SITE}/hooks/commands/{HOOK}/hooks/commands/{HOOK}",
]


@pytest.mark.parametrize("response_url", FOREIGN)
def test_case_74_an_address_that_is_not_the_sites_own_is_refused(response_url: str) -> None:
    with pytest.raises(Problem) as found:
        hook_in(response_url, site=SITE)
    assert (found.value.status, found.value.code) == (422, "foreign_url")


def test_case_74_only_the_hooks_id_is_taken_and_the_address_is_made_again() -> None:
    assert hook_url(hook_in(f"{SITE}{PATH}", site=SITE), site=SITE) == f"{SITE}{PATH}"


def test_the_log_has_the_host_of_a_foreign_address_and_nothing_else_of_it(caplog: pytest.LogCaptureFixture) -> None:
    for foreign in (f"https://hunter2:hunter2@chat.evil.test:8065/hunter2{PATH}", f"http://[{PATH}"):
        with pytest.raises(Problem):
            hook_in(foreign, site=SITE)
    first, second = (record.getMessage() for record in caplog.records)
    assert "would go to 'chat.evil.test:8065', and HANDRAIL_MATTERMOST_URL names " in first and "would go to ''" in second
    assert "hunter2" not in caplog.text and HOOK not in caplog.text


async def test_case_74_a_command_with_a_foreign_address_is_not_taken_on(town: Town) -> None:
    for foreign in (
        f"http://169.254.169.254{PATH}",
        f"{town.fake.site}@evil.test{PATH}",
        f"{town.fake.site}/api/v4/posts",
        "file:///etc/passwd",
    ):
        answer = await town.typed("pay 5 to bob", response_url=foreign)
        assert (answer.status_code, answer.json()["code"]) == (422, "foreign_url")
        assert "evil" not in answer.text and "169" not in answer.text
    assert (await town.jobs(ALICE), town.fake.paths) == ([], [])


async def test_case_74_a_redirection_is_not_followed(posting: Callable[..., AbstractAsyncContextManager[Posting]]) -> None:
    async with posting() as office:
        other = f"{office.fake.site}/hooks/commands/{HOOK}"
        redirected = [(302, "http://169.254.169.254/"), (301, other), (303, other), (307, other), (308, "file:///etc/passwd")]
        office.fake.in_the_way = [partial(RedirectResponse, to, status) for status, to in redirected]
        await office.ended("hello")
        said = [await office.look(after=60) for _ in range(6)]
        assert said == [[]] * 5 + [["You said: hello"]]
        assert (len(office.fake.paths), len(set(office.fake.paths))) == (6, 1), "it is only ever asked where the command said"
