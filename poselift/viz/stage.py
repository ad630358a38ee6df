"""People's arrangement in 3D: upright, on a floor, close together.

Close enough to be seen together. The distance of a person is the least certain quantity of a single camera. So each
person is shifted by a constant for the whole clip, and nothing moves that does not move in the motion itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.kinematics.up import rotation_to_y_up
from poselift.numerics.sliding import slide_maximum, slide_median, smooth_gaussian
from poselift.numerics.times import interpolate
from poselift.structures import Motion
from poselift.viz.body_parts import parts_of
from poselift.viz.shot import Framing

_MIN_RISE = 0.35  # metres; people less than this above the lowest one stand on the same ground
_SLOPE = 0.15  # added to it for each metre between the two, as the error of up grows with it
_MAX_RISE = 0.7  # metres, largest displayed height above another person's ground
_DEPTH = 2.5  # metres; people further apart in depth than this, and the next for each person, are shown closer
_DEPTH_OF_ONE = 0.4
_WIDTH = 8.0  # likewise across the picture, where places are better known
_WIDTH_OF_ONE = 1.0
_STEP = 0.1  # seconds between the shots
_HOLD = 10  # shots before and after each one that have room for everything in it
_SMOOTHING = 0.6  # seconds, standard deviation
_STILL = 0.9  # metres; a view that shows everything stays in place if it is at most so much larger than usual
_CROWD = 3
"""People at once."""
_EMPTY = np.array([[-1.0, 0, -1], [1, 1.8, 1]])


@dataclass(frozen=True, eq=False)
class Stage:
    """The arrangement of a clip's motions: Y up, ground at 0.

    Right-handed, metres.

    Attributes:
        rotation: from the frame of the motions.
        offsets: added to each motion after the rotation.
        floors: height of the ground below each person.
        start: of the first motion, seconds.
        boxes: least and greatest x, y and z in view, every `_STEP` seconds.
        crowded: whether many people are there at once.
        shortened: whether people stood further apart than shown.
    """

    rotation: Float[np.ndarray, "3 3"]
    offsets: Float[np.ndarray, "n 3"]
    floors: Float[np.ndarray, " n"]
    start: float
    boxes: Float[np.ndarray, "k 2 3"]
    crowded: bool
    shortened: bool

    @classmethod
    def fit(cls, motions: Sequence[Motion]) -> "Stage":
        """The arrangement of a clip.

        People whose feet are about as low as those of the lowest person stand on the same ground. People who are
        clearly higher, for example on a roof, stay higher. People keep their places beside each other; only those very
        far apart, above all in depth, move closer to the middle of the group.

        Raises:
            ValueError: the motions are not all in the same frame.
        """
        rotation = rotation_to_y_up(motions)
        bodies = [(motion.joints + motion.root[:, None]).astype(np.float64) @ rotation.T for motion in motions]
        known = [motion.posed for motion in motions]
        offsets = np.zeros((len(motions), 3))
        present = [i for i, frames in enumerate(known) if frames.any()]
        heights = np.zeros(len(motions))
        if not present:
            return cls(rotation, offsets, heights, 0.0, _EMPTY[None], crowded=False, shortened=False)

        floors = np.array([np.percentile(bodies[i][known[i], :, 1].min(-1), 5) for i in present])
        places = np.array([np.median(bodies[i][known[i], 0, ::2], axis=0) for i in present])
        rises = _measure_rises(floors, places)
        heights[present] = np.minimum(rises, _MAX_RISE)
        soles = [parts_of(motions[i].skeleton).sole for i in present]
        offsets[present, 1] = heights[present] - floors + soles
        middle = (places.min(0) + places.max(0)) / 2
        most = np.array([_WIDTH + _WIDTH_OF_ONE * len(present), _DEPTH + _DEPTH_OF_ONE * len(present)])
        shrink = np.minimum(1.0, most / np.maximum(np.ptp(places, axis=0), 1e-9))
        offsets[present, ::2] = (places - middle) * (shrink - 1) - middle
        shortened = bool((shrink < 1).any() or (heights[present] < rises).any())

        timestamps = [motions[i].timestamps[known[i]] for i in present]
        start, boxes, most_at_once = _boxes(timestamps, [bodies[i][known[i]] + offsets[i] for i in present])
        return cls(rotation, offsets, heights, start, boxes, crowded=most_at_once >= _CROWD, shortened=shortened)

    def place(self, index: int, points: Float[np.ndarray, "j 3"]) -> Float[np.ndarray, "j 3"]:
        """The points of a person in the scene; NaN if unknown.

        Args:
            index: index of the motion in the argument of `fit`.
            points: in the frame of the motions, metres.
        """
        return points.astype(np.float64) @ self.rotation.T + self.offsets[index]

    @property
    def typical(self) -> list[Framing]:
        """Some shots of the whole clip."""
        return [Framing(*box) for box in self.boxes[:: max(1, len(self.boxes) // 20)]]

    def shot(self, time: float) -> Framing:
        """What must be in view at a time in seconds."""
        times = self.start + _STEP * np.arange(len(self.boxes))
        return Framing(*interpolate(self.boxes, times, np.array([time]))[0])


def _measure_rises(floors: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Each person's height above the ground, if beyond doubt. 0 unless it exceeds the error of the up direction."""
    lowest = floors.argmin()
    rises = floors - floors[lowest]
    distance = np.linalg.norm(places - places[lowest], axis=-1)
    return np.where(rises > _MIN_RISE + _SLOPE * distance, rises, 0.0)


def _boxes(timestamps: list[np.ndarray], bodies: list[np.ndarray]) -> tuple[float, np.ndarray, int]:
    """Times, people's boxes (k, 2, 3), and the largest group.

    Each time is the first of its boxes; the group is the most people at once.
    """
    first, last = min(times[0] for times in timestamps), max(times[-1] for times in timestamps)
    grid = first + _STEP * np.arange(int((last - first) / _STEP) + 2)
    low, high = np.full((len(grid), 3), np.inf), np.full((len(grid), 3), -np.inf)
    people = np.zeros(len(grid), int)
    for times, body in zip(timestamps, bodies, strict=True):
        there = (grid >= times[0] - _STEP) & (grid <= times[-1] + _STEP)
        # The median: one wrong joint in one frame does not make everyone small.
        least, greatest = (slide_median(reach, 2) for reach in (body.min(1), body.max(1)))
        low[there] = np.minimum(low[there], interpolate(least, times, grid[there]))
        high[there] = np.maximum(high[there], interpolate(greatest, times, grid[there]))
        people += there
    someone = people > 0
    low, high = (interpolate(side[someone], grid[someone], grid) for side in (low, high))
    low[:, 1] = np.minimum(low[:, 1], 0)  # the ground
    whole = np.stack([low.min(0), high.max(0)])
    median = np.median(np.maximum(high - low, 1.0), axis=0)
    if (whole[1] - whole[0] <= median + _STILL).all():
        return float(first), np.repeat(whole[None], len(grid), 0), int(people.max())
    # The middle follows the people, and the box around it holds them for a while, so that it does not breathe.
    middle = smooth_gaussian((low + high) / 2, _SMOOTHING / _STEP)
    reach = slide_maximum(np.stack([middle - low, high - middle], 1), _HOLD)
    reach = smooth_gaussian(reach, _SMOOTHING / _STEP)
    return float(first), middle[:, None] + reach * [[-1], [1]], int(people.max())
