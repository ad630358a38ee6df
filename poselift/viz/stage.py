"""The arrangement of people in the 3D scene: upright, on a common floor, close enough to be seen together.

The distance of a person is the least certain quantity of a single camera. So each person is shifted by a constant for
the whole clip, and nothing moves that does not move in the motion itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.ndimage import gaussian_filter1d

from poselift.structures import Motion
from poselift.viz.up import rotation_to_y_up

SOLE = 0.04  # metres from the lowest joint to the ground
_MAX_RISE = 1.2  # metres, largest displayed height above another person's ground
_STEP = 0.1  # seconds between the points of the middle's path
_SMOOTHING = 1.2  # seconds, standard deviation
_STILL = 1.0  # metres; a middle that moves less stays in place


@dataclass(frozen=True, eq=False)
class Stage:
    """The arrangement of a clip's motions: right-handed, Y up, metres, the ground at Y = 0.

    Attributes:
        rotation: from the frame of the motions.
        offsets: added to each motion after the rotation.
        times: of `path`, seconds.
        path: middle of the visible people, smoothed over time, for a view to follow.
        points: a sample of everyone's joints relative to `path`, for framing a view.
        shortened: whether people stood further apart than shown.
    """

    rotation: Float[np.ndarray, "3 3"]
    offsets: Float[np.ndarray, "n 3"]
    times: Float[np.ndarray, " k"]
    path: Float[np.ndarray, "k 3"]
    points: Float[np.ndarray, "p 3"]
    shortened: bool

    @classmethod
    def fit(cls, motions: Sequence[Motion]) -> "Stage":
        """The arrangement of a clip.

        People whose feet are about as low as those of the lowest person stand on the same ground. People who are
        clearly higher, for example on a roof, stay higher. People far apart move closer to the middle of the group.

        Raises:
            ValueError: the motions are not all in the same frame.
        """
        rotation = rotation_to_y_up(motions)
        bodies = [(motion.joints + motion.root[:, None]).astype(np.float64) @ rotation.T for motion in motions]
        known = [np.isfinite(body).all((1, 2)) for body in bodies]
        offsets = np.zeros((len(motions), 3))
        present = [i for i, frames in enumerate(known) if frames.any()]
        if not present:
            nothing = np.zeros((0, 3))
            return cls(rotation, offsets, np.zeros(1), np.zeros((1, 3)), nothing, shortened=False)

        floors = np.array([np.percentile(bodies[i][known[i], :, 1].min(-1), 5) for i in present])
        places = np.array([np.median(bodies[i][known[i], 0, ::2], axis=0) for i in present])
        rises = _rises(floors, places)
        shown_rises = np.minimum(rises, _MAX_RISE)
        offsets[present, 1] = shown_rises - floors + SOLE
        middle = (places.min(0) + places.max(0)) / 2
        spread = np.linalg.norm(places - middle, axis=-1).max()
        shrink = min(1.0, (1.2 + 0.2 * len(present)) / max(spread, 1e-9))
        offsets[present, ::2] = (places - middle) * (shrink - 1) - middle
        shortened = bool(shrink < 1 or (shown_rises < rises).any())

        bodies = [bodies[i][known[i]] + offsets[i] for i in present]
        timestamps = [motions[i].timestamps[known[i]] for i in present]
        times, path = _smooth_middle(timestamps, [body[:, 0] for body in bodies])
        points = [
            (body - _interpolate(times, path, seconds)[:, None])[:: max(1, len(body) // 200)].reshape(-1, 3)
            for body, seconds in zip(bodies, timestamps, strict=True)
        ]
        return cls(rotation, offsets, times, path, np.concatenate(points), shortened)

    def place(self, index: int, motion: Motion, frame: int) -> Float[np.ndarray, "j 3"]:
        """The joints of a frame in the scene; NaN if unknown.

        Args:
            index: index of the motion in the argument of `fit`.
            motion: this motion.
            frame: index of the frame.
        """
        joints = motion.joints[frame].astype(np.float64) + motion.root[frame]
        return joints @ self.rotation.T + self.offsets[index]

    def middle(self, time: float) -> Float[np.ndarray, "3"]:
        """The point on the ground to look at, at a time in seconds."""
        return _interpolate(self.times, self.path, np.array([time]))[0]


def _rises(floors: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Height of each person above the ground; 0 unless it exceeds the error of the up direction."""
    lowest = floors.argmin()
    rises = floors - floors[lowest]
    distance = np.linalg.norm(places - places[lowest], axis=-1)
    return np.where(rises > 0.35 + 0.15 * distance, rises, 0.0)


def _smooth_middle(timestamps: list[np.ndarray], roots: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the middle of the people present at each of them, on the ground."""
    first, last = min(times[0] for times in timestamps), max(times[-1] for times in timestamps)
    grid = first + _STEP * np.arange(int((last - first) / _STEP) + 2)
    low, high = np.full((len(grid), 3), np.inf), np.full((len(grid), 3), -np.inf)
    for times, root in zip(timestamps, roots, strict=True):
        there = (grid >= times[0] - _STEP) & (grid <= times[-1] + _STEP)
        place = _interpolate(times, root, grid[there])
        low[there], high[there] = np.minimum(low[there], place), np.maximum(high[there], place)
    someone = np.isfinite(low[:, 0])
    path = _interpolate(grid[someone], (low[someone] + high[someone]) / 2, grid)
    path[:, 1] = 0
    if np.ptp(path, axis=0).max() < _STILL:
        path[:] = np.median(path, axis=0)
    return grid, gaussian_filter1d(path, _SMOOTHING / _STEP, axis=0, mode="nearest")


def _interpolate(times: np.ndarray, places: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Positions (t, 3) interpolated at other times, constant beyond the ends."""
    return np.stack([np.interp(wanted, times, places[:, axis]) for axis in range(3)], axis=-1)
