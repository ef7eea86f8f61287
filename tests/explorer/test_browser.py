"""The page in a real browser: Chromium, headless, on a server of its own."""

import contextlib
import shutil
import socket
import threading
import time

import pytest

import kagejax

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
uvicorn = pytest.importorskip("uvicorn", reason="the explorer needs uvicorn")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
HUE = "#row-filters\\.hue_shift"
PATIENCE = 120_000  # ms; a first picture compiles


@pytest.fixture(scope="module")
def address(tmp_path_factory, studio):
    """An explorer on kage/simplest, in a folder of its own."""
    from kagejax.explorer import server, sides

    folder = tmp_path_factory.mktemp("explored")
    listener = socket.create_server(("127.0.0.1", 0))
    app = server.application(sides.beginning("kage/simplest", None), folder)
    server.Explorer.studio = studio
    # The websockets protocols of uvicorn are of no use here, and importing one warns.
    runner = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", folder
    runner.should_exit = True
    thread.join(30)
    listener.close()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, address):
    """`open_page(address, **context)`: a page with its first picture; complaints of the browser fail the test."""
    complaints, contexts = [], []

    def open_one(at=address[0], **context):
        contexts.append(browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **context}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on(
            "request", lambda request: request.url.startswith((address[0], "data:", "blob:")) or complaints.append(request.url)
        )
        page.goto(at)
        settled(page)
        return page

    yield open_one
    for context in contexts:
        context.close()
    # A name that is taken answers 409, which the browser's console calls an error.
    assert [each for each in complaints if "409" not in each] == []


def settled(page, before=0):
    """Waits until a picture later than number `before` is there, and gives its number."""
    ready = "before => Number(document.body.dataset.drawn || 0) > before && !document.querySelector('.busy')"
    page.wait_for_function(ready, arg=before, timeout=PATIENCE)
    return int(page.evaluate("document.body.dataset.drawn"))


def pixels(page, side):
    return page.evaluate(f"document.querySelector('[data-side={side}] canvas').toDataURL()")


def number(page):
    return int(page.evaluate("document.body.dataset.drawn"))


def test_a_dragged_slider_changes_the_picture_of_its_side_and_the_difference(open_page):
    page = open_page()
    train, evaluation = pixels(page, "train"), pixels(page, "eval")
    assert train == evaluation
    slider = page.locator(f"{HUE} input[type=range]")
    slider.scroll_into_view_if_needed()
    box, before = slider.bounding_box(), number(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(10):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.03 * step), box["y"] + box["height"] / 2)
    page.mouse.up()
    settled(page, before)
    value = float(page.input_value("#field-filters-hue_shift"))
    assert 80 < value < 115
    page.wait_for_function("text => document.querySelector('#difference').innerText.includes(text)", arg=f"{value:.1f}")
    assert (pixels(page, "train") == train, pixels(page, "eval") == evaluation) == (True, False)
    assert page.inner_text("#verdict") == "Render only: the pictures differ, the game is the same."
    page.click(f"{HUE} .reset")
    page.wait_for_function("() => document.querySelector('#difference').hidden")
    settled(page, number(page) - 1)
    page.wait_for_function("was => document.querySelector('[data-side=eval] canvas').toDataURL() === was", arg=evaluation)


def test_a_page_is_as_before_when_it_is_loaded_again_and_tabs_do_not_share(open_page):
    page = open_page()
    before = number(page)
    page.fill("#field-filters-hue_shift", "75")
    before = settled(page, before)
    page.locator("#steps").fill("12")
    settled(page, before)
    changed, other = pixels(page, "eval"), open_page()
    assert "eval.filters.hue_shift=75" in page.url and "steps=12" in page.url
    page.reload()
    settled(page)
    assert pixels(page, "eval") == changed
    assert (page.input_value("#field-filters-hue_shift"), page.input_value("#steps")) == ("75", "12")
    assert (other.input_value("#field-filters-hue_shift"), other.input_value("#steps")) == ("0", "0")


def test_a_wrong_value_is_told_at_its_field_and_the_rest_goes_on(open_page):
    page = open_page()
    page.fill("#field-filters-gamma", "9")
    problem = page.locator("#row-filters\\.gamma .problem")
    problem.wait_for(state="visible")
    assert problem.inner_text() == "Found 9 (an integer); allowed: a number from 0.5 to 2."
    assert page.get_attribute("#field-filters-gamma", "aria-invalid") is not None
    assert "filters.gamma" in page.inner_text("#trouble")
    page.fill("#field-filters-gamma", "1.5")
    problem.wait_for(state="hidden")
    page.locator("#trouble").wait_for(state="hidden")


