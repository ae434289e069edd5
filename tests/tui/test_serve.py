"""``advisor serve`` without a browser: who may ask, how much, and how it ends."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.conversation import Conversation, State
from advisor.conversation.events import Exported, Failed
from advisor.tui.browser.files import Downloads
from advisor.tui.browser.packets import Focused, Resized, Typed, asked_size, read_packet
from tests.support import ROOT
from tests.tui.driving import SETTLED, rules
from tests.tui.serving import SECONDS, Served, environment, is_running, serving, until
from tests.unit.test_catalog_configs import LLAMA_3_8B

aiohttp = pytest.importorskip("aiohttp", reason="pip install 'advisor[serve]'")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as opened:
        yield opened
        assert opened.end() == (0, "")


class Visitor:
    """What a page does, without drawing."""

    def __init__(self, socket_: Any) -> None:
        self.socket = socket_
        self.seen = ""
        self.told: list[list[str]] = []

    async def send(self, *packet: object) -> None:
        await self.socket.send_str(json.dumps(packet))

    async def type(self, text: str) -> None:
        await self.send("stdin", text)

    async def until(self, text: str) -> None:
        """Read until a text was drawn, or told beside the drawing."""
        async with asyncio.timeout(SECONDS):
            while text not in self.seen and not any(text in one for one in self.told):
                received = await self.socket.receive()
                if received.type is aiohttp.WSMsgType.BINARY:
                    self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", received.data.decode())
                elif received.type is aiohttp.WSMsgType.TEXT:
                    self.told.append(json.loads(received.data))
                else:
                    pytest.fail(f"ended with {self.socket.close_code} before {text!r}: {self.seen}")

    async def ended(self) -> int | None:
        """Read until the end; the code it was closed with."""
        async with asyncio.timeout(SECONDS):
            async for received in self.socket:
                if received.type is aiohttp.WSMsgType.BINARY:
                    self.seen += received.data.decode()
        code: int | None = self.socket.close_code
        return code


def visit(served: Served, then: Callable[[Visitor, Any], Awaitable[Any]]) -> Any:
    """Open a page, do something there, and leave."""
    asked = f"{served.ws}?width=100&height=30"

    async def run() -> Any:
        async with (
            aiohttp.ClientSession() as web,
            web.ws_connect(asked, origin=f"http://{served.host}") as opened,
        ):
            return await then(Visitor(opened), web)

    return asyncio.run(run())


# -- who may ask ----------------------------------------------------------------------------------

HOSTS = [
    ("127.0.0.1:{port}", 200),
    ("localhost:{port}", 200),
    ("LocalHost:{port}", 200),
    ("[::1]:{port}", 200),
    ("127.0.0.1", 403),
    ("localhost", 403),
    ("127.0.0.1:1", 403),
    ("evil.example", 403),
    ("evil.example:{port}", 403),
    ("127.0.0.1.evil.example:{port}", 403),
    ("localhost.evil.example:{port}", 403),
    ("evil.example@127.0.0.1:{port}", 403),
    ("127.0.0.1:{port}, evil.example", 403),
    ("0.0.0.0:{port}", 403),
    ("", 403),
]
OWN = "http://127.0.0.1:{port}"
ORIGINS = [
    (OWN, 101),
    (None, 403),
    ("null", 403),
    ("", 403),
    ("http://evil.example", 403),
    ("http://evil.example:{port}", 403),
    ("https://127.0.0.1:{port}", 403),
    ("http://127.0.0.1", 403),
    ("http://127.0.0.1:1", 403),
    ("http://localhost:{port}", 403),  # another page of ours is another site
    (OWN + ".evil.example", 403),
    (OWN + "/", 403),
]


def status(answer: str) -> int:
    return int(answer.split()[1])


@pytest.mark.parametrize(("host", "code"), HOSTS)
def test_pages_are_for_those_who_name_this_machine(served, host, code):
    host = host.format(port=served.port)
    answer = served.ask("/", host)
    assert status(answer) == code
    assert ("textual-terminal" in answer) == (code == 200)
    if code == 403:
        assert served.url in answer, "or nobody knows what to do"
        assert served.upgrade(host, f"Origin: http://{host}") == 403


@pytest.mark.parametrize(("origin", "code"), ORIGINS)
def test_conversations_are_for_our_own_page(served, origin, code):
    lines = [] if origin is None else [f"Origin: {origin.format(port=served.port)}"]
    assert served.upgrade(None, *lines) == code
    until(lambda: not served.children(), "the process ends with the connection")


def test_two_hosts_or_origins_are_none(served):
    own = f"http://{served.host}"
    assert status(served.ask("/", None, "Host: evil.example")) in (400, 403)
    assert served.upgrade(None, f"Origin: {own}", "Origin: http://evil.example") in (400, 403)
    assert status(served.ask("/", None, "Origin: http://evil.example")) == 403


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/static/page.js", 200),
        ("/static/textual.js", 200),
        ("/static/", 404),
        ("/static", 404),
        ("/static/page.html", 404),
        ("/static/../../server.py", 404),
        ("/static/..%2f..%2fserver.py", 404),
        ("/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/static//etc/passwd", 404),
        ("/download/", 404),
        ("/download/0", 404),
        ("/download/..%2f..%2fetc%2fpasswd", 404),
        ("/favicon.ico", 404),
        ("/?ping=http://evil.example/", 303),  # which the terminal's script would fetch
    ],
)
def test_only_what_the_page_needs_is_served(served, path, code):
    answer = served.ask(path)
    assert status(answer) == code
    assert "default-src 'self'" in answer.partition("\r\n\r\n")[0]
    assert "root:" not in answer and "aiohttp import" not in answer


def test_nothing_is_posted(served):
    assert status(served.ask("/", method="POST")) == 405


def test_other_machines_cannot_connect(served):
    addresses = {"127.0.0.2"}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
        try:
            outward.connect(("192.0.2.1", 9))  # sends nothing; tells which address would
            addresses.add(outward.getsockname()[0])
        except OSError:
            pass
    for address in addresses - {"127.0.0.1"}:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, served.port), SECONDS)


def test_what_is_served_names_nothing_outside(served):
    html = served.ask("/").partition("\r\n\r\n")[2]
    names = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert {"/static/textual.js", "/static/page.css"} <= set(names)
    assert all(re.match(r"/(?!/)|data:,$", name) for name in names)
    for name in (one for one in names if one.endswith((".css", ".js"))):
        text = served.ask(name).partition("\r\n\r\n")[2]
        assert len(text) > 200
        loaded = re.findall(r"url\(\s*[\"']?([^)\"']*)|@import\s+([^;]*);", text)
        outside = [one for one in loaded if re.match(r"\w+:(?!image/)|//", one[0] + one[1])]
        assert outside == []
        if name.endswith(".js"):
            assert re.findall(r"[\"'`](?:https?:)?//[\w.-]+\.\w+", text) == []
    policy = re.search(r"Content-Security-Policy: (.*)", served.ask("/"))
    assert policy is not None
    allowed = set(re.findall(r"[^\s;]+(?<!-src)", policy[1]))
    assert f"ws://{served.host}" in allowed
    assert not [one for one in allowed if "//" in one and served.host not in one]


# -- a conversation -------------------------------------------------------------------------------


def test_an_answer_a_download_and_the_end(served):
    async def person(page, web):
        await page.until("Question 1")
        await page.type("qwen2.5 7b lora on a 4090 seq 2048\r")
        await page.until("Question 2")
        await page.type("/open /etc/passwd\r")
        await page.until("opens no file")
        await page.type("/save\r")
        await page.until("deliver_file_start")
        key = page.told[-1][1]
        async with web.get(f"{served.url}download/{key}") as answer:
            assert answer.headers["Content-Disposition"] == 'attachment; filename="scenario.yaml"'
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            text = await answer.text()
        async with web.get(f"{served.url}download/{key}", headers={"Host": "evil.example"}) as no:
            assert no.status == 403
        await page.type("/quit\r")
        assert await page.ended() == 1000
        return key, text

    key, text = visit(served, person)
    until(lambda: status(served.ask(f"/download/{key}")) == 404, "the download goes with it")
    assert "model: Qwen/Qwen2.5-7B" in text
    assert "root:" not in text
    until(lambda: not served.children(), "the process ends")


def test_what_a_page_may_send_is_bounded(served):
    async def person(page, _):
        await page.until("Question 1")
        for packet in (
            ["resize", {"width": 10**9, "height": 10**9}],
            ["resize", {"width": -1, "height": 0}],
            ["ping", "1"],
            ["blur"],
            ["focus"],
            ["stdin", "\ud800"],
            ["resize", {"width": 90, "height": 30}],
            ["stdin", "\rqwen2.5 7b\r"],
        ):
            await page.send(*packet)
        await page.until("pong")
        await page.until("model = Qwen/Qwen2.5-7B")

    visit(served, person)


@pytest.mark.parametrize(
    ("text", "packet"),
    [
        ('["stdin", "a"]', Typed(b"a")),
        ('["resize", {"width": 80, "height": 24}]', Resized(80, 24)),
        ('["resize", {"width": 80000, "height": 24000}]', Resized(500, 200)),
        ('["resize", {"width": -80, "height": 0}]', Resized(1, 1)),
        ('["focus"]', Focused(True)),
        ("", None),
        ("junk", None),
        ("[]", None),
        ("{}", None),
        ("NaN", None),
        ('["stdin"]', None),
        ('["stdin", 1]', None),
        ('["stdin", "a", "b"]', None),
        ('["resize", {"width": "80", "height": 24}]', None),
        ('["resize", {"width": 80}]', None),
        ('["resize", {"width": 1e400, "height": 24}]', None),
        ('["ping", "' + "1" * 33 + '"]', None),
        ('["quit"]', None),
        ('["deliver_chunk_request", {"key": "x", "size": 1}]', None),
        ("[" * 100_000, None),
        ("1" * 10_000, None),
    ],
)
def test_what_is_read_of_a_page(text, packet):
    assert read_packet(text) == packet


@pytest.mark.parametrize(
    "size", [("", ""), ("80", "-1"), ("0x50", "24"), ("9" * 99, "24"), ("８０", "24")]
)
def test_an_odd_first_size_is_the_usual_one(size):
    assert asked_size(*size) == Resized(80, 24)


@pytest.mark.parametrize("text", ["junk", '["quit"]', "x" * (1 << 20)])
def test_what_no_page_of_ours_sends_ends_it(served, text):
    async def stranger(page, _):
        await page.socket.send_str(text)
        return await page.ended()

    assert visit(served, stranger) in (1008, 1009)


def test_one_too_many_is_told_so_and_may_come_back(tmp_path):
    with serving(tmp_path, "--sessions", "1", "--lang", "en") as served:

        async def first(page, web):
            await page.until("Question 1")
            async with web.ws_connect(served.ws, origin=f"http://{served.host}") as opened:
                other = Visitor(opened)
                assert await other.ended() == 1013
            assert "--sessions" in other.seen and "Close" in other.seen
            await page.type("/quit\r")
            await page.ended()

        visit(served, first)
        until(lambda: not served.children(), "the process ends")
        visit(served, lambda page, _: page.until("Question 1"))
        assert served.end() == (0, "")


@pytest.mark.slow
def test_the_options_reach_the_conversation_and_no_shell(tmp_path):
    name = "te am; touch one $(touch two) 'x'.yaml"
    (tmp_path / name).write_text(
        "language: 1\nlayer: team\npatch:\n"
        "  policies.effective-batch.level: {value: deny, reason: odd batches cost us}\n", "utf-8",
    )  # fmt: skip
    options = ("--rules", name, "--lang", "zh", "--today", "2026-11-29", "--no-config")
    with serving(tmp_path, *options) as served:

        async def person(page, _):
            await page.until("问题 1")
            await page.type("/why effective-batch\r")
            await page.until("effective-batch（deny）")

        visit(served, person)
        assert "Ctrl+C" in served.said
        assert served.end() == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.slow
def test_rules_that_break_later_are_told_in_the_browser(tmp_path):
    layer = tmp_path / "team.yaml"
    layer.write_text("language: 1\nlayer: team\n", "utf-8")
    with serving(tmp_path, "--rules", str(layer)) as served:
        layer.write_text("language: 1\nlayer: [\x1b\n", "utf-8")

        async def person(page, _):
            code = await page.ended()
            return code, page.seen

        code, seen = visit(served, person)
        assert code == 1000
        assert "team.yaml:2:" in seen
        assert "Traceback" not in seen
        assert served.end() == (0, "")


def test_a_process_that_cannot_start_is_told_on_both_sides():
    from aiohttp import web as serving_web

    from advisor.tui.browser.server import Server, listen

    said: list[str] = []

    async def run() -> tuple[int | None, str]:
        opened = listen(0)
        host = f"127.0.0.1:{opened.getsockname()[1]}"
        server = Server(["/no/such/program"], "en", 1, opened.getsockname()[1], said.append)
        runner = serving_web.AppRunner(server.application())
        await runner.setup()
        try:
            await serving_web.SockSite(runner, opened).start()
            async with (
                aiohttp.ClientSession() as web,
                web.ws_connect(f"ws://{host}/ws", origin=f"http://{host}") as page,
            ):
                visitor = Visitor(page)
                return await visitor.ended(), visitor.seen
        finally:
            await runner.cleanup()

    code, seen = asyncio.run(run())
    assert code == 1011
    assert "FileNotFoundError" in seen
    assert len(said) == 1 and "FileNotFoundError" in said[0]


# -- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("SIGTERM", 0, ""),
        pytest.param("SIGINT", 130, "interrupted\n", marks=pytest.mark.slow),
        pytest.param("SIGHUP", 0, "", marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_and_every_conversation(tmp_path, name, code, said):
    with serving(tmp_path) as served:

        async def person(page, _):
            await page.until("Question 1")
            children = served.children()
            assert len(children) == 1
            ended = asyncio.create_task(asyncio.to_thread(served.end, name))
            assert await page.ended() in (1000, 1001)
            assert await ended == (code, said)
            return children

        (child,) = visit(served, person)
        until(lambda: not is_running(child), "the process is gone")


@pytest.mark.slow
def test_killing_it_ends_every_conversation(tmp_path):
    with serving(tmp_path) as served:

        async def person(page, _):
            await page.until("Question 1")
            children = served.children()
            assert len(children) == 1
            served.process.kill()
            return children

        (child,) = visit(served, person)
        until(lambda: not is_running(child), "the process is gone")


# -- calls that cannot work -----------------------------------------------------------------------


def call(*words: str, code: str = "from advisor.cli import main; main()") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", *words], cwd=ROOT, env=environment(),
        stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_a_port_in_use(served):
    code, said = call("--port", str(served.port))
    assert code == 2
    assert str(served.port) in said and "--port 0" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "65536"], "65536"),
        (["--port", "http"], "http"),
        (["--sessions", "0"], "0"),
        (["--host", "0.0.0.0"], "--host"),
        (["--rules", "no-such.yaml"], "no-such.yaml"),
        (["run.yaml"], "run.yaml"),
    ],
)
def test_a_wrong_call_listens_to_nothing(words, told):
    code, said = call(*words)
    assert code == 2
    assert told in said


@pytest.mark.parametrize("gone", ["textual_serve", "aiohttp"])
def test_without_the_extra_it_says_how_to_get_it(gone):
    hidden = f"import sys; sys.modules['{gone}'] = None; from advisor.cli import main; main()"
    code, said = call(code=hidden)
    assert code == 2
    assert said.count("\n") == 1
    assert "pip install 'advisor[serve]'" in said


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("/save", "scenario.yaml"),
        ("/save run-2.yaml", "run-2.yaml"),
        ("/export md report.md", "report.md"),
        ("/save ../run.yaml", ""),
        ("/save /tmp/run.yaml", ""),
        ("/save ~/run.yaml", ""),
        ("/save .bashrc", ""),
        ("/save -rf", ""),
        ('/save a"; filename=b', ""),
        ("/save a\tb", ""),
        ("/save " + "a" * 101, ""),
        ("/save 名.yaml", ""),
        ("/open scenario.yaml", ""),
        ("/open /etc/passwd", ""),
    ],
)
def test_files_are_downloads_with_a_plain_name(tmp_path, monkeypatch, line, name):
    monkeypatch.chdir(tmp_path)
    Path("scenario.yaml").write_text("method: lora\n", "utf-8")
    talk = Conversation(rules(), None, Downloads())
    state = talk.send(State("en"), SETTLED).state
    events = talk.send(state, line).events
    if name:
        assert [one.path for one in events if isinstance(one, Exported)] == [name]
    else:
        assert any(isinstance(one, Failed) for one in events)
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["method: lora\n"]


@pytest.mark.parametrize(("files", "is_read"), [(None, True), (Downloads(), False)])
def test_an_answer_names_no_file_of_the_server(tmp_path, files, is_read):
    (tmp_path / "config.json").write_text(LLAMA_3_8B, "utf-8")
    folder = tmp_path if files is None else None
    talk = Conversation(rules(), folder, files)
    state = talk.send(State("en"), SETTLED).state
    for line in ("/set model=./config.json", f"/set model={tmp_path}/config.json"):
        check = talk.view(talk.send(state, line).state).verdict.check
        assert (check.verdict is not None) == is_read
        assert "4096" not in repr(check.problems)
