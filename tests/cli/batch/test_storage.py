"""Batches of object stores, here in memory."""

import argparse
import json

import fsspec
import pytest

from poselift.cli.batch.settings import settings_of
from poselift.cli.batch.storage import file_system, local_copy, read_some, remove_file, stamp, write_file
from poselift.cli.batch.task import Lifter, Task
from poselift.cli.batch.videos import find_videos
from poselift.cli.detector import add_detector_options
from poselift.cli.lift_options import add_lift_options
from poselift.core import threads
from poselift.core.errors import InputError
from tests.cli.batch.conftest import BROKEN, GOOD


@pytest.fixture
def store(videos):
    files = fsspec.filesystem("memory")
    for name in (GOOD[0], BROKEN[1]):
        files.pipe_file(f"/in/{name}", (videos / name).read_bytes())
    yield files
    files.store.clear()


def test_videos_of_a_store_are_lifted_into_a_store(store, whole, monkeypatch):
    monkeypatch.setattr(threads, "_limit", 0)
    parser = argparse.ArgumentParser()
    add_lift_options(parser)
    add_detector_options(parser)
    given = ["--weights", "tiny", "--detector", "movenet-fast", "--no-flip"]
    options = parser.parse_args(given, argparse.Namespace(no_render=True))
    videos = find_videos("memory://in", "memory://out", options)
    assert [video.path for video in videos] == ["memory:///in/monday/walk.mp4", "memory:///in/text.mov"]
    lifter = Lifter(options, "cpu", 1)
    tasks = [Task(video, settings_of(options), "memory://out") for video in videos]
    lifted, broken = (lifter(task) for task in tasks)
    assert lifted.reason is None
    assert broken.reason.startswith("memory:///in/text.mov cannot be opened as a video")
    [local] = [path for path in whole.out.glob("walk-*") if path.name == lifted.folder]
    there = sorted(path.rpartition("/")[2] for path in store.find("/out"))
    assert there == sorted(path.name for path in local.iterdir())
    for path in local.iterdir():
        if path.suffix in (".npz", ".csv"):
            assert store.cat_file(f"/out/{lifted.folder}/{path.name}") == path.read_bytes()
    summary = json.loads(store.cat_file(f"/out/{lifted.folder}/summary.json"))
    assert (summary["path"], summary["video"]) == ("memory:///in/monday/walk.mp4", "walk.mp4")
    before = store.cat_file(f"/out/{lifted.folder}/person_1.npz")
    assert lifter(tasks[0]).reason is None
    assert store.cat_file(f"/out/{lifted.folder}/person_1.npz") == before


def test_reading_and_writing(store):
    write_file("memory://out/a.txt", b"1")
    assert read_some("memory://out", ["a.txt", "b.txt"]) == {"a.txt": b"1"}
    assert stamp(store, "/out/a.txt")["bytes"] == 1
    assert stamp(store, "/out/b.txt") is stamp(store, "/out") is None


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
        stamp(store, "/out/a.txt")
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
