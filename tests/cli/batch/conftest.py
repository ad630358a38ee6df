"""Short videos, good and broken, and the files that a batch makes of them."""

import hashlib
import json
from types import SimpleNamespace

import fsspec
import pyarrow.parquet as pq
import pytest

from poselift.cli.batch.local_workers import LocalEngine
from poselift.cli.batch.video_task import VideoLifter
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter
from tests.cli.running import poselift

QUICK = ["--weights", "tiny", "--detector", "movenet-fast", "--no-flip", "--quiet"]
GOOD, BROKEN = ("monday/walk.mp4", "tuesday/walk.mp4", "=SUM(1).mp4"), ("=cut.mp4", "text.mov", "zero.mkv")


@pytest.fixture(scope="session")
def videos(tmp_path_factory):
    """A folder with three short videos, two of one name, and three broken ones."""
    folder = tmp_path_factory.mktemp("videos")
    frames = [(frame.image[::2, ::2].copy(), frame.timestamp) for frame in VideoReader(demo_video(), 1.5, 2.0)]
    for number, name in enumerate(GOOD):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        with VideoWriter(path, 480, 270) as writer:
            for image, timestamp in frames[number:]:
                writer.write(image, timestamp - frames[number][1])
    content = (folder / GOOD[0]).read_bytes()
    for name, part in zip(BROKEN, (content[: len(content) // 2], b"not a video", b""), strict=True):
        (folder / name).write_bytes(part)
    return folder


@pytest.fixture(scope="session")
def batch():
    """Runs `poselift batch`, quickly."""
    return lambda source, out, *options: poselift("batch", source, "--out", out, "--workers", 1, *QUICK, *options)


class OneProcess(LocalEngine):
    """Lifts in this process, because a worker takes seconds to import what it needs."""

    def __init__(self, request, devices, cores, timeout):
        super().__init__(request, devices, cores, timeout)
        self._models = (request, devices[0], cores)

    def lift(self, tasks):
        return map(VideoLifter(*self._models), tasks)


@pytest.fixture
def one_process(monkeypatch):
    """Batches start no workers; tests of `whole` and test_local_workers.py see to those."""
    monkeypatch.setattr("poselift.core.threads._limit", None)  # put back at the end: a worker sets it for good
    monkeypatch.setattr("poselift.cli.batch.batch_command.LocalEngine", OneProcess)


@pytest.fixture
def store(videos):
    """Two of them in a store in memory."""
    files = fsspec.filesystem("memory")
    for name in (GOOD[0], BROKEN[1]):
        files.pipe_file(f"/in/{name}", (videos / name).read_bytes())
    yield files
    files.store.clear()


@pytest.fixture(scope="session")
def whole(videos, batch, tmp_path_factory):
    """What an undisturbed batch gives: how it ended, its folder, and its `contents`."""
    out = tmp_path_factory.mktemp("whole") / "out"
    ran = batch(videos, out, "--workers", 2)
    return SimpleNamespace(ran=ran, out=out, contents=contents(out))


def contents(out):
    """The SHA-256 of all files by name, of JSON without times and places; no hidden file but those of failures."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_dir():
            continue
        content = path.read_bytes()
        if path.suffix == ".json":
            value = json.loads(content)
            for key in ("seconds", "stamp", "path"):
                value.pop(key, None)
            content = json.dumps(value).encode()
        if name == "clips.parquet":
            content = repr(pq.read_table(path).drop(["seconds"]).to_pylist()).encode()
        found[name] = hashlib.sha256(content).hexdigest()
    return found
