import dataclasses

import numpy as np
import pytest

from poselift.skeleton import COCO17, H36M17
from poselift.structures import Keypoints2D, Motion
from tests.kinematics.conftest import turn


def emptied(motion: Motion, frames) -> Motion:
    """The motion without a pose in some frames."""
    joints, root = motion.joints.copy(), motion.root.copy()
    joints[frames], root[frames] = np.nan, np.nan
    return dataclasses.replace(motion, joints=joints, root=root)


def later(motion: Motion, seconds: float, person: int = 1) -> Motion:
    """The motion as that of another person, or at another time."""
    times = motion.timestamps + seconds
    keypoints = dataclasses.replace(motion.keypoints, person=person, timestamps=times)
    return dataclasses.replace(motion, keypoints=keypoints, timestamps=times)


def read_bvh(path):
    """Names, offsets, parents, and positions of each frame, by the definition of the format."""
    words = iter(path.read_text().split())
    names, parents, offsets, stack, counts, orders = [], [], [], [], [], []
    for word in words:
        if word in ("ROOT", "JOINT"):
            names.append(next(words))
            parents.append(stack[-1] if stack else -1)
            offsets.append(None)
            pending = len(names) - 1
        elif word == "End":
            next(words)
            pending = None
        elif word == "{":
            stack.append(pending)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET":
            offset = np.array([float(next(words)) for _ in range(3)])
            if stack[-1] is not None:
                offsets[stack[-1]] = offset
        elif word == "CHANNELS":
            counts.append(int(next(words)))
            channels = [next(words) for _ in range(counts[-1])]
            orders.append([channel[0].lower() for channel in channels[-3:]])
        elif word == "MOTION":
            break
    _, count, _, _, interval = (next(words) for _ in range(5))
    table = np.array([float(word) for word in words]).reshape(int(count), -1)
    columns = np.split(table, np.cumsum(counts)[:-1], 1)
    angles = np.stack([values[:, -3:] for values in columns], 1)
    places = []
    turned = []
    for joint, (parent, offset, values) in enumerate(zip(parents, offsets, columns, strict=True)):
        first, second, third = (turn(axis, of) for axis, of in zip(orders[joint], angles[:, joint].T, strict=True))
        local = (first @ second @ third).numpy()
        turned.append(local if parent < 0 else turned[parent] @ local)
        moved = values[:, :3] if counts[joint] == 6 else np.broadcast_to(offset, (len(values), 3))
        places.append(moved if parent < 0 else places[parent] + np.einsum("tab,tb->ta", turned[parent], moved))
    return names, float(interval), np.stack(places, 1), angles


def read_trc(path):
    """Names of the markers, seconds, and positions (t, m, 3)."""
    lines = path.read_text().splitlines()
    rows = np.array([[float(cell) for cell in line.split("\t")] for line in lines[6:]])
    return lines[3].split("\t")[2::3], rows[:, 1], rows[:, 2:].reshape(len(rows), -1, 3)


@pytest.fixture
def motion() -> Motion:
    """Six frames at an uneven pace; frame 2 was bridged, frame 4 left empty, one keypoint was never seen."""
    rng = np.random.default_rng(5)
    timestamps = np.array([0.0, 1 / 30, 0.07, 0.1, 0.14, 0.2])
    joints = rng.normal(0, 0.5, (6, 17, 3)).astype(np.float32)
    joints[:, 0] = 0
    root = (rng.normal(0, 1, (6, 3)) + [0, 0, 4]).astype(np.float32)
    joints[4], root[4] = np.nan, np.nan
    keypoints = rng.uniform(0, 640, (6, 17, 2)).astype(np.float32)
    scores = rng.uniform(0.3, 1, (6, 17)).astype(np.float32)
    for unseen in ((2, slice(None)), (4, slice(None)), (slice(None), 3)):
        keypoints[unseen], scores[unseen] = np.nan, 0
    interpolated = np.array([False, False, True, False, False, False])
    detected = Keypoints2D(keypoints, scores, timestamps, COCO17, (640, 480), person=3)
    return Motion(joints, root, timestamps, interpolated, H36M17, "camera", detected)


@pytest.fixture
def world_motion(motion) -> Motion:
    """The same in the world frame, with the feet that are down and how far off each joint may be."""
    contacts = np.array([[True, False]] * 3 + [[True, True], [False, False], [False, True]])
    uncertainty = np.arange(6 * 17, dtype=np.float32).reshape(6, 17) / 1000
    return dataclasses.replace(motion, frame="world", uncertainty=uncertainty, contacts=contacts)


@pytest.fixture
def about() -> dict:
    """The camera and the weights of a sidecar."""
    camera = {
        "K": np.array([[800.0, 0, 319.5], [0, 800, 239.5], [0, 0, 1]]),
        "image_size": (640, 480),
        "field_of_view": "assumed",
    }
    return {"camera": camera, "weights": {"lifter": {"name": "base", "sha256": "ab" * 32}}}
