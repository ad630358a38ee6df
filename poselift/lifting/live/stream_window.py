"""A stream's window: the recent frames for the pose that is due."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.lifting.prepare.gaps import MAX_GAP
from poselift.lifting.prepare.prepare_stage import Prepared
from poselift.lifting.prepare.rates import count_interleaved
from poselift.numerics.times import median_interval

FASTEST_STREAM = 60.0
"""Highest frame rate of a stream's one motion. Interleaved motions, as in a file, put the newest frame 3 mm further off
at 60 frames a second, and every second frame alone doubles the acceleration error (benchmarks/stream.md)."""

MOST_STRIDE = 8
"""Largest number of frames of which one is lifted: 8 for 480 frames a second. It bounds the memory."""


def stream_stride(times: Float[np.ndarray, " t"]) -> int:
    """Number k of frames with keypoints of which a stream lifts one."""
    return min(count_interleaved(median_interval(times), FASTEST_STREAM), MOST_STRIDE)


def choose_window_frames(
    times: Float[np.ndarray, " t"], seen: Bool[np.ndarray, " t"], time: float, most: int
) -> Int[np.ndarray, " n"]:
    """Indices of the frames for the pose at a time.

    None if nothing was seen up to then.

    Args:
        times: of the recent frames, seconds, increasing.
        seen: frames with keypoints.
        time: of the frame whose pose is due.
        most: frames with keypoints in a window. Of a fast stream every k-th counts, and the one at this time.
    """
    observed = np.flatnonzero(seen)
    here = int(np.searchsorted(times[observed], time, side="right")) - 1
    if here < 0:
        return observed[:0]
    stride = stream_stride(times[observed])
    chosen = observed[here % stride :: stride][-most:]
    due = int(np.searchsorted(times, time))
    if stream_stride(times) > 1:
        return np.union1d(chosen, [due])
    # Frames between, in which the person was not found, get interpolated keypoints as in a file.
    return np.arange(min(chosen[0], due), max(chosen[-1], due) + 1)


def cut_window(prepared: Prepared, time: float, most: int, token: int) -> tuple[Prepared, bool] | None:
    """The segment of the pose at a time, and whether another follows.

    None if the person was lost then.

    Args:
        prepared: frames of `choose_window_frames`.
        time: of the frame whose pose is due.
        most: frames in a window; a slow stream whose pose waits for many frames has more.
        token: frames in a token of the lifter. Windows of all lengths end at the same place of a token, because the
            first poses tremble otherwise.
    """
    times = prepared.keypoints.timestamps
    begun = [number for number, part in enumerate(prepared.segments) if times[part.first] <= time]
    if not begun:
        return None
    segment, more = prepared.segments[begun[-1]], begun[-1] + 1 < len(prepared.segments)
    away = time - times[segment.end - 1]
    if away > MAX_GAP or (more and away > 0):
        return None
    frames = len(segment.times)
    kept = min(frames, most)
    start = frames - kept + ((kept - most) % token if kept >= 2 * token else 0)
    start = min(start, int(np.searchsorted(segment.times, time, side="right")) - 1)
    return prepared.tail(replace(segment, motions=1), start), more
