"""Where people stand in the 3D scene: turned upright, on a common floor, near enough to be seen together.

A single camera does not say which way is up, and a person's distance from it is the least certain of all. So
the scene is arranged once for the whole clip, from everyone's motion, and then stays as it is: nothing in it
moves that does not move in the motion itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.structures import Motion

_UPRIGHT = np.deg2rad(45)  # a body further from upright says nothing about where up is
_MAX_TILT = np.deg2rad(25)  # of the estimated up against the camera's own
_SOLE = 0.06  # metres from the lowest joint to the ground
_MAX_SPREAD = 2.2  # metres from the middle of the group; further people are moved closer
_TO_STAGE = {"camera": np.diag([1.0, -1.0, -1.0]), "world": np.eye(3)}


@dataclass(frozen=True, eq=False)
class Stage:
    """The arrangement of a clip's motions: right-handed, Y up, metres, the ground at Y = 0.

    Attributes:
        rotation: from the motions' frame.
        offsets: what is added to each motion after the rotation.
        points: places that people pass through, a sample of all joints, for framing the view.
        shortened: people stood further apart than they are shown.
    """

    rotation: Float[np.ndarray, "3 3"]
    offsets: Float[np.ndarray, "n 3"]
    points: Float[np.ndarray, "p 3"]
    shortened: bool

    @classmethod
    def fit(cls, motions: Sequence[Motion]) -> "Stage":
        """Arranges a clip.

        Each person keeps their own movement to scale. Up is where the bodies point on average (see
        `_estimate_up`). A person whose feet are about level with the lowest person's is set on the same
        ground; one who is clearly higher, on a roof say, stays higher. People far apart are moved closer
        along the line to the middle of the group.

        Raises:
            ValueError: the motions are not all in the same frame.
        """
        frames = {motion.frame for motion in motions} or {"camera"}
        if len(frames) > 1:
            raise ValueError(f"motions of one scene must share a frame, these are in {sorted(frames)}")
        frame = frames.pop()
        bodies = [_known_bodies(motion) for motion in motions]
        rotation = _TO_STAGE[frame]
        if frame == "camera":
            rotation = _turn_upright(_estimate_up(motions, bodies)) @ rotation
        bodies = [body @ rotation.T for body in bodies]
        offsets = np.zeros((len(motions), 3))
        present = [i for i, body in enumerate(bodies) if len(body)]
        if not present:
            return cls(rotation, offsets, np.zeros((0, 3)), shortened=False)

        floors = np.array([np.percentile(bodies[i][..., 1].min(-1), 5) for i in present])
        places = np.array([np.median(bodies[i][:, 0, ::2], axis=0) for i in present])
        offsets[present, 1] = _levels(floors, places) - floors + _SOLE
        middle = (places.min(0) + places.max(0)) / 2
        spread = np.linalg.norm(places - middle, axis=-1).max()
        shrink = min(1.0, _MAX_SPREAD / max(spread, 1e-9))
        offsets[present, ::2] = (places - middle) * (shrink - 1) - middle

        sample = [bodies[i][:: max(1, len(bodies[i]) // 200)] + offsets[i] for i in present]
        points = np.concatenate([body.reshape(-1, 3) for body in sample])
        low, high = np.percentile(points, [0.5, 99.5], axis=0)
        # A rare wild pose must not make everyone small.
        points = points[((points >= low - 0.3) & (points <= high + 0.3)).all(-1)]
        return cls(rotation, offsets, points, shortened=shrink < 1)

    def place(self, index: int, motion: Motion, frame: int) -> Float[np.ndarray, "j 3"]:
        """A motion's joints in the scene; NaN where they are not known.

        Args:
            index: the motion's place in the sequence that was given to `fit`.
            motion: that motion.
            frame: the index of the frame.
        """
        joints = motion.joints[frame].astype(np.float64) + motion.root[frame]
        return joints @ self.rotation.T + self.offsets[index]


def _known_bodies(motion: Motion) -> np.ndarray:
    """(t, j, 3) absolute joints of the frames that are known."""
    bodies = motion.joints.astype(np.float64) + motion.root[:, None]
    return bodies[np.isfinite(bodies).all((1, 2))]


def _estimate_up(motions: Sequence[Motion], bodies: Sequence[np.ndarray]) -> np.ndarray:
    """A unit vector in the camera frame: the mean direction from the ankles to the shoulders while upright.

    Without anyone upright it is the camera's own up, and it never leans further from that than `_MAX_TILT`.
    """
    camera_up = np.array([0.0, -1.0, 0.0])
    axes = [np.zeros((0, 3))]
    for motion, body in zip(motions, bodies, strict=True):
        joints = motion.skeleton.joints
        if {"left_shoulder", "right_shoulder", "left_ankle", "right_ankle"} <= set(joints):
            shoulders = body[:, motion.skeleton.indices(["left_shoulder", "right_shoulder"])].mean(1)
            ankles = body[:, motion.skeleton.indices(["left_ankle", "right_ankle"])].mean(1)
            axis = shoulders - ankles
            axes.append(axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9))
    upright = np.concatenate(axes)
    upright = upright[upright @ camera_up > np.cos(_UPRIGHT)]
    if not len(upright):
        return camera_up
    up = np.median(upright, axis=0)
    up /= np.linalg.norm(up)
    tilt = np.arccos(np.clip(up @ camera_up, -1, 1))
    if tilt <= _MAX_TILT:
        return up
    sideways = up - (up @ camera_up) * camera_up
    return np.cos(_MAX_TILT) * camera_up + np.sin(_MAX_TILT) * sideways / np.linalg.norm(sideways)


def _turn_upright(up: np.ndarray) -> np.ndarray:
    """The smallest rotation, in stage axes, that brings an up of the camera frame to Y."""
    x, y, z = _TO_STAGE["camera"] @ up
    # Rodrigues' formula for the axis (x, y, z) cross (0, 1, 0), whose angle has the cosine y.
    cross = np.array([[0, -x, 0], [x, 0, z], [0, -z, 0]])
    return np.eye(3) + cross + cross @ cross / (1 + y)


def _levels(floors: np.ndarray, places: np.ndarray) -> np.ndarray:
    """How high above the ground each person stands: 0 unless that is more than the up's own error explains."""
    lowest = floors.argmin()
    rise = floors - floors[lowest]
    distance = np.linalg.norm(places - places[lowest], axis=-1)
    return np.where(rise > 0.35 + 0.15 * distance, rise, 0.0)
