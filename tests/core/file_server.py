"""A server of one file, for tests of downloads."""

import contextlib
import http.server
import threading


class FileServer(http.server.ThreadingHTTPServer):
    """Gives the same content for every path; `asked` counts the requests."""

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content, self.asked = content, 0
        self.breaks_after = self.status = None
        self.url = f"http://127.0.0.1:{self.server_address[1]}/weights.bin"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        if self.server.status:
            self.send_error(self.server.status)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content[: self.server.breaks_after])

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def serve_file(content):
    """A server that runs in a thread while the block does."""
    with FileServer(content) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
