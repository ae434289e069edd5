"""``advisor serve`` in a real browser: a person types, reads, resizes, saves and leaves.

What is on the terminal is read from xterm.js itself: its buffer is what it draws. Selenium drives
Debian's Chromium with Debian's driver for it; nothing is downloaded.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import ROOT
from tests.tui.serving import SECONDS, Served, environment, serving, until

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium is not installed"),
]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1000,700",
)  # fmt: skip
# textual.js keeps its xterm.js to itself, as the property `terminal` of an object; seen when set
CATCH = """
Object.defineProperty(Object.prototype, "terminal", {configurable: true, set(value) {
  window.caught = value;
  Object.defineProperty(this, "terminal",
    {value, writable: true, configurable: true, enumerable: true});
}});
"""
READ = """
const lines = window.caught?.buffer.active;
if (!lines) { return ""; }
return [...Array(window.caught.rows).keys()]
  .map((row) => lines.getLine(row)?.translateToString(true) ?? "").join("\\n");
"""


class Person:
    """Somebody before a page."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser  # Selenium's own types are incomplete

    def open(self, url: str) -> None:
        self.browser.get_log("performance")
        self.browser.get(url)

    def run(self, script: str, *values: object) -> Any:
        return self.browser.execute_script(script, *values)

    def screen(self) -> str:
        return str(self.run(READ))

    def wait(self, *texts: str) -> str:
        seen = ""

        def is_there() -> bool:
            nonlocal seen
            seen = self.screen()
            return all(text in seen for text in texts)

        try:
            until(is_there, f"{texts} on the screen")
        except pytest.fail.Exception as failure:
            pytest.fail(f"{failure}:\n{seen}")
        return seen

    def type(self, text: str, sends: bool = True) -> None:
        """Type with the keyboard, wherever the page has it."""
        from selenium.webdriver import ActionChains, Keys

        ActionChains(self.browser).send_keys(text + (Keys.ENTER if sends else "")).perform()

    def click(self, text: str) -> None:
        """Click where a text is drawn."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.by import By

        rows = self.screen().split("\n")
        y, row = next((y, row) for y, row in enumerate(rows) if text in row)
        screen = self.browser.find_element(By.CSS_SELECTOR, ".xterm-screen")
        (columns, lines), size = self.size(), screen.size
        right = (row.index(text) + 1.5) * size["width"] / columns - size["width"] / 2
        down = (y + 0.5) * size["height"] / lines - size["height"] / 2
        where = ActionChains(self.browser).move_to_element_with_offset(screen, right, down)
        where.click().perform()

    def size(self) -> tuple[int, int]:
        columns, rows = self.run("return [window.caught.cols, window.caught.rows]")
        return columns, rows

    def asked_for(self) -> list[str]:
        """The URLs that were requested since the page was opened."""
        found = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                found.append(message["params"]["url"])
        return found

    def complaints(self) -> list[str]:
        """What the browser's console has against the page."""
        log = self.browser.get_log("browser")
        return [one["message"] for one in log if one["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("downloads")
    return folder


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Chrome]:
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    browser = Chrome(options, Service(str(DRIVER)))
    try:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CATCH})
        yield browser
    finally:
        browser.quit()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--today", "2026-11-29") as opened:
        yield opened
        assert opened.end() == (0, "")
    assert list(folder.iterdir()) == [], "no file of the server's was written"


@pytest.fixture
def person(chromium: Chrome) -> Iterator[Person]:
    somebody = Person(chromium)
    yield somebody
    chromium.set_window_size(1000, 700)
    somebody.open("about:blank")


