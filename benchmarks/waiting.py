"""How long a person waits: for the first picture of `kagejax play`, and for a moved slider of `kagejax explore`.

    python benchmarks/waiting.py

`play`: a process of its own imports kagejax and makes the session of kage up to its first picture, with nothing made or
compiled before, then once more; the window is not part of it. `explore`: in Chromium, from a change of a hue to the picture
that shows it. Needs Playwright and a `chromium` on the path.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SESSION = """
from kagejax.play.loading import prepare_jax
prepare_jax()
from kagejax.config.loader import load
from kagejax.play.session import Session
Session(load("kage", {})).start()
"""
ROUNDS = 3
MOVES, WARM = 25, 3
READY = "() => Number(document.body.dataset.drawn || 0) > 0 && !document.querySelector('.busy')"
MOVE = """value => new Promise(done => {
  const field = document.querySelector('#field-filters-hue_shift');
  const before = document.body.dataset.drawn, start = performance.now();
  const watch = new MutationObserver(() => {
    if (document.body.dataset.drawn !== before) { watch.disconnect(); done(performance.now() - start); }
  });
  watch.observe(document.body, {attributes: true});
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  field.dispatchEvent(new Event('change', {bubbles: true}));
})"""


def first_picture(cache: str) -> float:
    """Seconds of a process up to its first picture, with made and compiled things kept in `cache`."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", SESSION], check=True, env={**os.environ, "KAGEJAX_CACHE": cache})
    return time.perf_counter() - began


def slider() -> list[float]:
    """Milliseconds from each change to its picture, after the first ones."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "kagejax", "explore", "kage/background/1", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as play:
        try:
            address = server.stdout.readline().split()[2]
            browser = play.chromium.launch(executable_path=shutil.which("chromium"))
            page = browser.new_page()
            page.goto(address)
            page.wait_for_function(READY, timeout=120_000)
            found = []
            for move in range(MOVES):
                found.append(page.evaluate(MOVE, str(5 + 3 * move)))
                page.wait_for_function(READY)
                page.wait_for_timeout(150)
            browser.close()
        finally:
            server.terminate()
    return found[WARM:]


def main() -> None:
    """Prints the medians."""
    cold, warm = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(first_picture(cache))
            warm.append(first_picture(cache))
    print(f"play: first picture {statistics.median(cold):.1f} s, later on {statistics.median(warm):.1f} s")
    print(f"explore: a moved slider is a picture after {statistics.median(slider()):.0f} ms")


if __name__ == "__main__":
    main()
