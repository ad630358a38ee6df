"""The arrangement of a stream's people in the 3D scene. It does not know what comes."""

from collections import deque
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from poselift.kinematics.up import level_axes, median_up
from poselift.skeleton import Skeleton
from poselift.structures import StreamedPose, body_axis
from poselift.viz.body_parts import parts_of
from poselift.viz.shot import Framing

_UP_POSES = 300
"""Newest bodies that tell where up is."""
_SETTLE = 1.0
"""Time constant of the middle, and of up, seconds."""
_GROUND_POSES = 60
"""Newest poses whose lowest joints tell where somebody's ground is: more than twice as many as a jump has."""
_FORGET = 10.0
"""Seconds after which the ground of somebody who left is forgotten."""
_REACH = 2.0
"""Metres around the middle in which people are shown."""
_ALONE = np.array([[-0.6, 0.0, -0.6], [0.6, 1.8, 0.6]])
"""The box in view around somebody who stands, metres."""
_GROW, _SHRINK = 0.25, 2.5
"""Time constants of the view's box, seconds: it widens fast and narrows slowly."""


class LiveStage:
    """Places a stream's people upright, grounded and near, smoothly.

    Close enough to be seen together; it eases all of it over time. Poses in the world frame keep their height. As in
    `Stage`, each person is only shifted, because the distance is what a single camera knows least.

    Args:
        skeleton: of the poses.

    Attributes:
        start: for `Scene3D`, likewise those below.
        typical: the shot of one person.
        crowded: not known beforehand.
        shortened: people who stand far apart are shown closer.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.start = 0.0
        self.typical = [Framing(*_ALONE)]
        self.crowded = False
        self.shortened = False
        self._skeleton = skeleton
        self._axes: deque[np.ndarray] = deque(maxlen=_UP_POSES)
        self._up = median_up(np.zeros((0, 3)))
        self._lowest: dict[int, deque[float]] = {}  # heights by person
        self._last_placed: dict[int, float] = {}
        self._middle: np.ndarray | None = None
        self._last = -np.inf
        self._sole = parts_of(skeleton).sole
        self._box: np.ndarray | None = None
        self._in_world = False

    def shot(self, time: float) -> Framing:
        """What is in view: the people of the last moments."""
        return self.typical[0] if self._box is None else Framing(*self._box)

    def place(self, people: Mapping[int, StreamedPose], time: float) -> dict[int, Float[np.ndarray, "k 3"]]:
        """Everybody's joints in the scene, metres, Y up.

        They include fingers, as those of `StreamedPose.with_fingers`. People with unknown positions are left out.

        Args:
            people: by number.
            time: seconds.
        """
        bodies = {
            number: pose.positions.astype(np.float64)
            for number, pose in people.items()
            if np.isfinite(pose.positions).all()
        }
        elapsed = max(0.0, time - self._last)
        self._last = time
        eased = 1 - np.exp(-elapsed / _SETTLE)
        axes = [body_axis(body, self._skeleton) for body in bodies.values()]
        self._axes.extend(axis for axis in axes if axis is not None)
        if self._axes:
            up = self._up + eased * (median_up(np.stack(self._axes)) - self._up)
            self._up = up / np.linalg.norm(up)
        # World poses are upright and above their ground already; only their middle moves.
        self._in_world = any(pose.frame == "world" for pose in people.values())
        rotation = np.eye(3) if self._in_world else level_axes(self._up)
        bodies = {number: body @ rotation.T for number, body in bodies.items()}
        self._measure_ground(bodies, time)
        if bodies:
            roots = np.stack([body[0, ::2] for body in bodies.values()])
            middle = (roots.min(0) + roots.max(0)) / 2
            self._middle = middle if self._middle is None else self._middle + eased * (middle - self._middle)
        offsets = {number: self._offset(number, body) for number, body in bodies.items()}
        if bodies:
            self._widen(np.concatenate([body + offsets[number] for number, body in bodies.items()]), elapsed)
        return {
            number: people[number].with_fingers(self._skeleton)[0].astype(np.float64) @ rotation.T + offset
            for number, offset in offsets.items()
        }

    def _widen(self, points: np.ndarray, elapsed: float) -> None:
        """Eases the box in view towards the people."""
        low, high = points.min(0), points.max(0)
        box = np.stack([np.minimum(low, [np.inf, 0, np.inf]), np.maximum(high, [-np.inf, 1.5, -np.inf])])
        if self._box is None:
            self._box = box
            return
        outward = (box - self._box) * [[-1], [1]] > 0
        self._box = self._box + (box - self._box) * (1 - np.exp(-elapsed / np.where(outward, _GROW, _SHRINK)))

    def _measure_ground(self, bodies: Mapping[int, np.ndarray], time: float) -> None:
        """Notes everybody's lowest joint, and forgets those who left."""
        for number, body in bodies.items():
            self._lowest.setdefault(number, deque(maxlen=_GROUND_POSES)).append(float(body[:, 1].min()))
            self._last_placed[number] = time
        self._last_placed = {number: last for number, last in self._last_placed.items() if time - last <= _FORGET}
        self._lowest = {number: self._lowest[number] for number in self._last_placed}

    def _offset(self, number: int, body: np.ndarray) -> np.ndarray:
        """The shift of a person; at most `_REACH` from the middle."""
        assert self._middle is not None
        place = body[0, ::2] - self._middle
        shown = place * min(1.0, _REACH / max(float(np.linalg.norm(place)), 1e-9))
        x, z = shown - body[0, ::2]
        return np.array([x, 0.0 if self._in_world else self._sole - float(np.median(self._lowest[number])), z])
