import hashlib

import pytest

from poselift.cli import weights as module
from poselift.core import registry as registry_module
from poselift.core.registry import RegistryEntry, registry
from poselift.models.saved_weights import shipped_weights
from tests.cli.running import assert_refused, poselift
from tests.core.file_server import serve_file


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def known(cache, tmp_path, monkeypatch):
    """Makes up a registry: one shipped file, and one on the server that comes."""
    (tmp_path / "near.bin").write_bytes(b"near")
    near, far = (hashlib.sha256(content).hexdigest() for content in (b"near", b"far away"))
    with serve_file(b"far away") as server:
        entries = {
            "near": RegistryEntry("near", "what is near", "MIT", near, 4, shipped=tmp_path / "near.bin"),
            "far": RegistryEntry("far", "what is far", "BSD", far[:8], urls=(server.url,)),
        }
        for place in (module, registry_module):
            monkeypatch.setattr(place, "registry", lambda: entries)
        yield server


def test_all_weights_are_listed(cache):
    lines = poselift("weights", "list").out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list(registry())
    assert lines[-1] == f"Cache: {cache}"
    assert "shipped" in lines[0]
    assert f"{shipped_weights()['small'].stat().st_size / 1e6:.1f} MB" in lines[0]
    assert "to fetch" in lines[-2]


def test_get_fetches_and_prints_the_path(known, cache):
    assert "to fetch" in poselift("weights", "list").out
    ran = poselift("weights", "get", "near", "far")
    assert ran.out == f"{cache.parent / 'near.bin'}\n{cache / 'weights.bin'}\n", ran.err
    assert (cache / "weights.bin").read_bytes() == b"far away"
    assert poselift("weights", "get", "--offline", "far").code == 0
    assert known.asked == 1
    assert "in the cache" in poselift("weights", "list").out


def test_check_removes_a_damaged_file_from_the_cache_alone(known, cache):
    poselift("weights", "get", "far")
    (cache / "weights.bin").write_bytes(b"x")
    (cache.parent / "near.bin").write_bytes(b"x")
    ran = poselift("weights", "check")
    assert (ran.code, ran.err) == (2, "error: damaged: near, far\n")
    assert "removed; run: poselift weights get far" in ran.out
    assert "reinstall" in ran.out
    assert not (cache / "weights.bin").exists()
    (cache.parent / "near.bin").unlink()
    assert_refused("near: file not found; reinstall poselift", "weights", "check")


@pytest.mark.usefixtures("known")
def test_names_that_are_unknown_or_not_here():
    assert_refused("no weights are called 'fat'; did you mean 'far'?", "weights", "get", "fat")
    assert_refused("far: file not found; run: poselift weights get far", "weights", "check", "far")
