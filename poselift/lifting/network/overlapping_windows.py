"""Segments of any length are lifted in overlapping windows, which are blended without a seam."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from poselift.core.times import interpolate
from poselift.lifting.network.protocol import Lifted, Network, Windows
from poselift.lifting.prepare.prepare_stage import Segment


def lift_segments(network: Network, segments: Sequence[Segment], window: int, flip: bool) -> list[Lifted]:
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
    rows_of = [_interleaved_rows(segment) for segment in segments]
    motions = [(segment, rows) for segment, parts in zip(segments, rows_of, strict=True) for rows in parts]
    blends = [_Blend(len(rows), min(window, len(rows))) for _, rows in motions]
    due = [(k, start) for k, blend in enumerate(blends) for start in window_starts(blend.frames, window, window // 2)]
    for length in sorted({blend.length for blend in blends}):
        same = [(k, start) for k, start in due if blends[k].length == length]
        for first in range(0, len(same), network.batch):
            chunk = same[first : first + network.batch]
            cut = [(motions[k][0], motions[k][1][start : start + length]) for k, start in chunk]
            lifted = network.lift(_windows(cut), flip)
            for row, (k, start) in enumerate(chunk):
                blends[k].add(start, _channels(lifted, row))
    means = iter(blends)
    found = []
    for segment, parts in zip(segments, rows_of, strict=True):
        motion = [interpolate(next(means).mean(), segment.times[rows], segment.times) for rows in parts]
        mean = np.asarray(np.mean(motion, axis=0, dtype=np.float64), np.float32)
        found.append(Lifted(mean[..., :3], mean[..., 3] if mean.shape[-1] == 4 else None))
    return found


def window_starts(frames: int, window: int, overlap: int) -> list[int]:
    """First frames of overlapping windows that cover the clip; the last window ends with it.

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
    """The weighted mean of overlapping windows.

    Args:
        frames: of the whole.
        length: frames in a window.
    """

    def __init__(self, frames: int, length: int) -> None:
        self.frames, self.length = frames, length
        ramp = np.arange(1, length + 1, dtype=np.float32)
        self._fade = np.minimum(ramp, ramp[::-1])[:, None, None]
        self._total: np.ndarray | None = None
        self._weight = np.zeros((frames, 1, 1), np.float32)

    def add(self, start: int, values: Float[np.ndarray, "t j c"]) -> None:
        """Adds a window from its first frame on."""
        rows = slice(start, start + self.length)
        if self._total is None:
            self._total = np.zeros((self.frames, *values.shape[1:]), values.dtype)
        self._total[rows] += values * self._fade
        self._weight[rows] += self._fade

    def mean(self) -> Float[np.ndarray, "t j c"]:
        """The blended values."""
        assert self._total is not None, "each motion has a window"
        return self._total / self._weight


def _interleaved_rows(segment: Segment) -> list[Int[np.ndarray, " n"]]:
    """The frames of each interleaved motion. There are few empty frames, and each motion gets all of them."""
    known = np.any(segment.scores > 0, axis=-1)
    parts, number = segment.motions, np.cumsum(known) - 1
    return [np.flatnonzero(~known | (number % parts == first)) for first in range(min(parts, max(1, known.sum())))]


def _windows(cut: Sequence[tuple[Segment, Int[np.ndarray, " t"]]]) -> Windows:
    """One batch of these frames of segments."""
    lenses = [segment.camera.distortion for segment, _ in cut if segment.camera.distortion is not None]
    return Windows(
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
