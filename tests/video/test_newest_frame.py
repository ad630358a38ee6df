"""The newest frame of a live source: what is dropped, when frames arrive, and what happens when a source is lost."""

import threading
import time

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import LiveCapture, source_opener
from poselift.video.source import Picture

SIZE = (8, 6)


class FakeSource:
    """Pictures of one grey level each, from a list of seconds between them."""

    def __init__(self, times, own_pace=False, size=SIZE, interval=0.0):
        self.image_size, self.own_pace = size, own_pace
        self.closed = False
        self._times, self._interval = times, interval

    def pictures(self):
        for number, seconds in enumerate(self._times):
            time.sleep(self._interval)
            yield Picture(seconds, lambda level=number: np.full((SIZE[1], SIZE[0], 3), level, np.uint8))

    def close(self):
        self.closed = True


def taken(capture, work=0.0, most=1000):
    """The frames until the end; taking one takes `work` seconds."""
    frames = []
    while not capture.ended and len(frames) < most:
        captured = capture.newest(0.2)
        if captured is not None:
            time.sleep(work)
            frames.append((captured, time.monotonic() - captured.arrived))
    return frames


def test_a_file_plays_at_its_own_pace_and_its_last_frame_is_the_end(make_video):
    name, opener = source_opener(str(make_video(frames=10, rate=25)))
    begin = time.monotonic()
    with LiveCapture(opener, name) as capture:
        frames = [captured for captured, _ in taken(capture)]
    assert time.monotonic() - begin >= 9 / 25
    assert frames[-1].frame.timestamp == pytest.approx(9 / 25)
    assert capture.seen == 10
    assert len(frames) + capture.dropped == 10
    for captured in frames:
        grey = captured.frame.image[-1, -1].mean()
        assert grey == pytest.approx(40 + 3 * captured.frame.index, abs=2), "the picture and the index belong together"


@pytest.mark.slow
def test_slow_work_drops_frames_and_the_lag_stays_bounded():
    source = FakeSource([number / 100 for number in range(100)], own_pace=True)
    with LiveCapture(lambda: source, "fake") as capture:
        frames = taken(capture, work=0.1)
    lags = [lag for _, lag in frames]
    # Without dropping, the last of 100 frames would wait for 100 times 0.1 s.
    assert max(lags) < 0.5
    assert 3 <= len(frames) <= 15
    assert capture.dropped == 100 - len(frames)
    assert [captured.dropped for captured, _ in frames] == sorted(captured.dropped for captured, _ in frames)
    assert frames[-1][0].frame.index == 99
    assert all(captured.frame.index - index == captured.dropped for index, (captured, _) in enumerate(frames))


def test_a_live_source_that_is_lost_is_opened_again_after_two_failures():
    before, after = FakeSource([0.0, 0.04]), FakeSource([7.0, 7.04], interval=0.01)
    answers = [before, InputError("gone"), InputError("gone"), after]

    def opener():
        answer = answers.pop(0) if answers else InputError("gone for good")
        if isinstance(answer, InputError):
            raise answer
        return answer

    said = []
    with LiveCapture(opener, "camera 3", said.append, waits=(0.01, 0.02)) as capture:
        while after in answers or capture.seen < 4:
            captured = capture.newest(0.05)
        times = [] if captured is None else [captured.frame.timestamp]
        while (captured := capture.newest(0.1)) is not None:
            times.append(captured.frame.timestamp)
    assert before.closed
    assert said[:2] == ["camera 3 is gone; trying to open it again", "camera 3 is back"]
    # Time goes on after the loss: neither the 7 s of the second source's clock nor 0 again.
    assert 0.04 < times[-1] < 5
    assert not capture._thread.is_alive(), "the end of the context ends the attempts"


def test_the_capture_can_end_while_a_lost_source_is_waited_for():
    sources = [FakeSource([0.0])]
    with LiveCapture(lambda: sources.pop(), "fake", waits=(60.0,)) as capture:
        taken(capture, most=1)
        begin = time.monotonic()
    assert time.monotonic() - begin < 1
    assert not capture._thread.is_alive()


def test_timestamps_increase_even_if_the_clock_of_a_live_source_is_set():
    source = FakeSource([0.0, 0.04, 100.0, 100.04, 3.0], interval=0.02)
    times = []
    with LiveCapture(lambda: source, "fake", waits=(60.0,)) as capture:
        while capture.seen < 5:
            if (captured := capture.newest(0.1)) is not None:
                times.append(captured.frame.timestamp)
    assert times == sorted(set(times))
    assert times[-1] < 2


def test_frames_are_dropped_while_nobody_takes_them_without_growing_memory():
    shown = threading.Event()

    def image():
        shown.set()
        return np.zeros((6, 8, 3), np.uint8)

    class Many(FakeSource):
        def pictures(self):
            yield from (Picture(number / 1000, image) for number in range(20_000))

    with LiveCapture(lambda: Many([]), "fake", waits=(60.0,)) as capture:
        while capture.seen < 20_000:
            time.sleep(0.01)
        assert not shown.is_set(), "a dropped frame is not converted"
        captured = capture.newest(0.1)
    assert captured.dropped == 19_999
    assert captured.frame.index == 19_999


def test_a_source_that_comes_back_in_another_size_ends_the_stream():
    sources = [FakeSource([0.0]), FakeSource([0.0], size=(10, 6))]
    with (
        LiveCapture(lambda: sources.pop(0), "fake", waits=(0.0,)) as capture,
        pytest.raises(InputError, match=r"fake came back with pictures of \(10, 6\), not \(8, 6\)"),
    ):
        taken(capture)


@pytest.mark.slow
def test_a_file_waits_for_its_first_frame():
    """The first search may take seconds; the frames of a file do not pass meanwhile."""
    source = FakeSource([number / 10 for number in range(10)], own_pace=True)
    with LiveCapture(lambda: source, "fake") as capture:
        first = capture.newest(1.0)
        time.sleep(1.0)
        assert capture.seen == 1
        rest = taken(capture)
    assert first.frame.index == 0
    assert rest[0][0].frame.index <= 5, "half a second on a busy machine"
