"""Batches of object stores, here in memory."""

import pytest

from poselift.core.errors import InputError
from poselift.core.storage import file_system, local_copy, read_objects, read_stamp, remove_file, write_file


@pytest.mark.slow
def test_reading_and_writing(store):
    damaged = {"list": b"[1]", "text": b"\xff", "deep": b"[" * 10_000}
    for name, content in {"a.json": b'{"a": 1}', **damaged}.items():
        write_file(f"memory://out/{name}", content)
    found = read_objects("memory://out", ["a.json", "none.json", *damaged])
    assert found == {"a.json": {"a": 1}, "list": {}, "text": {}, "deep": {}}
    assert read_stamp(store, "/out/a.json")["bytes"] == 8
    assert read_stamp(store, "/out/b.txt") is read_stamp(store, "/out") is None


@pytest.mark.parametrize("location", ["nonsense://x", "abfs://x/y"])
def test_a_store_that_is_unknown_or_not_installed(location):
    with pytest.raises(InputError, match=location):
        file_system(location)


def test_an_error_of_a_store_names_the_place(store, monkeypatch):
    class ClientError(Exception):
        """As libraries of object stores have them."""

    def fail(*given, **options):
        raise ClientError("Access\nDenied")

    message = r"memory://.*/a.txt cannot be reached: Access Denied; check the address"
    for name in ("pipe_file", "rm_file", "info", "get_file"):
        monkeypatch.setattr(type(store), name, fail)
    with pytest.raises(ConnectionError, match=message):
        write_file("memory://out/a.txt", b"1")
    with pytest.raises(ConnectionError, match=message):
        remove_file("memory://out/a.txt")
    with pytest.raises(ConnectionError, match=message):
        read_stamp(store, "/out/a.txt")
    with pytest.raises(ConnectionError, match=message), local_copy("memory://out/a.txt"):
        pass


def test_a_batch_whose_results_cannot_be_stored_ends_before_it_begins(store, batch, monkeypatch):
    def fail(*given, **options):
        raise PermissionError("Access Denied")

    monkeypatch.setattr(type(store), "pipe_file", fail)
    ran = batch("memory://in", "memory://out")
    assert ran.code == 2
    assert ran.err == (
        "error: memory://out/.batch.trial cannot be reached: Access Denied; check the address, the credentials and the "
        "network\n"
    )
