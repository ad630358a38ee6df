"""People whose footfalls are known: one who walks over level ground, seen by a camera that looks down."""

from dataclasses import dataclass

import numpy as np

from poselift.data.synthetic import rest_offsets
from poselift.geometry import project
from poselift.lifting import Camera
from poselift.lifting.world.planted_feet import bend_limb
from poselift.skeleton import CMU28, Skeleton
from poselift.structures import Keypoints2D, Motion

STRIDE = 0.9  # seconds
STANCE = 0.6  # of it, each foot is down
_STEP = 1.0  # metres that a foot is carried forward


@dataclass(frozen=True)
class Rendered:
    """A motion in the camera frame, the camera, and the truth about both."""

    motion: Motion
    camera: Camera
    R: np.ndarray  # camera to world: R x + t
    t: np.ndarray
    down: np.ndarray  # (t, 2)

    @property
    def up(self) -> np.ndarray:
        return self.R[1]

    def world(self, motion: Motion) -> np.ndarray:
        """A camera motion's joints in the true world."""
        return (motion.joints + motion.root[:, None]) @ self.R.T + self.t


def standing_pose() -> np.ndarray:
    """The joints of someone upright with the soles on the ground at Y = 0, above the origin, facing +z."""
    pose = np.zeros((len(CMU28), 3))
    for row, parent in enumerate(CMU28.parent_indices):
        pose[row] = pose[parent] + rest_offsets()[row].numpy() if parent >= 0 else 0.0
    pose[:, 1] += 0.02 - pose[CMU28.index("right_heel"), 1]
    return pose


def walk(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joints in the world, and which feet are down. A foot at rest is exactly so."""
    pose = standing_pose()
    joints = np.repeat(pose[None], len(times), 0)
    speed = _STEP / STRIDE
    joints[..., 2] += speed * times[:, None]
    joints[..., 1] -= 0.05  # room for the legs to reach
    down = np.zeros((len(times), 2), bool)
    for side, name in enumerate(("left", "right")):
        cycle = times / STRIDE + 0.5 * side
        phase = cycle % 1
        down[:, side] = phase < STANCE
        swing = ((phase - STANCE) / (1 - STANCE)).clip(0, 1)
        hip, knee, ankle = (CMU28.index(f"{name}_{joint}") for joint in ("hip", "knee", "ankle"))
        carried = _STEP * (np.floor(cycle) + (1 - np.cos(np.pi * swing)) / 2 - 0.5 * side)
        target = np.repeat(pose[None, ankle], len(times), 0)
        target[:, 2] += carried + 0.3 * _STEP - 0.02
        target[:, 1] += 0.12 * np.sin(np.pi * swing)
        bent = joints[:, knee] + [0, 0, 0.05]
        joints[:, knee], end = bend_limb(joints[:, hip], bent, joints[:, ankle], target)
        for part in ("ankle", "heel", "big_toe"):
            row = CMU28.index(f"{name}_{part}")
            joints[:, row] = end + pose[row] - pose[ankle]
    return joints, down


def render(
    joints: np.ndarray,
    times: np.ndarray,
    down: np.ndarray | None = None,
    *,
    skeleton: Skeleton = CMU28,
    pitch: float = 0.2,
    roll: float = 0.0,
    height: float = 1.6,
    distance: float = 6.0,
    noise: float = 0.0,
) -> Rendered:
    """Joints of the world seen from `distance` metres before the origin by a camera that looks down by `pitch`.

    Args:
        joints: (t, 28, 3), world.
        times: seconds.
        down: which feet are down.
        skeleton: what is kept of the joints.
        pitch: radians.
        roll: radians, to the camera's right.
        height: of the camera, metres.
        distance: metres.
        noise: metres, of the motion, drifting from frame to frame.
    """
    tilt = np.array([[1, 0, 0], [0, np.cos(pitch), np.sin(pitch)], [0, -np.sin(pitch), np.cos(pitch)]])
    lean = np.array([[np.cos(roll), np.sin(roll), 0], [-np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    # The camera stands at z = distance and looks along -z: its x is the world's, its y points down.
    to_camera = lean.T @ tilt.T @ np.diag([1.0, -1.0, -1.0])
    t = np.array([0, height, distance])
    seen = (joints - t) @ to_camera.T
    rows = CMU28.indices(list(skeleton.joints))
    K = np.array([[1000.0, 0, 640], [0, 1000, 360], [0, 0, 1]])
    pixels = project(seen, K)
    keypoints = Keypoints2D(pixels[:, rows], np.full((len(seen), len(rows)), 0.9), times, skeleton, (1280, 720))
    rng = np.random.default_rng(0)
    drift = np.cumsum(rng.normal(size=(len(seen), len(rows), 3)), 0) / np.sqrt(np.arange(len(seen)) + 1)[:, None, None]
    root = seen[:, 0] + noise * drift[:, 0]
    relative = seen[:, rows] - seen[:, :1]
    relative[:, 1:] += noise * drift[:, 1:]
    motion = Motion(
        relative.astype(np.float32),
        root.astype(np.float32),
        times,
        np.zeros(len(times), bool),
        skeleton,
        "camera",
        keypoints,
    )
    truth = np.zeros((len(times), 2), bool) if down is None else down
    return Rendered(motion, Camera(K, (1280, 720), "given"), to_camera.T, t, truth)
