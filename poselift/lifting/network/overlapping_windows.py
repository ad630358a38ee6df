"""Lifts segments of any length in overlapping windows, blended without a seam."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from poselift.lifting.network.protocol import EncodedWindows, Lifted, LifterNetwork
from poselift.lifting.prepare.prepare_stage import Segment
from poselift.numerics.times import interpolate


def lift_segments(network: LifterNetwork, segments: Sequence[Segment], window: int, flip: bool) -> list[Lifted]:
    """The joints and uncertainty of the network's frames in each segment.

    Windows overlap by half, and each frame is the weighted mean over the windows that contain it. The weight falls
    linearly from the middle of a window to its ends. Of a fast clip, k interleaved motions of every k-th
    frame are lifted, interpolated to all frames and averaged. Windows of one length are lifted together, whoever's
    they are.

    Args:
        network: runs the lifter.
        segments: of one or several people.
        window: frames in a window.
        flip: average with the mirrored keypoints.

    Returns:
        Averaged uncertainties are slightly too large, because a mean of joints is better than each.
    """
    blends = [[_Blend(segment, rows, window) for rows in _interleaved_rows(segment)] for segment in segments]
    due = [(blend, start) for parts in blends for blend in parts for start in blend.starts]
    for length in sorted({blend.length for blend, _ in due}):
        same = [(blend, start) for blend, start in due if blend.length == length]
        for first in range(0, len(same), network.batch):
            chunk = same[first : first + network.batch]
            lifted = network.lift(_windows([(blend.segment, blend.window(start)) for blend, start in chunk]), flip)
            for row, (blend, start) in enumerate(chunk):
                blend.add(start, _channels(lifted, row))
    stacks = [np.stack([blend.mean() for blend in parts]) for parts in blends]
    means = [stack.mean(axis=0, dtype=np.float64).astype(np.float32) for stack in stacks]
    return [Lifted(mean[..., :3], mean[..., 3] if mean.shape[-1] == 4 else None) for mean in means]


def window_starts(frames: int, window: int, overlap: int) -> list[int]:
    """First frames of overlapping windows that cover the clip.

    The last window ends with the clip.

    Args:
        frames: in the clip.
        window: frames in a window.
        overlap: least number of frames that neighbours share.
    """
    if frames <= window:
        return [0]
    count = -(-(frames - overlap) // (window - overlap))
    return [round(k * (frames - window) / (count - 1)) for k in range(count)]


class _Blend:
    """The weighted mean of overlapping windows, of some frames of a segment.

    Args:
        segment: the segment.
        rows: the frames.
        window: frames in a window, at most.
    """

    def __init__(self, segment: Segment, rows: Int[np.ndarray, " n"], window: int) -> None:
        self.segment, self._rows = segment, rows
        self.length, self.starts = min(window, len(rows)), window_starts(len(rows), window, window // 2)
        ramp = np.arange(1, self.length + 1, dtype=np.float32)
        self._fade = np.minimum(ramp, ramp[::-1])[:, None, None]
        self._total: np.ndarray | None = None
        self._weight = np.zeros((len(rows), 1, 1), np.float32)

    def window(self, start: int) -> Int[np.ndarray, " t"]:
        """The frames of a window, from its first one on."""
        return self._rows[start : start + self.length]

    def add(self, start: int, values: Float[np.ndarray, "t j c"]) -> None:
        """Adds a window from its first frame on."""
        rows = slice(start, start + self.length)
        if self._total is None:
            self._total = np.zeros((len(self._rows), *values.shape[1:]), values.dtype)
        self._total[rows] += values * self._fade
        self._weight[rows] += self._fade

    def mean(self) -> Float[np.ndarray, "n j c"]:
        """The blended values, interpolated to all frames of the segment."""
        assert self._total is not None, "each blend has a window"
        times = self.segment.times
        return interpolate(self._total / self._weight, times[self._rows], times)


def _interleaved_rows(segment: Segment) -> list[Int[np.ndarray, " n"]]:
    """The frames of each interleaved motion. There are few empty frames, and each motion gets all of them."""
    known = np.any(segment.scores > 0, axis=-1)
    parts, number = segment.motions, np.cumsum(known) - 1
    return [np.flatnonzero(~known | (number % parts == first)) for first in range(min(parts, max(1, known.sum())))]


def _windows(cut: Sequence[tuple[Segment, Int[np.ndarray, " t"]]]) -> EncodedWindows:
    """One batch of these frames of segments."""
    lenses = [segment.camera.lens for segment, _ in cut if segment.camera.lens is not None]
    return EncodedWindows(
        np.stack([segment.pixels[rows] for segment, rows in cut]),
        np.stack([segment.scores[rows] for segment, rows in cut]),
        # From the first frame: single precision rounds times of day to milliseconds.
        np.stack([segment.times[rows] - segment.times[rows[0]] for segment, rows in cut]),
        np.stack([segment.camera.K for segment, _ in cut]),
        np.array([segment.camera.image_size for segment, _ in cut], np.float32),
        np.stack(lenses) if lenses else None,
    )


def _channels(lifted: Lifted, row: int) -> Float[np.ndarray, "t j c"]:
    """Joints of one window, and their uncertainty as a fourth channel."""
    if lifted.uncertainty is None:
        return lifted.joints[row]
    return np.concatenate((lifted.joints[row], lifted.uncertainty[row][..., None]), -1)
