"""Dinner ordered by voice: a real browser, the real worklet, and the service's own models that hear and speak."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browsing import ARGUMENTS, CHROMIUM, PHONE, Tab, tab
from tests.web.served import Served, serving
from tests.web.speaking import MICROPHONE, fake_microphone, padded, spoken, utter

APP = "handrail.apps.delivery:app"
OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), APP) as made:
        yield made


@pytest.fixture
def path(request: pytest.FixtureRequest) -> str:
    return f"/delivery?session={request.node.name}"


class Voice:
    """The page, as people talk with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.log = page.get_by_role("log")
        self.group = page.get_by_role("group", name="Voice")
        self.hold = self.group.get_by_role("button", name="Hold to talk")
        self.handsfree = self.group.get_by_role("button", name="Hands-free")
        self.doing = self.group.get_by_role("status")
        self.trouble = self.group.get_by_role("alert")

    def listens(self) -> None:
        self.handsfree.click()
        expect(self.doing).to_contain_text("Listening")

    def says(self, text: str) -> None:
        utter(self.page, text)

    def heard(self, text: str) -> None:
        expect(self.group.get_by_text("I heard")).to_contain_text(text)


@pytest.fixture
def talk(served: Served, open_tab: OpenTab, path: str) -> Voice:
    """The page with a microphone."""
    made = open_tab(served, "/")
    made.context.add_init_script(MICROPHONE)
    made.go(path)
    return Voice(made.page)


def test_dinner_is_ordered_hands_free_and_a_spoken_yes_decides_it(talk: Voice) -> None:
    talk.listens()
    talk.says("Add two dan dan noodles and a beef noodle soup.")
    expect(talk.log).to_contain_text("In your cart: 2 Dan Dan Noodles, 1 Beef Noodle Soup")
    expect(talk.doing).to_contain_text("Listening")
    talk.says("Order it.")
    expect(talk.page.get_by_role("region", name="Approval of place_order")).to_be_visible()
    expect(talk.doing).to_contain_text("Speaking")
    expect(talk.doing).to_contain_text("Listening")
    talk.says("Yes, please.")
    expect(talk.page.get_by_text("Thank you!")).to_be_visible()


@pytest.mark.parametrize("how", ["pointer", "space"])
def test_push_to_talk_hears_what_is_said_while_it_is_held(talk: Voice, how: str) -> None:
    if how == "pointer":
        talk.hold.hover()
        talk.page.mouse.down()
    else:
        talk.page.keyboard.down(" ")
    expect(talk.doing).to_have_text("I hear you …")
    expect(talk.hold).to_have_attribute("aria-pressed", "true")
    talk.says("What is in my cart?")
    if how == "pointer":
        talk.page.mouse.up()
    else:
        talk.page.keyboard.up(" ")
    talk.heard("What is in my cart?")
    expect(talk.log.get_by_role("paragraph").filter(has_text="What is in my cart?")).to_have_count(1)
    expect(talk.log).to_contain_text("cart is empty")
    expect(talk.doing).to_have_text("")  # the answer was read out, and nobody listens any more


def test_whoever_only_clicks_begins_and_ends_with_a_click_and_is_told_that_nothing_was_said(talk: Voice) -> None:
    talk.hold.dispatch_event("click")  # as a screen reader does it
    expect(talk.doing).to_have_text("I hear you …")
    talk.hold.dispatch_event("click")
    expect(talk.trouble).to_contain_text("Nothing was understood")


def test_a_space_where_somebody_types_is_a_space(talk: Voice) -> None:
    box = talk.page.get_by_label("What would you like?")
    box.press_sequentially("a b")
    expect(box).to_have_value("a b")
    expect(talk.hold).to_have_attribute("aria-pressed", "false")


def test_whoever_speaks_interrupts_the_answer_and_is_heard(talk: Voice) -> None:
    talk.listens()
    talk.says("I would like something spicy.")
    expect(talk.doing).to_contain_text("Speaking")
    talk.says("Stop. What is in my cart?")
    expect(talk.log).to_contain_text("cart is empty")
    assert "interrupted" in talk.page.evaluate("window.sounds")


@pytest.mark.parametrize("how", ["words", "escape", "button"])
def test_it_can_be_told_to_stop(talk: Voice, how: str) -> None:
    talk.listens()
    if how == "words":
        talk.says("Stop listening.")
    elif how == "escape":
        talk.page.keyboard.press("Escape")
    else:
        talk.group.get_by_role("button", name="End voice").click()
    expect(talk.handsfree).to_have_attribute("aria-pressed", "false")
    expect(talk.doing).to_have_text("")
    expect(talk.log.get_by_text("Stop listening")).to_have_count(0)


def test_a_refused_microphone_leaves_no_dead_button(served: Served, open_tab: OpenTab, path: str) -> None:
    made = open_tab(served, path)
    talk = Voice(made.page)
    for button in (talk.hold, talk.handsfree):
        button.click()
        expect(talk.trouble).to_contain_text("microphone")
        expect(button).to_be_enabled()
        expect(button).to_have_attribute("aria-pressed", "false")
    made.assert_accessible()
    made.page.evaluate(MICROPHONE)
    talk.listens()
    expect(talk.trouble).to_have_count(0)


def test_a_service_without_speech_says_what_to_do_and_typing_goes_on(tmp_path: Path, open_tab: OpenTab, path: str) -> None:
    with serving(tmp_path, APP, HANDRAIL_AUDIO_URL="http://127.0.0.1:9/v1") as served:
        made = open_tab(served, "/")
        made.context.add_init_script(MICROPHONE)
        talk = Voice(made.go(path))
        talk.listens()
        talk.says("What is in my cart?")
        expect(talk.trouble).to_contain_text("The service could not hear that")
        made.assert_accessible()
        talk.page.get_by_label("What would you like?").fill("What is in my cart?")
        talk.page.keyboard.press("Enter")
        expect(talk.log).to_contain_text("cart is empty")
        expect(talk.trouble).to_contain_text("written on the page")
        made.wrong = [each for each in made.wrong if "status of 502" not in each]


def test_the_browsers_own_microphone_is_heard(served: Served, browser: Browser, path: str, tmp_path: Path) -> None:
    recording = tmp_path / "said.wav"
    recording.write_bytes(padded(spoken("What is in my cart?"), before=1, after=60))
    launched = browser.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *fake_microphone(recording)])
    made = tab(launched, served, path)
    talk = Voice(made.page)
    talk.listens()
    talk.heard("What is in my cart?")
    expect(talk.log).to_contain_text("cart is empty")
    made.close()
    launched.close()


@pytest.mark.parametrize("look", [{}, {"color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"])
def test_it_is_accessible_in_every_state(served: Served, open_tab: OpenTab, path: str, look: dict[str, object]) -> None:
    made: Tab = open_tab(served, "/", **look)
    made.context.add_init_script(MICROPHONE)
    talk = Voice(made.go(path))
    made.assert_accessible()
    talk.listens()
    made.assert_accessible()
    talk.says("What is in my cart?")
    expect(talk.doing).to_contain_text("Speaking")
    made.assert_accessible()