def test_an_answer_is_typed_and_the_verdict_is_seen(person, served):
    person.open(served.url)
    person.wait("Question 1 of at most", "f1 Help")
    before = person.browser.get_screenshot_as_png()
    person.type("qwen2.5 7b lora on a 4090 seq 2048")
    person.wait("Question 2", "does not fit as it stands", "RTX 4090 · lora · Qwen/Qwen2.5-7B")
    assert person.browser.get_screenshot_as_png() != before, "or nothing is drawn of it"
    person.type("1")
    person.wait("checkpointing on?")
    person.type("2")
    person.wait("/take takes these steps")
    person.type("/take")
    person.wait("fits as it stands")
    person.type("/quit")
    person.wait("/save keeps")  # answers that are written nowhere are asked about once
    person.type("/quit")
    until(
        lambda: person.run("return document.body.classList.contains('-closed')"), "the page is told"
    )
    shown = person.run("return document.querySelector('#ended').innerText")
    assert shown.startswith("The conversation has ended.")
    assert "fits as it stands" in person.screen(), "the last screen stays to be read"
    until(lambda: not served.children(), "the process ends")
    assert person.complaints() == []


def test_the_page_asks_nobody_else(person, served):
    person.open(served.url)
    person.wait("Question 1")
    person.type("qwen2.5 7b")
    person.wait("Qwen/Qwen2.5-7B")
    asked = person.asked_for()
    own = (served.url, f"ws://{served.host}/ws?", "data:")
    assert [url for url in asked if not url.startswith(own)] == []
    for path in ("static/textual.js", "static/mono.ttf"):
        assert served.url + path in asked
    assert any(url.startswith("ws:") for url in asked)
    fonts = person.run("return [...document.fonts].map((one) => one.status)")
    assert "loaded" in fonts


@pytest.mark.parametrize(
    "script",
    [
        "fetch(URL).then(() => done('loaded'), () => done('refused'))",
        "const one = new WebSocket(URL.replace('http', 'ws'));"
        "one.onopen = () => done('loaded'); one.onerror = () => done('refused')",
        "const one = document.createElement('script'); one.src = URL;"
        "one.onload = () => done('loaded'); one.onerror = () => done('refused');"
        "document.head.append(one)",
        "const one = new Image(); one.src = URL;"
        "one.onload = () => done('loaded'); one.onerror = () => done('refused')",
        "const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        "document.head.append(one); done(window.ran ? 'loaded' : 'refused')",
    ],
    ids=["fetch", "websocket", "script", "image", "inline"],
)
def test_the_browser_would_refuse_anything_from_elsewhere(person, served, script):
    with serving(Path("/"), "--no-config") as other:  # which would answer, and is not asked
        person.open(f"{served.url}static/page.css")
        person.run("window.violated = []; addEventListener('securitypolicyviolation',"
                   "(one) => window.violated.push(one.blockedURI))")  # fmt: skip
        ran = f"const done = arguments[0], URL = {json.dumps(other.url)}; {script}"
        assert person.browser.execute_async_script(ran) == "refused"
        assert person.run("return window.violated.length") == 1


def test_a_page_of_somebody_else_gets_no_conversation(person, served):
    person.open("data:text/html,elsewhere")
    ran = (
        f"const done = arguments[0], one = new WebSocket('{served.ws}');"
        "one.onopen = () => done('opened'); one.onerror = () => done('refused')"
    )
    assert person.browser.execute_async_script(ran) == "refused"
    assert served.children() == []


def test_it_follows_the_window(person, served):
    person.open(served.url)
    person.wait("Question 1")
    columns, rows = person.size()
    person.browser.set_window_size(1500, 1000)
    until(lambda: person.size() > (columns, rows), "more columns")
    person.type("qwen2.5 7b lora on a 4090 seq 2048")
    person.wait("answers (a click changes one)")
    person.browser.set_window_size(700, 500)
    until(lambda: person.size()[0] < columns, "fewer columns")
    until(lambda: "answers (a click" not in person.screen(), "the narrow layout")
    columns, rows = person.size()
    lines = person.wait("≈ does not fit as it stands").split("\n")
    assert len(lines) == rows
    assert "f1 Help" in lines[-1]


