"""`poselift web`: writes or serves the page that lifts in browsers."""

import argparse
import functools
import http.server
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from poselift.cli.values import local_path
from poselift.core.errors import InputError, reason
from poselift.core.files import check_writable
from poselift.core.progress_text import show
from poselift.viz.site import HEADERS, write_site

_MOST_OPEN = 64
"""Connections at once; a browser opens six to a host."""
_SLOWEST_READER = 600.0
"""Seconds for which a browser may take nothing of an answer: players of video pause."""
_PORT = 8047
"""Port of the served page: the same each time, so that the browser keeps what it has loaded."""


def add_command(commands: Any) -> None:
    """Adds `web` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "web",
        description="The page that lifts videos in a browser, where nothing leaves the machine: as a folder for any "
        "static host, or served to this machine alone. The first time it downloads onnxruntime-web (33 MB).",
    )
    parser.add_argument(
        "folder", nargs="?", type=local_path, metavar="DIR", help="write the site here; without it, serve"
    )
    add_site_options(parser, _PORT)
    parser.set_defaults(run=run)


def add_site_options(parser: argparse.ArgumentParser, port: int) -> None:
    """Adds the options of a served site, with this default port."""
    help_text = "of the served page; 0 takes a free one (default: %(default)s)"
    parser.add_argument("--port", type=_port, default=port, help=help_text)
    parser.add_argument("--open", action="store_true", help="open the served page in the browser")
    add_runtime_options(parser)


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give 1 to 65535, or 0 for a free one")
    return int(text)


def add_runtime_options(parser: argparse.ArgumentParser) -> None:
    """Adds where onnxruntime-web comes from."""
    parser.add_argument(
        "--ort", type=local_path, metavar="FOLDER", help="the folder dist of onnxruntime-web, instead of a download"
    )
    parser.add_argument("--offline", action="store_true", help="download nothing; only look into the cache")


def run(options: argparse.Namespace) -> None:
    """Writes the site, or serves it until Ctrl-C.

    Raises:
        InputError: onnxruntime-web is missing, a file cannot be written, or the port is taken.
    """
    if options.folder is not None:
        if options.folder.is_file():
            raise InputError(f"{options.folder} is a file; give a folder")
        check_writable(options.folder.absolute().parent)
        written = write_site(options.folder, options.ort, options.offline)
        size = sum(path.stat().st_size for path in written.iterdir()) / 1e6
        show(f"{written}: {size:.0f} MB. Put it on a static host with https, or run poselift web to try it here")
        return
    with tempfile.TemporaryDirectory() as name:
        serve_site(write_site(Path(name) / "site", options.ort, options.offline), options.port, options.open)


def serve_site(folder: Path, port: int, opened: bool, query: str = "") -> None:
    """Serves a site to this machine alone, until Ctrl-C.

    Args:
        folder: the site.
        port: of the server; 0 for a free one.
        opened: whether to open it in the browser.
        query: of the address.

    Raises:
        InputError: the port is taken.
    """
    handler = functools.partial(_Handler, directory=str(folder))
    try:
        server = _Server(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:  # taken; or beyond 65535
        raise InputError(f"port {port} cannot be used ({reason(error)}); choose another one with --port") from error
    with server:
        address = f"http://localhost:{server.server_address[1]}{query}"
        show(f"{address} serves the page to this machine; stop with Ctrl-C")
        if opened:
            webbrowser.open(address)
        server.serve_forever()


class _Server(http.server.ThreadingHTTPServer):
    """A server that ignores vanishing browsers and limits connections.

    It says nothing of those that ask for nonsense; at most `_MOST_OPEN` are open.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open = threading.BoundedSemaphore(_MOST_OPEN)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers in a new thread, or closes one connection too many."""
        if self._open.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers, and gives the place of the connection back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Prints nothing."""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with headers for threads and against connections. A page of another host reads none."""

    timeout = 10.0
    """Seconds for each part of a request: a connection that asks for nothing would keep its thread for ever."""

    def send_head(self) -> Any:
        """The file, unless the request names another host.

        A page of the web can give its name this machine's address.

        Returns:
            The open file, or None after an error.
        """
        if urlsplit(f"//{self.headers.get('Host', 'localhost')}").hostname not in ("localhost", "127.0.0.1"):
            self.send_error(http.HTTPStatus.FORBIDDEN, "this page is for this machine; open it at localhost")
            return None
        self.connection.settimeout(_SLOWEST_READER)
        return super().send_head()

    def end_headers(self) -> None:
        """Adds the headers."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *arguments: object) -> None:
        """Prints nothing."""
