"""JSON lines of a stream, and the thread that writes them."""

import io
import json
import os
import threading
import time

import numpy as np
import pytest

from poselift.export.json_lines import LinesFile, LineWriter, frame_line
from poselift.structures import Hands, LiveFrame, StreamedPose
from tests.core.full_disk import full_disk


def one_hand():
    """A left hand, whose joints are 0, 0.01, 0.02, ... metres to the right of its wrist."""
    joints = np.full((1, 2, 21, 3), np.nan)
    joints[0, 0] = np.arange(21)[:, None] * [0.01, 0, 0]
    return Hands(1000 * joints[..., :2], joints, np.array([[0.8765, 0.0]]))


def make_frame(index=7, people=(1, 2), looked=True, unknown=False, hands=None):
    """A frame whose people have joints at (number, 0.5, joint) metres."""
    poses = {}
    for number in people:
        joints = np.stack([np.full(3, number), np.full(3, 0.5), np.arange(3)], -1).astype(np.float32)
        root = np.array([np.nan if unknown else 0.1, 0.2, 4.0], np.float32)
        radii = np.array([0.0, 0.0123456, np.nan if unknown else 0.2], np.float32)
        keypoints = np.zeros((17, 2)), np.ones(17)
        poses[number] = StreamedPose(
            0.28, joints, root, radii, False, *keypoints, seen=np.array([True, True, False]), hands=hands
        )
    return LiveFrame(index, 0.28, 3, 0.04567, looked, tuple(people), poses, {})


def test_a_line_is_the_frame():
    line = frame_line(make_frame())
    assert "\n" not in line
    read = json.loads(line)
    people = read.pop("people")
    assert read == {"frame": 7, "time": 0.28, "dropped": 3, "latency_ms": 45.7, "looked": True, "present": [1, 2]}
    assert [person["person"] for person in people] == [1, 2]
    assert people[1] == {
        "person": 2,
        "time": 0.28,
        "interpolated": False,
        "root": [0.1, 0.2, 4.0],
        "joints": [[2.0, 0.5, 0.0], [2.0, 0.5, 1.0], [2.0, 0.5, 2.0]],
        "uncertainty": [0.0, 0.01235, 0.2],
        "seen": [True, True, False],
    }


def test_hands_are_in_a_line_where_they_are_looked_for():
    [person] = json.loads(frame_line(make_frame(people=[4], hands=one_hand())))["people"]
    assert person["hands"]["right"] is None
    left = person["hands"]["left"]
    assert left["score"] == 0.876
    assert len(left["joints"]) == 21
    assert left["joints"][20] == [0.2, 0, 0]


def test_unknown_values_are_null():
    [person] = json.loads(frame_line(make_frame(people=[4], unknown=True)))["people"]
    assert person["root"] == [None, 0.2, 4.0]
    assert person["uncertainty"] == [0.0, 0.01235, None]


class SlowFile(io.StringIO):
    """Text that is written only when its reader lets it."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def write(self, text):
        self.go.wait()
        return super().write(text)


def test_a_slow_reader_misses_the_oldest_lines_and_holds_nobody_up(tmp_path):
    file = SlowFile()
    writer = LineWriter(file)
    writer.send("first")
    time.sleep(0.05)  # the writer's thread takes it, and hangs
    begin = time.monotonic()
    for number in range(1000):
        writer.send(str(number))
    assert time.monotonic() - begin < 1
    file.go.set()
    writer.close()
    lines = file.getvalue().splitlines()
    assert lines[0] == "first"
    assert lines[1:] == [str(number) for number in range(1001 - len(lines), 1000)]
    assert writer.lost == 1001 - len(lines) > 900


def test_a_reader_that_leaves_is_noticed():
    class Closed(SlowFile):
        def write(self, text):
            raise BrokenPipeError

    writer = LineWriter(Closed())
    for _ in range(200):
        writer.send("line")
    writer.close()
    assert isinstance(writer.failed, BrokenPipeError)


@pytest.mark.parametrize("lines", [0, 100])
def test_closing_does_not_wait_for_a_reader_that_hangs(lines):
    writer = LineWriter(file := SlowFile())
    for number in range(lines):
        writer.send(str(number))
    begin = time.monotonic()
    writer.close(patience=0.1)
    assert time.monotonic() - begin < 1
    file.go.set()


def test_an_earlier_file_stays_until_the_first_frame(tmp_path):
    path = tmp_path / "poses.jsonl"
    path.write_text("an hour of work\n")
    file = LinesFile(path)
    file.write("header\n")
    file.flush()
    assert path.read_text() == "an hour of work\n"
    file.write("one\n")
    assert path.read_text() == "header\none\n"
    file.write("two\n")
    file.flush()
    assert path.read_text() == "header\none\ntwo\n", "other programs read it meanwhile"
    file.close()
    assert os.listdir(tmp_path) == ["poses.jsonl"]


@pytest.mark.parametrize(("failed", "left"), [(True, "an hour of work\n"), (False, "header\n")])
def test_a_stream_without_a_frame_leaves_its_header_unless_it_failed(failed, left, tmp_path):
    path = tmp_path / "poses.jsonl"
    path.write_text("an hour of work\n")
    file = LinesFile(path)
    file.write("header\n")
    if failed:
        file.discard()
    file.close()
    assert path.read_text() == left
    assert os.listdir(tmp_path) == ["poses.jsonl"]


def test_a_pipe_stays_a_pipe(tmp_path):
    path = tmp_path / "poses.jsonl"
    os.mkfifo(path)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(path.read_text()))
    reader.start()
    file = LinesFile(path)
    file.write("header\n")
    file.write("one\n")
    file.close()
    reader.join(10)
    assert heard == ["header\none\n"]
    assert path.is_fifo()


def test_a_full_disk_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "poses.jsonl"
    path.write_text("an hour of work\n")
    file = LinesFile(path)
    file.write("header\n")
    with full_disk(100), pytest.raises(OSError, match="File too large"):
        file.write("x" * 1000 + "\n")
    file.close()
    assert path.read_text() == "an hour of work\n"