def test_chinese(person, tmp_path):
    with serving(tmp_path, "--lang", "zh") as served:
        person.open(served.url)
        person.wait("问题 1")
        assert person.run("return document.documentElement.lang") == "zh"
        person.type("qwen2.5 7b lora 4090 长度 2048")
        seen = person.wait("问题 2", "放不下")
        assert "权重" in seen
        person.type("/quit")
        person.wait("/save 保存")
        person.type("/quit")
        until(
            lambda: "会话已结束" in person.run("return document.body.innerText"), "the end is told"
        )
        assert served.end() == (0, "")


def allow_clipboard(person: Person, served: Served) -> None:
    """What a person before the page may do anyway, allowed to the scripts of this test."""
    allowed = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    asked = {"origin": served.url, "permissions": allowed}
    person.browser.execute_cdp_cmd("Browser.grantPermissions", asked)


def test_what_is_copied_and_saved_is_the_scenario(person, served, downloads):
    allow_clipboard(person, served)
    person.open(served.url)
    person.wait("Question 1")
    person.type("qwen2.5 7b lora on a 4090, seq 2048, checkpointing on")
    person.wait("Question 2")
    person.type("/copy")
    person.wait("Copied.")
    paste = "navigator.clipboard.readText().then(arguments[0], (no) => arguments[0](String(no)))"
    copied = person.browser.execute_async_script(paste)
    assert "model: Qwen/Qwen2.5-7B" in copied
    person.type("/save run.yaml")
    person.wait("run.yaml goes to your browser's downloads")
    saved = downloads / "run.yaml"
    until(saved.exists, "the download")
    assert saved.read_text("utf-8") == copied
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "check", str(saved), "--today", "2026-11-29"],
        cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_a_crash_message_is_pasted(person, served):
    from selenium.webdriver import ActionChains, Keys

    allow_clipboard(person, served)
    person.open(served.url)
    person.wait("Question 1")
    pasted = "模型: CUDA out of memory.\nTried to allocate 2.00 GiB. GPU 0 has a total"
    write = f"navigator.clipboard.writeText({json.dumps(pasted)}).then(arguments[0])"
    person.browser.execute_async_script(write)
    ActionChains(person.browser).key_down(Keys.CONTROL).send_keys("v").key_up(
        Keys.CONTROL
    ).perform()
    person.wait("模型: CUDA out of memory.␤Tried")
    person.type("")
    person.wait("That run ended for lack of GPU memory", "It asked for 2.00 GiB")


def test_by_the_mouse_alone(person, served):
    person.open(served.url)
    person.wait("Question 1")
    person.click("Qwen/Qwen2.5-7B ← suggested")
    person.wait("model = Qwen/Qwen2.5-7B", "Question 2")
    person.click("f3 Back")
    person.wait("Taken back", "Question 1")


def test_keys_that_browsers_use_are_the_screens(person, served):
    from selenium.webdriver import Keys

    person.open(served.url)
    person.wait("Question 1")
    person.type("qwen2.5 7b")
    person.wait("Question 2")
    person.type(Keys.F5, sends=False)  # not a reload
    person.wait("/answers", "model = Qwen/Qwen2.5-7B")
    person.type(Keys.F3, sends=False)
    person.wait("Taken back", "Question 1")
    person.type(Keys.F1, sends=False)
    person.wait("lists the commands")


def test_one_too_many_is_told_on_the_page(person, tmp_path):
    with serving(tmp_path, "--sessions", "1") as served:
        person.open(served.url)
        person.wait("Question 1")
        first = person.browser.current_window_handle
        person.browser.switch_to.new_window("tab")
        try:
            person.browser.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": CATCH}
            )
            person.open(served.url)
            person.wait("As many conversations as are allowed", "--sessions")
        finally:
            person.browser.close()
            person.browser.switch_to.window(first)
        assert served.end() == (0, "")
