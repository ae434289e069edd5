"""The server: one page, the files it loads, its downloads, and a WebSocket a conversation."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Callable, Sequence

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.typedefs import Handler

from advisor.conversation import message
from advisor.errors import BadCall, said, visible, whole
from advisor.report.phrases import wrap
from advisor.tui.browser import gate
from advisor.tui.browser.packets import Focused, Pinged, Resized, Typed, asked_size, read_packet
from advisor.tui.browser.page import FILES, page
from advisor.tui.browser.session import Session, plain

ADDRESS = "127.0.0.1"
_MOST_MESSAGE = 1 << 20
_GOODBYE = 1.0  # seconds that a visitor has to confirm the end
_BEAT = 20.0  # seconds between questions whether a visitor is still there

_MUTE = logging.Logger("advisor.serve", logging.CRITICAL)
"""A stranger's broken request is answered, and no matter for whoever started the server."""


class Server:
    """Serves conversations of one program, at most so many at once, in one language.

    ``complain`` hears of what should not happen.
    """

    def __init__(
        self,
        program: Sequence[str],
        language: str,
        most: int,
        port: int,
        complain: Callable[[str], None],
    ) -> None:
        self.program = program
        self.language = language
        self.most = most
        self.port = port
        self.complain = complain
        self._sessions: dict[web.WebSocketResponse, Session] = {}
        self._taken = 0

    def application(self) -> web.Application:
        """Everything that can be asked for."""
        made = web.Application(middlewares=[self._gate], client_max_size=1024)
        made.on_shutdown.append(self._shut)
        made.add_routes(
            [
                web.get("/", self._page),
                web.get("/ws", self._talk),
                web.get("/static/{name}", self._file),
                web.get("/download/{key}", self._download),
            ]
        )
        return made

    @web.middleware
    async def _gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        host = request.headers.getall("Host", [])
        if not gate.is_host(host, self.port):
            return self._refusal("browser_wrong_host", url=url(self.port))
        origin = request.headers.getall("Origin", [])
        if (origin or request.path == "/ws") and not gate.is_origin(origin, host[0]):
            return self._refusal("browser_wrong_origin", url=url(self.port))
        try:
            answer = await handler(request)
        except web.HTTPException as error:
            error.headers.update(gate.headers(host[0]))
            raise
        except ConnectionError:
            return web.Response(status=400)  # nobody is there to read it
        except Exception as error:
            return web.Response(status=500, text=self._failure(error))
        if not answer.prepared:
            answer.headers.update(gate.headers(host[0]))
        return answer

    def _failure(self, error: Exception) -> str:
        reason = visible(f"{type(error).__name__}: {error}")
        text = message(self.language, "browser_failed", reason=reason)
        self.complain(text)
        return text

    def _refusal(self, key: str, **values: str) -> web.Response:
        return web.Response(status=403, text=message(self.language, key, **values) + "\n")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        if request.query_string:  # the terminal's script would read it
            raise web.HTTPSeeOther("/")
        return web.Response(text=page(self.language, request.host), content_type="text/html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        found = FILES.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        path, kind = found
        charset = "utf-8" if kind.startswith("text/") else None
        return web.Response(body=path.read_bytes(), content_type=kind, charset=charset)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        key = request.match_info["key"]
        for session in self._sessions.values():
            if key in session.downloads:
                name, content = session.downloads[key]
                attached = {"Content-Disposition": f'attachment; filename="{name}"'}
                return web.Response(body=content, headers=attached)
        raise web.HTTPNotFound

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        websocket = web.WebSocketResponse(
            timeout=_GOODBYE, heartbeat=_BEAT, max_msg_size=_MOST_MESSAGE
        )
        asked = asked_size(request.query.get("width", ""), request.query.get("height", ""))
        is_full = self._taken >= self.most
        self._taken += not is_full
        try:
            await websocket.prepare(request)
            if is_full:
                await self._tell_full(websocket, asked.columns)
            else:
                await self._run(websocket, asked)
        finally:
            self._taken -= not is_full
        return websocket

    async def _tell_full(self, websocket: web.WebSocketResponse, columns: int) -> None:
        text = message(self.language, "browser_full", most=self.most)
        await websocket.send_bytes(plain(wrap(text, max(20, columns - 4), "")))
        await websocket.close(code=WSCloseCode.TRY_AGAIN_LATER)

    async def _run(self, websocket: web.WebSocketResponse, asked: Resized) -> None:
        session = Session(self.program, websocket)
        try:
            await session.start(asked.columns, asked.rows)
        except OSError as error:
            lines = wrap(self._failure(error), max(20, asked.columns - 4), "")
            await websocket.send_bytes(plain(lines))
            await websocket.close(code=WSCloseCode.INTERNAL_ERROR)
            return
        self._sessions[websocket] = session
        try:
            await self._listen(websocket, session)
        finally:
            await session.stop()
            del self._sessions[websocket]

    async def _listen(self, websocket: web.WebSocketResponse, session: Session) -> None:
        async for received in websocket:
            packet = read_packet(received.data) if received.type is WSMsgType.TEXT else None
            match packet:
                case Typed(data):
                    await session.send_bytes(data)
                case Resized(columns, rows):
                    await session.set_terminal_size(columns, rows)
                case Focused(has_focus):
                    await (session.focus() if has_focus else session.blur())
                case Pinged(data):
                    await websocket.send_json(["pong", data])
                case None:
                    await websocket.close(code=WSCloseCode.POLICY_VIOLATION)

    async def _shut(self, application: web.Application) -> None:
        going = [self._leave(*one) for one in self._sessions.items()]
        await asyncio.gather(*going, return_exceptions=True)

    async def _leave(self, websocket: web.WebSocketResponse, session: Session) -> None:
        await session.stop()
        await websocket.close(code=WSCloseCode.GOING_AWAY)


def url(port: int) -> str:
    """Where the page is."""
    return f"http://{ADDRESS}:{port}/"


def listen(port: int) -> socket.socket:
    """A socket on this machine alone; 0 takes any free port. Raises BadCall where there is none."""
    try:
        return socket.create_server((ADDRESS, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadCall(
                said(
                    "port {port} is in use; name another with --port, "
                    "or --port 0 for any that is free",
                    port=port,
                )
            ) from None
        raise BadCall(
            said(
                "port {port} cannot be listened on: {reason}; name another with --port",
                port=port,
                reason=whole(str(error.strerror)),
            )
        ) from None


def serve(
    program: Sequence[str],
    language: str,
    most: int,
    port: int,
    ready: Callable[[str], None],
    complain: Callable[[str], None],
) -> int:
    """Serve until a signal ends it; that signal. ``ready`` hears the URL. Raises BadCall."""
    with listen(port) as opened:
        server = Server(program, language, most, opened.getsockname()[1], complain)
        return asyncio.run(_serve(server, opened, ready))


async def _serve(server: Server, opened: socket.socket, ready: Callable[[str], None]) -> int:
    told: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        _on_signal(name, told)
    application = server.application()
    runner = web.AppRunner(application, access_log=None, logger=_MUTE, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, opened).start()
        ready(url(server.port))
        return await told
    finally:
        await runner.cleanup()


def _on_signal(name: str, told: asyncio.Future[int]) -> None:
    number = getattr(signal, name, None)
    if number is None or signal.getsignal(number) is signal.SIG_IGN:  # as nohup leaves it
        return

    def end() -> None:
        if not told.done():
            told.set_result(int(number))

    with contextlib.suppress(NotImplementedError):  # where Ctrl+C is an exception
        asyncio.get_running_loop().add_signal_handler(number, end)