def test_a_configuration_is_saved_opened_again_and_not_overwritten_unasked(open_page, address):
    page, (_, folder) = open_page(), address
    page.fill("#field-filters-hue_shift", "60")
    settled(page, number(page))
    with contextlib.chdir(folder):
        page.click("#save")
        page.wait_for_function("() => document.querySelector('#yaml').textContent.includes('hue_shift: 60')")
        page.fill("#save-path", "mine.yaml")
        page.click("#save-go")
        page.wait_for_function("() => document.querySelector('#save-told').textContent === 'Saved as mine.yaml.'")
        assert kagejax.load_config(folder / "mine.yaml").filters.hue_shift == 60.0
        page.click("#save-go")
        page.wait_for_function("() => document.querySelector('#save-go').textContent === 'Overwrite it'")
        with page.expect_download() as download:
            page.click("#download")
        assert download.value.suggested_filename == "mine.yaml"
        page.keyboard.press("Escape")
        before = number(page)
        page.click("#open")
        page.fill("#open-search", "mine.yaml")
        page.click("#open-list button")
        settled(page, before)
    assert page.inner_text("[data-side=train] .base") == "mine.yaml"
    assert pixels(page, "train") == pixels(page, "eval")


def test_an_episode_plays_and_pauses(open_page):
    page = open_page()
    page.click("#play")
    page.wait_for_function(
        "() => Number(document.querySelector('[data-side=eval] canvas').dataset.step) >= 5", timeout=PATIENCE
    )
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Play"
    stopped = page.input_value("#steps")
    time.sleep(0.3)
    assert page.input_value("#steps") == stopped
    steps = page.evaluate("[...document.querySelectorAll('canvas')].map(each => each.dataset.step)")
    assert steps[0] == steps[1]


def test_everything_can_be_done_with_the_keyboard(open_page):
    page = open_page()
    before = number(page)
    page.keyboard.press("/")
    page.keyboard.type("hue_shift")
    assert page.locator(".field:visible").count() == 1
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "filters.hue_shift":
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    before = settled(page, before)
    assert page.input_value("#field-filters-hue_shift") == "2"
    page.keyboard.press("Tab")  # the number box
    assert page.evaluate("document.activeElement.id") == "field-filters-hue_shift"
    page.keyboard.press("Tab")  # reset
    page.keyboard.press("Enter")
    settled(page, before)
    assert page.input_value("#field-filters-hue_shift") == "0"
    page.focus("[name=editing]:checked")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('[name=editing]:checked').value") == "both"
    outlined = "getComputedStyle(document.activeElement.nextElementSibling).outlineStyle"
    assert page.evaluate(outlined) == "solid"


def test_every_control_has_a_name(open_page):
    page = open_page()
    nameless = """[...document.querySelectorAll('input, select, textarea, button')]
      .filter((each) => !(each.labels && each.labels.length && each.labels[0].innerText.trim()))
      .filter((each) => !each.getAttribute('aria-label') && !each.innerText.trim() && !each.closest('label'))
      .map((each) => each.outerHTML)"""
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate(nameless) == []


@pytest.mark.parametrize("width", [360, 400, 768, 1024, 1920])
def test_nothing_is_wider_than_the_window(open_page, width):
    page = open_page(viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#save")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.mouse.wheel(0, 3000)


def test_the_pictures_stay_in_sight_on_a_narrow_window(open_page):
    page = open_page(viewport={"width": 400, "height": 850})
    page.locator(HUE).scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    seen = page.locator("[data-side=eval] canvas").bounding_box()
    assert 0 <= seen["y"] < 300 and seen["x"] + seen["width"] <= 400


def test_a_long_difference_scrolls_under_the_pictures(open_page):
    page = open_page()
    before = number(page)
    page.click("#open")
    page.fill("#open-search", "kage/hardest")
    page.select_option("#open-into", "eval")
    page.click("#open-list button")
    page.wait_for_function("() => document.querySelectorAll('#difference tbody tr').length > 10")
    bottom = page.evaluate("document.querySelector('.difference').getBoundingClientRect().bottom")
    assert bottom <= 900 and page.locator("[data-side=train] canvas").bounding_box()["y"] > 0
    page.click("#same")
    page.wait_for_function("() => document.querySelector('#difference').hidden")
    settled(page, before)


CONTRAST = """() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = parts(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
  };
  const kinds = 'h1, h2, label, .about, .facts, .base, button.primary, .status, .verdict, summary b, nav a';
  const texts = [...document.querySelectorAll(kinds)]
    .filter((each) => each.offsetParent && !each.closest('.unused, .over'));
  return Math.min(...texts.map((each) => {
    const [first, second] = [light(parts(getComputedStyle(each).color)), light(ground(each))].sort((a, b) => b - a);
    return (first + 0.05) / (second + 0.05);
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_in_dark(open_page, scheme):
    page = open_page(color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(244, 245, 247)", "dark": "rgb(20, 22, 27)"}[scheme]
    assert page.evaluate(CONTRAST) >= 4.5


def test_a_pair_is_proven_in_the_background(open_page, monkeypatch):
    from kagejax.explorer import jobs

    monkeypatch.setattr(jobs, "PROOF", {"episodes": 2, "steps": 16, "seed": 0})
    page = open_page()
    before = number(page)
    page.fill("#field-filters-hue_shift", "50")
    settled(page, before)
    page.click("#prove")
    page.wait_for_function("() => document.querySelector('#proof').className === 'good'", timeout=PATIENCE)
    assert page.inner_text("#proof").startswith("✓ Proven")
    page.fill("#field-filters-hue_shift", "51")
    page.wait_for_function("() => document.querySelector('#proof').textContent === ''")
