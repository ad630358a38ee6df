from collections.abc import Callable

import numpy as np
import pytest

from poselift.skeleton import H36M17, SKELETONS, convert
from poselift.structures import Keypoints2D, Motion

# A standing person who faces the camera: metres in the camera frame (x right, y down), so the left is at +x.
_STANDING = {
    "pelvis": (0.0, 0.0),
    "hip": (0.12, 0.02),
    "knee": (0.14, 0.45),
    "ankle": (0.15, 0.88),
    "spine": (0.0, -0.25),
    "thorax": (0.0, -0.5),
    "neck_base": (0.0, -0.58),
    "head_top": (0.0, -0.78),
    "shoulder": (0.18, -0.48),
    "elbow": (0.4, -0.3),
    "wrist": (0.6, -0.1),
}
FOCAL, IMAGE_SIZE = 500.0, (640, 480)


def standing() -> np.ndarray:
    """(17, 3) joints relative to the pelvis."""
    joints = []
    for joint in H36M17.joints:
        side, _, part = joint.partition("_")
        x, y = _STANDING.get(joint) or _STANDING[part]
        joints.append((-x if side == "right" else x, y, 0.0))
    return np.array(joints, np.float32)


@pytest.fixture
def body() -> np.ndarray:
    return standing()


@pytest.fixture
def make_motion() -> Callable[..., Motion]:
    """Makes a person who swings the arms to and fro, by default 2 s at 25 fps, 4 m in front of the camera."""

    def make(
        person: int = 1,
        place: tuple[float, float, float] = (0.0, 0.0, 4.0),
        walk: tuple[float, float, float] = (0.0, 0.0, 0.0),
        frames: int = 50,
        start: float = 0.0,
        turn: np.ndarray | None = None,
        skeleton_2d: str = "h36m17",
    ) -> Motion:
        time = start + np.arange(frames) / 25
        joints = np.repeat(standing()[None], frames, axis=0)
        wrists = H36M17.indices(["left_wrist", "right_wrist"])
        joints[:, wrists, 2] += 0.3 * np.sin(2 * np.pi * time)[:, None]
        if turn is not None:
            joints = (joints @ turn.T).astype(np.float32)
        root = (np.array(place) + np.outer(time - start, walk)).astype(np.float32)
        absolute = joints + root[:, None]
        pixels = absolute[..., :2] / absolute[..., 2:] * FOCAL + (np.array(IMAGE_SIZE) - 1) / 2
        converted = convert(pixels.astype(np.float32), H36M17, SKELETONS[skeleton_2d])
        keypoints = Keypoints2D(
            converted.values,
            converted.mask.astype(np.float32),
            time,
            SKELETONS[skeleton_2d],
            IMAGE_SIZE,
            person,
        )
        return Motion(joints, root, time, np.zeros(frames, bool), H36M17, "camera", keypoints)

    return make


@pytest.fixture
def gray() -> np.ndarray:
    """A frame of the video in a colour that nobody has."""
    return np.full((IMAGE_SIZE[1], IMAGE_SIZE[0], 3), 128, np.uint8)
