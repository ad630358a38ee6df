"""Frames where the picture's side edge cuts off who comes or goes.

A detector makes up the limbs that the edge cuts off, often near the edge and with high scores. A body lifted from them
turns by up to 20 degrees. A camera that turns and zooms cuts off people more often than one that stands.
"""

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.caution import Caution
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

_CUT_OFF = 0.3
"""Least share of the joints beyond the edge of somebody who is cut off. With 0.2 to 0.5 the bodies that leave the
warped demo clip err less than without (docs/moving_camera.md)."""
_LONGEST = 1.0
"""Seconds that somebody needs to come or go at most. Who is cut off for longer stands at the edge, and stays."""
_LEAST = 3
"""Joints in sight that tell how the body moves, at least; with fewer it goes on as before."""


def without_cut_off(track: Keypoints2D, threshold: float) -> Keypoints2D:
    """The track without the frames in which the person comes or goes.

    That is where a side edge of the picture hides a third of the body, up to a second at each end of the track.

    Args:
        track: of one person, in the pictures themselves.
        threshold: least score of a keypoint that counts.
    """
    joints = track.skeleton.joints
    rows = [row for row, joint in enumerate(joints) if joint in COCO17.joints] or list(range(len(joints)))
    pixels, used = track.keypoints[:, rows].astype(np.float64), track.used(threshold)[:, rows]
    times, width = track.timestamps.astype(np.float64), track.image_size[0]
    end = _end_in_sight(pixels, used, times, width)
    # Who left does not come: what is found of this person after that may be on somebody else.
    pixels, used, times = pixels[:end][::-1], used[:end][::-1], times[end - 1] - times[:end][::-1]
    first = end - _end_in_sight(pixels, used, times, width) if end else 0
    return track[first:end] if used[: end - first].any() else track


def describe_left_out(track: Keypoints2D, kept: Keypoints2D) -> list[Caution]:
    """A warning of the frames that `without_cut_off` leaves out."""
    if len(kept) == len(track):
        return []
    seconds = float(kept.timestamps[0] - track.timestamps[0] + track.timestamps[-1] - kept.timestamps[-1])
    text = f"{seconds:.2f} s are left out, where a side edge of the picture hides a third of the body"
    return [Caution(f"person {track.person}: {text}", "missing", track.person)]


def _end_in_sight(
    pixels: Float[np.ndarray, "t j 2"], used: Bool[np.ndarray, "t j"], times: Float[np.ndarray, " t"], width: int
) -> int:
    """The first cut-off frame; the number of frames if there is none."""
    first = len(times)
    cut = _share_beyond(pixels, used, times, width) >= _CUT_OFF
    while first > 0 and cut[first - 1]:
        first -= 1
    return first if first < len(times) and times[-1] - times[first] <= _LONGEST else len(times)


def _share_beyond(
    pixels: Float[np.ndarray, "t j 2"], used: Bool[np.ndarray, "t j"], times: Float[np.ndarray, " t"], width: int
) -> Float[np.ndarray, " t"]:
    """Share of each frame's joints that are beyond a side edge.

    Each joint is expected where it was last seen, moved on with the joints in sight.
    """
    places, speed, before = np.full(pixels.shape[1:], np.nan), np.zeros(2), float(times[0])
    shares = np.zeros(len(times))
    for row, (points, seen, time) in enumerate(zip(pixels, used, times.tolist(), strict=True)):
        if not seen.any():
            shares[row] = shares[row - 1] if row else 0.0
            continue
        elapsed = time - before
        told = seen & ~_beyond(places + speed * elapsed, width) & np.isfinite(places[:, 0])
        shift = np.median((points - places)[told], axis=0) if told.sum() >= _LEAST else speed * elapsed
        places = places + shift
        out = _beyond(places, width)
        shares[row] = out.sum() / (seen | np.isfinite(places[:, 0])).sum()
        places = np.where((seen & ~out)[:, None], points, places)
        speed = shift / elapsed if elapsed > 0 else speed
        before = time
    return shares


def _beyond(places: Float[np.ndarray, "j 2"], width: int) -> Bool[np.ndarray, " j"]:
    """Places beyond a side edge; no unknown ones."""
    return (places[:, 0] < 0) | (places[:, 0] > width - 1)
