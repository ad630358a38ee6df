import dataclasses

import numpy as np

from poselift.structures import Clock, Motion, Origin, Recording
from tests.kinematics.conftest import turn
from tests.recordings.conftest import about, motion, world_motion

__all__ = ["about", "motion", "world_motion"]


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


def recording_of(motions, start=None, cameras=()) -> Recording:
    """The motions as one recording, which starts at a time or with the first of them."""
    first = min((float(motion.timestamps[0]) for motion in motions), default=0.0)
    span = (first if start is None else start, max((float(motion.timestamps[-1]) for motion in motions), default=0.0))
    return Recording(tuple(motions), tuple(cameras), Clock(None, 0, span), Origin(None))


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
