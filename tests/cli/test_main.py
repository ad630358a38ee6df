"""What all commands of the console script share."""

import argparse
import contextlib
import functools
import http.client
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from poselift.cli import main as module
from poselift.cli import report, web
from poselift.cli.main import main
from poselift.cli.web import _Handler, _Server, serve_site
from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from tests.cli.running import poselift

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).parents[2] / "tools"
COMMANDS = {"evaluate": "evaluate", "lift_video": "lift", "train": "train"}
"""The scripts of tools/ that are commands."""


def test_a_command_that_is_terminated_leaves_no_half_of_a_file(tmp_path, monkeypatch):
    def half(options: argparse.Namespace) -> None:
        with atomic_path(tmp_path / "whole.txt") as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(report, "run", half)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stopped:
        main(["report", "run"])
    assert stopped.value.code == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_error_of_100_000_letters_is_one_line_that_ends_with_the_advice():
    for arguments in (
        ["lift", "a" * 100_000 + ".mp4"],
        ["lift", "--fov", "9" * 100_000],
        ["train", "seed=" + "a" * 100_000],
    ):
        ran = poselift(*arguments)
        assert ran.code == 2
        assert len(ran.err) < 2100, arguments[:2]
        assert ran.err.count("\n") == 1


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_modules_load_is_no_traceback(number):
    """The import raises what a library makes of an interrupt, if it gets that far."""
    ran = run_python(
        "import os\n"
        "from poselift.cli import main as module\n"
        "def load(name):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    raise ImportError('half loaded')\n"
        "module.importlib.import_module = load\n"
        "module.main(['lift'])"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + number, "", "stopped\n")


def test_ctrl_c_while_python_exits_changes_nothing():
    ran = run_python(
        "import os\n"
        "from poselift.cli.main import main\n"
        "class Late:\n"
        f"    def __del__(self, kill=os.kill, process=os.getpid()): kill(process, {int(signal.SIGINT)})\n"
        "late = Late()\n"
        "main(['--version'])"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_signal_that_the_parent_ignores_stays_ignored(monkeypatch):
    """As a shell sets it for jobs in the background."""
    monkeypatch.setattr(report, "run", lambda options: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        main(["report", "run"])
    finally:
        signal.signal(signal.SIGTERM, before)


def test_help_loads_no_command():
    ran = run_python(
        "import sys\n"
        "from poselift.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "finally:\n"
        "    assert not {'torch', 'numpy', 'rich'} & set(sys.modules)"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("script", COMMANDS)
def test_a_script_of_tools_is_the_command(script, monkeypatch):
    given = []
    monkeypatch.setattr(module, "main", given.append)
    monkeypatch.setattr("sys.argv", [f"{script}.py", "a=1", "--help"])
    runpy.run_path(str(TOOLS / f"{script}.py"), run_name="__main__")
    assert given == [[COMMANDS[script], "a=1", "--help"]]


def test_a_port_that_cannot_be_is_one_line(tmp_path):
    port = 70000
    with pytest.raises(InputError, match=f"port {port} cannot be used"):
        serve_site(tmp_path, port, opened=False)


def test_a_served_page_says_nothing_of_clients_of_nonsense(tmp_path, capfd):
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(tmp_path))) as server:
        threading.Thread(target=server.handle_request).start()
        with socket.create_connection(server.server_address, timeout=5) as client:
            client.sendall(b"GET /\0 HTTP/1.0\r\n\r\n")
            assert client.recv(100) == b"", "the end of the connection comes after the error"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("host", "status"), [("localhost:8047", 200), ("127.0.0.1", 200), ("a.example:8047", 403)])
def test_a_page_of_another_host_reads_no_video(host, status, tmp_path):
    (tmp_path / "edit.video").write_bytes(b"private")
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(tmp_path))) as server:
        threading.Thread(target=server.handle_request).start()
        client = http.client.HTTPConnection(*server.server_address, timeout=5)
        client.request("GET", "/edit.video", headers={"Host": host})
        answer = client.getresponse()
        assert (answer.status, b"private" in answer.read()) == (status, status == 200)
        client.close()


