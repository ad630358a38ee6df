"""`poselift stream`, from the source to the lines."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from poselift.cli import stream as stream_command
from poselift.cli.stream import list_exchanged
from poselift.samples import demo_video
from poselift.skeleton import get_skeleton
from poselift.skeleton.hand import HAND21
from poselift.video import VideoReader, VideoWriter
from tests.cli.running import poselift
from tests.core.full_disk import full_disk

pytestmark = pytest.mark.slow

FAST = ("--detector", "movenet-fast", "--weights", "tiny", "--device", "cpu")


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """The demo clip's third second, in which somebody walks, at half speed: the machine may be busy."""
    path = tmp_path_factory.mktemp("stream") / "second.mp4"
    reader = VideoReader(demo_video(), start=2.0, end=3.0)
    with VideoWriter(path, reader.info.width, reader.info.height) as writer:
        for frame in reader:
            writer.write(frame.image, 2 * (frame.timestamp - 2.0))
    return path


def lines(text):
    header, *frames = [json.loads(line) for line in text.splitlines()]
    return header, frames


def test_a_second_of_the_demo_clip(second):
    ran = poselift("stream", second, "--no-window", *FAST)
    assert ran.code == 0
    header, frames = lines(ran.out)
    assert header["format"] == "poselift stream 1"
    assert header["source"] == "second.mp4"
    assert header["image_size"] == [960, 540]
    assert tuple(header["joints"]) == get_skeleton(header["skeleton"]).joints
    assert frames[-1]["frame"] == 29, "the newest frame is always processed, so the last one too"
    times = [frame["time"] for frame in frames]
    assert times == sorted(set(times))
    for position, frame in enumerate(frames):
        assert frame["time"] == pytest.approx(frame["frame"] / 15, abs=0.01)
        assert frame["frame"] == position + frame["dropped"]
        assert frame["latency_ms"] > 0
        assert frame["looked"] or not frame["people"]
        assert {person["person"] for person in frame["people"]} <= set(frame["present"])
    assert frames[0]["looked"]
    seen = [person for frame in frames for person in frame["people"]]
    assert seen
    for person in seen:
        assert person["person"] >= 1
        assert len(person["joints"]) == len(person["uncertainty"]) == len(header["joints"])
        assert person["joints"][0] == [0, 0, 0]
        assert 2 < person["root"][2] < 30
    heads, ankles = (header["joints"].index(name) for name in ("head_top", "left_ankle"))
    assert all(person["joints"][heads][1] < person["joints"][ankles][1] for person in seen), "y is down"
    start, summary = ran.err.splitlines()
    assert start == f"{second}, 960 x 540 pixels; Ctrl-C ends"
    assert summary.startswith(f"30 frames: {len(frames)} processed, {30 - len(frames)} dropped; latency ")


def test_exchanged_sides_are_told_once_while_it_streams(second, monkeypatch):
    """What is exchanged is tested with `StreamingPeople`."""

    def find(recent, *_):
        rarer = np.arange(len(recent)) % 2 == 0
        return rarer, np.zeros(len(recent), int)

    threads = set()

    def note(people):
        threads.add(threading.current_thread().name)
        return list_exchanged(people)

    monkeypatch.setattr("poselift.lifting.live.sides_so_far.follow_sides", find)
    monkeypatch.setattr("poselift.cli.stream.list_exchanged", note)
    ran = poselift("stream", second, "--no-window", "--fov", "120", *FAST)
    for words in ("left and right of person 1", "warning: a field of view of 120 degrees"):
        assert len([line for line in ran.err.splitlines() if words in line]) == 1
    assert threads == {"processing_0"}, "sets that grow there cannot be gone through here"


