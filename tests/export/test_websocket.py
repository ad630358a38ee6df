"""Lines over WebSocket, received by real clients on loopback."""

import socket
import struct
import time
from contextlib import closing

import pytest

from poselift.core import optional
from poselift.core.errors import InputError
from poselift.export.websocket import WebSocketLines

pytest.importorskip("websockets")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


@pytest.fixture
def server():
    with closing(WebSocketLines("header", 0)) as server:
        yield server


def url(server):
    return f"ws://127.0.0.1:{server.port}"


def until(condition):
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_every_client_gets_the_header_and_the_lines(server):
    server.send("nobody is there")
    with connect(url(server)) as one, connect(url(server)) as other:
        until(lambda: len(server._clients) == 2)
        for number in range(5):
            server.send(f"line {number}")
        for client in (one, other):
            got = [client.recv(timeout=5) for _ in range(6)]
            assert got == ["header", *(f"line {number}" for number in range(5))]
    until(lambda: not server._clients)


@pytest.mark.parametrize("last_words", [b"", b"\xff" * 80, b"\x81\x05hello"], ids=["none", "nonsense", "unmasked"])
def test_a_client_that_vanishes_leaves_no_traceback(server, last_words, caplog):
    with connect(url(server)) as client:
        until(lambda: server._clients)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() resets
        client.socket.sendall(last_words)
        client.socket.close()
        until(lambda: server.send("line") or not server._clients)
    assert not [record for record in caplog.records if record.exc_info]


def test_a_client_that_comes_later_gets_the_header_first(server):
    with connect(url(server)) as one:
        until(lambda: server._clients)
        server.send("early")
        assert [one.recv(timeout=5) for _ in range(2)] == ["header", "early"]
        with connect(url(server)) as other:
            until(lambda: len(server._clients) == 2)
            server.send("late")
            assert [other.recv(timeout=5) for _ in range(2)] == ["header", "late"]


def test_a_client_that_does_not_read_slows_nobody_and_fills_no_memory(server):
    line = "x" * 100_000
    with connect(url(server)) as fast, connect(url(server), max_queue=1) as slow:
        until(lambda: len(server._clients) == 2)
        fast.recv(timeout=5)
        begin = time.monotonic()
        for number in range(200):  # 20 MB, more than the sockets' buffers hold
            server.send(f"{number} {line}")
            assert fast.recv(timeout=5).startswith(f"{number} ")
        assert time.monotonic() - begin < 20
        assert all(queue.qsize() <= 8 for queue in server._clients)
        slow.close_socket()


@pytest.mark.parametrize(
    ("origin", "let_in"),
    [
        ("http://localhost:8000", True),
        ("http://localhost.example.org", False),
        ("null", False),
    ],
)
def test_pages_of_other_hosts_are_refused(server, origin, let_in):
    if let_in:
        with connect(url(server), origin=origin) as client:
            assert client.recv(timeout=5) == "header"
    else:
        with pytest.raises(InvalidStatus, match="403"):
            connect(url(server), origin=origin)


def test_only_this_computer_can_connect_by_default(server):
    assert [place.getsockname()[0] for place in server._sockets] == ["127.0.0.1"]


def test_errors(server, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"--websocket {port}: cannot listen on 127\.0\.0\.1:{port}"):
            WebSocketLines("header", port)
    with pytest.raises(InputError, match=r"cannot listen on a\.\.b:0 \(.*\); choose another host or port"):
        WebSocketLines("header", 0, "a..b")
    monkeypatch.setattr(optional.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"websockets is not installed; run: pip install 'poselift\[live\]'"):
        WebSocketLines("header", 0)