def _serve(tmp_path):
    server = _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


def test_requests_that_are_never_finished_are_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(_Handler, "timeout", 0.1)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_serve(tmp_path))
        stack.callback(server.shutdown)
        clients = [stack.enter_context(socket.create_connection(server.server_address, timeout=5)) for _ in range(3)]
        for client, half in zip(clients, (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: loc"), strict=True):
            client.sendall(half)
        assert [client.recv(100) for client in clients] == [b""] * 3


def test_more_connections_than_a_browser_opens_are_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(web, "_MOST_OPEN", 4)
    before = threading.active_count()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_serve(tmp_path))
        stack.callback(server.shutdown)
        clients = [stack.enter_context(socket.create_connection(server.server_address, timeout=5)) for _ in range(20)]
        assert clients[-1].recv(100) == b""
        assert threading.active_count() <= before + 5
        for client in clients:
            client.close()
        answer = _ask_again(server.server_address)
        assert answer.status == 200


def _ask_again(address):
    """The answer as soon as the places of others are free."""
    for _ in range(100):
        client = http.client.HTTPConnection(*address, timeout=5)
        with contextlib.suppress(http.client.HTTPException, ConnectionError):
            client.request("GET", "/", headers={"Host": "localhost"})
            return client.getresponse()
        time.sleep(0.02)
    raise AssertionError("the server answers nobody any more")


def test_a_page_of_another_site_embeds_no_file(tmp_path):
    with _serve(tmp_path) as server:
        answer = _ask_again(server.server_address)
        server.shutdown()
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize("megabytes", [300, 400, 500, 600, 850])
@pytest.mark.parametrize("command", ["lift", "train"])
def test_too_little_memory_is_one_line(command, megabytes):
    """Libraries end in tracebacks, messages of their own and segmentation faults."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} * 10**6,) * 2)\n"
        f"from poselift.cli.main import main; main(['{command}'])"
    )
    ran = run_python(code)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1), ran.stderr
    assert ran.stderr.startswith(
        f"error: there is not enough memory: this shell or batch system allows {megabytes / 1000:.2g} GB, and "
        f"poselift {command} needs at least "
    )


@pytest.mark.parametrize("command", [["view"], ["measure"], ["smooth", "--cutoff", "4"], ["export", "--to", "trc"]])
def test_the_name_of_a_folder_cannot_command_the_console(command, walk, tmp_path):
    folder = shutil.copytree(walk, tmp_path / "walk\x1b[2J")
    ran = poselift(command[0], folder, *command[1:])
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    assert "walk\\x1b[2J" in ran.out


def test_a_reader_of_the_output_that_leaves_is_no_error():
    read, write = os.pipe()
    os.close(read)
    code = "from poselift.cli.main import main; main(['weights', 'list'])"
    ran = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (128 + signal.SIGPIPE, b"")


def test_a_signal_while_hydra_composes_is_its_exit_code():
    """Hydra turns what ends it there into errors of its own. Two forks, as the imports take seconds."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    ran = run_python(
        "import os\n"
        "from poselift.cli import config, train\n"
        "from poselift.cli.main import main\n"
        "def compose(**options):\n"
        "    try:\n"
        "        os.kill(os.getpid(), number)\n"
        "        for _ in range(1000): pass\n"
        "    except BaseException:\n"
        "        raise AttributeError('no _invalidate_flags_cache') from None\n"
        "config.hydra.main = compose\n"
        f"for number in {[int(number) for number in numbers]}:\n"
        "    if not (child := os.fork()):\n"
        "        main(['train', 'experiment=first'])\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)"
    )
    codes = "".join(f"{128 + number}\n" for number in numbers)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, codes, "stopped\n" * 2)


def test_what_a_library_makes_of_the_end_is_still_the_end():
    ran = run_python(
        "import os, signal\n"
        "from poselift.cli import report\n"
        "from poselift.cli.main import main\n"
        "def run(options):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        for _ in range(1000): pass\n"
        "    except SystemExit:\n"
        "        raise IndexError('list index out of range') from None\n"
        "report.run = run\n"
        "main(['report', 'run'])"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (143, "", "stopped\n")
