import hashlib
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from poselift.core import download
from poselift.core.download import cache_folder, fetch, quiet_downloads
from poselift.core.errors import InputError, WriteError
from tests.core.file_server import serve_file
from tests.core.full_disk import full_disk

CONTENT = bytes(range(256)) * 12_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
DEAD = "http://127.0.0.1:9/weights.bin"


@pytest.fixture
def server():
    with serve_file(CONTENT) as running:
        yield running


second = server
"""Another server."""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def names(folder):
    return sorted(path.name for path in folder.glob("*")) if folder.is_dir() else []


def test_a_file_is_fetched_once(server, cache):
    for _ in range(2):
        assert fetch("weights.bin", [server.url], SHA256) == cache / "weights.bin"
    assert (cache / "weights.bin").read_bytes() == CONTENT
    assert names(cache) == ["weights.bin"]
    assert server.asked == 1


def test_another_file_is_refused_and_removed(server, cache):
    server.content = b"<html>moved</html>"
    with pytest.raises(InputError, match=f"{hashlib.sha256(server.content).hexdigest()}, but {SHA256} was expected"):
        fetch("weights.bin", [server.url], SHA256)
    assert names(cache) == []


def test_a_damaged_file_in_the_cache_is_replaced(server, cache):
    cache.mkdir()
    (cache / "weights.bin").write_bytes(CONTENT[:-1] + b"x")
    assert fetch("weights.bin", [server.url], SHA256).read_bytes() == CONTENT


@pytest.mark.parametrize("trouble", ["dead", 404, "another file", "file:///etc/hostname"])
def test_the_next_server_is_asked(trouble, server, second):
    server.status = 404
    if trouble == "another file":
        server.status, server.content = None, b"x"
    bad = {"dead": DEAD, "file:///etc/hostname": "file:///etc/hostname"}.get(trouble, server.url)
    assert fetch("weights.bin", [bad, second.url], SHA256).read_bytes() == CONTENT
    assert second.asked == 1


def test_when_all_are_dead_the_message_says_what_to_do(server, cache):
    server.status = 503
    with pytest.raises(InputError) as refused:
        fetch("weights.bin", [DEAD, server.url], SHA256)
    for part in (DEAD, "refused", server.url, "503", f"put it (SHA-256 {SHA256}) into {cache} by hand"):
        assert part in str(refused.value)
    cache.mkdir(exist_ok=True)
    (cache / "weights.bin").write_bytes(CONTENT)
    assert fetch("weights.bin", [DEAD], SHA256, offline=True) == cache / "weights.bin"


def test_a_server_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(download, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(InputError, match="timed out"):
        fetch("weights.bin", [f"http://127.0.0.1:{silent.getsockname()[1]}/weights.bin"], SHA256)


def test_offline_nothing_is_fetched(server, cache):
    with pytest.raises(
        InputError, match=rf"weights.bin is not in the cache.*put it \(its SHA-256 begins with {SHA256[:8]}"
    ):
        fetch("weights.bin", [server.url], SHA256[:8], offline=True)
    cache.mkdir()
    (cache / "weights.bin").write_bytes(b"damaged")
    with pytest.raises(InputError, match="was damaged and is removed"):
        fetch("weights.bin", [server.url], SHA256, offline=True)
    assert names(cache) == []
    assert server.asked == 0


def test_a_lost_connection_is_told_and_the_next_server_asked(server, second, cache):
    server.breaks_after = 1_000_000
    with pytest.raises(InputError, match="lost after 1000000 of 3072000 bytes"):
        fetch("weights.bin", [server.url], SHA256)
    assert names(cache) == []
    assert fetch("weights.bin", [server.url, second.url], SHA256).read_bytes() == CONTENT
    assert names(cache) == ["weights.bin"]


def test_two_at_once_do_not_disturb_each_other(server, cache):
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(fetch, "weights.bin", [server.url], SHA256) for _ in range(4)]
        assert {call.result().read_bytes() for call in calls} == {CONTENT}
    assert server.asked == 1


def test_a_full_disk_says_so(server, cache):
    with full_disk(4096), pytest.raises(WriteError, match=r"weights\.bin: File too large.*POSELIFT_CACHE"):
        fetch("weights.bin", [server.url], SHA256)
    assert names(cache) == []


def test_a_folder_that_cannot_be_written_says_so(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match=r"Not a directory.*POSELIFT_CACHE"):
        fetch("weights.bin", [server.url], SHA256)
    assert server.asked == 0


def test_a_terminal_sees_how_far_it_is_and_others_see_nothing(server, cache, monkeypatch, capfd):
    fetch("weights.bin", [server.url], SHA256)
    assert capfd.readouterr() == ("", "")
    (cache / "weights.bin").unlink()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    fetch("weights.bin", [server.url], SHA256)
    out, err = capfd.readouterr()
    assert out == ""
    assert "weights.bin" in err
    assert "/3.07M [00:00<" in err
    (cache / "weights.bin").unlink()
    with quiet_downloads():
        fetch("weights.bin", [server.url], SHA256)
    assert capfd.readouterr() == ("", "")


def test_where_the_cache_is(tmp_path, monkeypatch):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("POSELIFT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "poselift"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for system, folder in (("linux", ".cache/poselift"), ("darwin", "Library/Caches/poselift")):
        monkeypatch.setattr(download.sys, "platform", system)
        assert cache_folder() == tmp_path / folder
    monkeypatch.setattr(download.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "poselift" / "Cache"
