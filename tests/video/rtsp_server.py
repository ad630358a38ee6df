"""A server of one RTSP stream, as cameras have it: RFC 2326 with RTP in the same connection, MPEG-TS as RFC 2250."""

import contextlib
import socketserver
import struct
import threading
import time
from collections.abc import Iterator

_PACKET = 7 * 188
"""Bytes of an RTP packet: seven packets of MPEG-TS."""


@contextlib.contextmanager
def rtsp_served(content: bytes, seconds: float) -> Iterator[str]:
    """The URL of a transport stream, which the server sends once to each client.

    Args:
        content: MPEG-TS.
        seconds: that it takes, and the length that the server tells.
    """
    sdp = f"v=0\r\ns=live\r\na=range:npt=0-{seconds}\r\nm=video 0 RTP/AVP 33\r\na=control:track\r\n"

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):
                while line := self.rfile.readline().decode():
                    headers = {}
                    while header := self.rfile.readline().decode().strip():
                        name, _, value = header.partition(": ")
                        headers[name] = value
                    method = line.split()[0]
                    self.answer(method, headers)
                    if method == "PLAY":
                        self.send()
                        return

        def answer(self, method: str, headers: dict[str, str]) -> None:
            lines = ["RTSP/1.0 200 OK", f"CSeq: {headers['CSeq']}", "Session: 1"]
            body = sdp if method == "DESCRIBE" else ""
            if method == "OPTIONS":
                lines.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY")
            if method == "SETUP":
                lines.append(f"Transport: {headers['Transport']}")
            if body:
                lines += ["Content-Type: application/sdp", f"Content-Length: {len(body)}"]
            self.wfile.write("\r\n".join([*lines, "", body]).encode())

        def send(self) -> None:
            starts = range(0, len(content), _PACKET)
            for number, start in enumerate(starts):
                ticks = int(90_000 * seconds * number / len(starts))
                rtp = struct.pack("!BBHII", 0x80, 33, number, ticks, 1) + content[start : start + _PACKET]
                self.wfile.write(struct.pack("!BBH", 0x24, 0, len(rtp)) + rtp)
                time.sleep(seconds / len(starts))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield f"rtsp://127.0.0.1:{server.server_address[1]}/live"
        server.shutdown()