def test_world(tmp_path):
    path = tmp_path / "poses.jsonl"
    ran = poselift("stream", demo_video(), "--no-window", "--out", path, "--world", *FAST)
    assert ran.code == 0
    header, frames = lines(path.read_text())
    assert header["frame"] == "world"
    assert not any(frame["people"] for frame in frames if frame["time"] < 2.9)
    seen = [person for frame in frames for person in frame["people"]]
    assert seen
    head, ankle = (header["joints"].index(name) for name in ("head_top", "left_ankle"))
    for person in seen:
        assert person["joints"][head][1] > person["joints"][ankle][1], "y is up"
        assert -0.5 < person["root"][1] + person["joints"][ankle][1] < 1


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def running():
    """Starts the command in a process of its own, and ends it."""
    processes = []

    def start(*arguments):
        script = "from poselift.cli.main import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-c", script, "stream", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_with_a_summary(tmp_path):
    path, ended = tmp_path / "poses.jsonl", threading.Event()

    def interrupt():
        while not (path.exists() and path.read_text().count("\n") >= 3) and not ended.wait(0.01):
            pass
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    ran = poselift("stream", demo_video(), "--no-window", "--out", path, *FAST)
    ended.set()
    thread.join(30)
    assert ran.code == 130
    assert "processed" in ran.err.splitlines()[-2]
    assert ran.err.splitlines()[-1] == "stopped"
    _, frames = lines(path.read_text())
    assert frames[-1]["time"] < 3.5, "the clip was not at its end"


def test_ctrl_c_before_the_first_frame_leaves_an_earlier_file(second, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(stream_command, "_stream", interrupt)
    path = tmp_path / "poses.jsonl"
    path.write_text("an hour of work\n")
    assert poselift("stream", second, "--no-window", "--out", path, *FAST).code == 130
    assert path.read_text() == "an hour of work\n"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_a_full_disk_is_told_with_the_file(second, tmp_path):
    with full_disk(2000):
        ran = poselift("stream", second, "--no-window", "--out", tmp_path / "poses.jsonl", *FAST)
    assert (ran.code, f"error: cannot write {tmp_path / 'poses.jsonl'}: File too large; free" in ran.err) == (2, True)


def test_a_reader_that_leaves_ends_the_stream(running):
    process = running(demo_video(), "--no-window", *FAST)
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=30) == 0
    assert "processed" in err.splitlines()[-1]
    assert "BrokenPipe" not in err


def test_osc_and_websocket_clients_get_the_frames(second, tmp_path):
    osc_server = pytest.importorskip("pythonosc.osc_server")
    client = pytest.importorskip("websockets.sync.client")
    from pythonosc.dispatcher import Dispatcher

    got: list[tuple] = []
    dispatcher = Dispatcher()
    dispatcher.set_default_handler(lambda address, *arguments: got.append((address, arguments)))
    heard: list[str] = []
    port = free_port()
    with osc_server.BlockingOSCUDPServer(("127.0.0.1", 0), dispatcher) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def listen():
            for _ in range(2000):
                try:
                    connection = client.connect(f"ws://127.0.0.1:{port}")
                    break
                except OSError:
                    time.sleep(0.01)
            with connection:
                heard.extend(connection)

        listener = threading.Thread(target=listen)
        listener.start()
        path = tmp_path / "poses.jsonl"
        osc = f"127.0.0.1:{server.server_address[1]}"
        ran = poselift("stream", second, "--no-window", "--out", path, "--osc", osc, "--websocket", port, *FAST)
        listener.join(10)
        server.shutdown()
    assert ran.code == 0, ran.err
    written = path.read_text().splitlines()
    assert heard[0] == written[0]
    assert len(heard) > 1
    assert set(heard[1:]) <= set(written[1:])
    frames = [arguments[0] for address, arguments in got if address == "/poselift/frame"]
    assert frames == [frame["frame"] for frame in map(json.loads, written[1:]) if frame["looked"]]
    assert any(address == "/poselift/1/head_top" for address, _ in got)


def test_hands_are_in_the_lines(second):
    ran = poselift("stream", second, "--no-window", "--hands", *FAST)
    assert ran.code == 0, ran.err
    header, frames = lines(ran.out)
    assert header["hand_joints"] == list(HAND21.joints)
    people = [person for frame in frames for person in frame["people"]]
    assert people
    assert all(set(person["hands"]) == {"left", "right"} for person in people)
