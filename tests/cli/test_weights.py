import http.server
import threading

import pytest

from poselift.cli import weights as module
from poselift.cli.main import main
from poselift.core import registry as registry_module
from poselift.core.files import sha256
from poselift.core.registry import Published, registry
from poselift.models.saved_weights import shipped_weights


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def known(cache, tmp_path, monkeypatch):
    """Makes up a registry: one shipped file, and one on a server whose requests are listed."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path / "server"))

        def log_message(self, *arguments):
            asked.append(self.path)

    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "far-12345678.bin").write_bytes(b"far away")
    (tmp_path / "near.bin").write_bytes(b"near")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/far-12345678.bin"
        near, far = sha256(tmp_path / "near.bin"), sha256(tmp_path / "server" / "far-12345678.bin")
        entries = {
            "near": Published("near", "what is near", "MIT", near, 4, shipped=tmp_path / "near.bin"),
            "far": Published("far", "what is far", "BSD", far[:8], urls=(url,)),
        }
        for place in (module, registry_module):
            monkeypatch.setattr(place, "registry", lambda: entries)
        yield asked
        server.shutdown()
        thread.join()


def run(capsys, *arguments):
    """Exit code, what was printed, and the error."""
    code = 0
    try:
        main(["weights", *arguments])
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    return code, out, err


def test_all_weights_are_listed(cache, capsys):
    code, out, _ = run(capsys, "list")
    lines = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines[:-1]] == list(registry())
    assert lines[-1] == f"Cache: {cache}"
    assert "shipped" in lines[0]
    assert f"{shipped_weights()['small'].stat().st_size / 1e6:.1f} MB" in lines[0]
    assert "to fetch" in lines[-2]


def test_get_fetches_and_prints_the_path(known, cache, capsys):
    assert "to fetch" in run(capsys, "list")[1]
    assert run(capsys, "get", "near", "far")[:2] == (0, f"{cache.parent / 'near.bin'}\n{cache / 'far-12345678.bin'}\n")
    assert (cache / "far-12345678.bin").read_bytes() == b"far away"
    assert run(capsys, "get", "--offline", "far")[0] == 0
    assert len(known) == 1
    assert "in the cache" in run(capsys, "list")[1]


def test_check_removes_a_damaged_file_from_the_cache_alone(known, cache, capsys):
    run(capsys, "get", "far")
    (cache / "far-12345678.bin").write_bytes(b"x")
    (cache.parent / "near.bin").write_bytes(b"x")
    code, out, err = run(capsys, "check")
    assert code == 2
    assert err == "error: damaged: near, far\n"
    assert "removed; run: poselift weights get far" in out
    assert "reinstall" in out
    assert not (cache / "far-12345678.bin").exists()
    assert (cache.parent / "near.bin").exists()
    (cache.parent / "near.bin").unlink()
    assert "near: file not found; reinstall poselift" in run(capsys, "check")[2]


def test_names_that_are_unknown_or_not_here(known, capsys):
    assert "no weights are called 'fat'; did you mean 'far'?" in run(capsys, "get", "fat")[2]
    code, _, err = run(capsys, "check", "far")
    assert code == 2
    assert "far: file not found; run: poselift weights get far" in err
