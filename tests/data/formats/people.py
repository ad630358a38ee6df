"""People who move, for the files that the tests write in the datasets' formats."""

from zlib import crc32

import numpy as np

PLACES = {
    "pelvis": (0, 1.0, 0),
    "hip": (0.1, 0.95, 0),
    "knee": (0.11, 0.52, 0.02),
    "ankle": (0.11, 0.09, 0),
    "foot": (0.12, 0.03, 0.12),
    "toe": (0.12, 0.02, 0.18),
    "spine": (0, 1.2, 0),
    "spine1": (0, 1.1, 0),
    "spine2": (0, 1.2, 0),
    "spine3": (0, 1.3, 0),
    "spine4": (0, 1.4, 0),
    "thorax": (0, 1.45, 0),
    "neck": (0, 1.47, 0),
    "neck_base": (0, 1.5, 0),
    "mid_shoulders": (0, 1.44, 0),
    "head": (0, 1.6, 0.03),
    "head_top": (0, 1.75, 0.02),
    "nose": (0, 1.62, 0.12),
    "eye": (0.03, 1.65, 0.1),
    "ear": (0.07, 1.63, 0.02),
    "clavicle": (0.05, 1.45, 0),
    "collar": (0.06, 1.44, 0),
    "shoulder": (0.18, 1.44, 0),
    "elbow": (0.3, 1.18, -0.03),
    "wrist": (0.34, 0.95, 0.05),
    "hand": (0.35, 0.88, 0.07),
}
"""Where a joint stands in metres: x to the person's left, y up, z to the front."""


def moving_person(joints: tuple[str, ...], frames: int, seed: int = 0, fps: float = 50.0) -> np.ndarray:
    """(frames, joints, 3): a person who wanders and swings each joint a little; metres, right-handed, y up.

    A joint moves the same in every skeleton.
    """
    walk = np.array([0.3, 0.02, 0.3]) * _waves(np.random.default_rng(seed), frames, fps)
    swings = [0.04 * _waves(np.random.default_rng([seed, crc32(joint.encode())]), frames, fps) for joint in joints]
    return np.stack([_place(joint) + swing + walk for joint, swing in zip(joints, swings, strict=True)], 1)


def _waves(rng: np.random.Generator, frames: int, fps: float) -> np.ndarray:
    """(frames, 3) sines of about a second."""
    t = np.arange(frames)[:, None] / fps
    return np.sin(2 * np.pi * rng.uniform(0.3, 1.0, 3) * t + rng.uniform(0, 2 * np.pi, 3))


def _place(joint: str) -> np.ndarray:
    side, _, name = joint.rpartition("_") if joint.startswith(("left_", "right_")) else ("", "", joint)
    x, y, z = PLACES[name]
    return np.array([-x if side == "right" else x, y, z])


def look_from(position: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The rotation, world (y up) to camera (x right, y down, z forward), of a camera that looks at a target."""
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def pixels_of(points: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Where points of the camera frame are seen, as K's definition has it."""
    seen = points @ K.T
    return seen[..., :2] / seen[..., 2:]
