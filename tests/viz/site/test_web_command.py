import socket
import subprocess
import sys
import urllib.request

import pytest

from poselift.cli.main import main


def test_it_writes_a_folder(tmp_path, runtime, capsys):
    main(["web", str(tmp_path / "site"), "--ort", str(runtime)])
    assert (tmp_path / "site" / "index.html").is_file()
    assert "Put it on a static host" in capsys.readouterr().out


@pytest.mark.slow
def test_it_serves_this_machine_with_the_headers_that_give_threads(runtime):
    start = "from poselift.cli.main import main; main()"
    command = [sys.executable, "-c", start, "web", "--ort", str(runtime), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
            assert b"<title>poselift</title>" in answer.read()
        process.terminate()
    assert process.returncode == 143


def test_a_port_that_is_taken_is_an_error(runtime, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(SystemExit):
            main(["web", "--ort", str(runtime), "--port", str(other.getsockname()[1])])
    assert "cannot be used (Address already in use); choose another one with --port" in capsys.readouterr().err
