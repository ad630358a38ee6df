"""A live stream over WebSocket, as JSON lines. Web pages and other programs receive it."""

import asyncio
import contextlib
import logging
import re
import threading
from typing import Any

from poselift.core.errors import InputError, reason
from poselift.core.optional import require

_log = logging.getLogger(__name__)
# Otherwise Python prints websockets' tracebacks of clients that say nonsense.
_log.addHandler(logging.NullHandler())

_WAITING = 8
"""Lines that wait for a slow client."""


class WebSocketLines:
    """A WebSocket server of a header, then lines, for every client.

    It runs in a thread of its own. A client that is too slow misses the oldest lines. Web pages from other hosts are
    refused: any page that the user visits could otherwise read the stream.

    Args:
        header: first line of every client.
        port: TCP port; 0 for a free one.
        host: address to listen on; only this computer can connect by default.

    Attributes:
        port: the port.

    Raises:
        InputError: websockets is not installed, or the host or port cannot be used.
    """

    def __init__(self, header: str, port: int, host: str = "127.0.0.1") -> None:
        require("websockets", "live")
        self._header, self._host, self.port = header, host, port
        self._clients: set[asyncio.Queue[str]] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._sockets: list[Any] = []
        self._error: OSError | UnicodeError | None = None
        self._thread = threading.Thread(target=self._run, name="websocket", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            self._thread.join()
            why = reason(self._error)
            raise InputError(f"--websocket {port}: cannot listen on {host}:{port} ({why}); choose another host or port")

    def send(self, line: str) -> None:
        """Hands a line to all clients; returns at once."""
        if self._clients:
            self._loop.call_soon_threadsafe(self._hand_out, line)

    def close(self) -> None:
        """Disconnects the clients and stops."""
        with contextlib.suppress(RuntimeError):  # it has stopped
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(2.0)

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        # Programs send no origin.
        pages = re.compile(rf"https?://(localhost|127\.0\.0\.1|\[::1\]|{re.escape(self._host)})(:\d+)?|file://")
        try:
            server = await serve(
                self._client,
                self._host,
                self.port,
                origins=[None, pages],
                compression=None,
                close_timeout=0.5,
                logger=_log,
            )
        except (OSError, UnicodeError) as error:  # it cannot be opened, or the host is no name
            self._error = error
            self._ready.set()
            return
        async with server:
            self._sockets = list(server.sockets)
            self.port = self._sockets[0].getsockname()[1]
            self._ready.set()
            await self._stop.wait()

    async def _client(self, connection: Any) -> None:
        """Feeds a client until it leaves, or vanishes."""
        from websockets.exceptions import ConnectionClosed

        lines: asyncio.Queue[str] = asyncio.Queue(_WAITING)
        self._clients.add(lines)
        feeding = asyncio.create_task(self._feed(connection, lines))
        try:
            with contextlib.suppress(ConnectionClosed):
                async for _ in connection:  # ends when the client leaves; what it says does not matter
                    pass
        finally:
            self._clients.discard(lines)
            feeding.cancel()

    async def _feed(self, connection: Any, lines: "asyncio.Queue[str]") -> None:
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            await connection.send(self._header)
            while True:
                await connection.send(await lines.get())

    def _hand_out(self, line: str) -> None:
        for lines in self._clients:
            if lines.full():
                lines.get_nowait()
            lines.put_nowait(line)
