"""A made walker whose events are known; nothing is recorded."""

import numpy as np

from poselift.skeleton import H36M17
from poselift.structures import Keypoints2D, Motion

_THIGH, _SHANK, _HIP = 0.5, 0.5, 0.9


def walker(cadence=110.0, speed=1.3, stance=0.62, seconds=6.0, fps=30.0, travel=True, turn=0.0, bounce=0.0, **about):
    """A motion in the world; the right foot strikes at 0 and then every two steps.

    Args:
        cadence: steps a minute.
        speed: of the ground under the pelvis, m/s.
        stance: share of a stride in which a foot goes back with the ground.
        seconds: length of the clip.
        fps: frames a second.
        travel: False to stay in place, as on a treadmill.
        turn: heading about y, radians.
        bounce: metres by which the hips sink amid each stance, as a runner's do; a walker's rise.
        **about: further fields of the motion.
    """
    times = np.arange(round(seconds * fps)) / fps
    cycle = 120.0 / cadence
    reach = speed * cycle * stance / 2
    joints = {"pelvis": np.zeros((len(times), 3))}
    for joint, height in (("spine", 0.23), ("thorax", 0.48), ("neck_base", 0.58), ("head_top", 0.78)):
        joints[joint] = np.broadcast_to([0.0, height, 0.0], (len(times), 3))
    for side, late, sign in (("right", 0.0, -1.0), ("left", 0.5, 1.0)):
        phase = (times / cycle + late) % 1.0
        swing = (phase - stance) / (1 - stance)
        ahead = np.where(
            phase < stance, reach * (1 - 2 * phase / stance), -reach * np.cos(np.pi * np.clip(swing, 0, 1))
        )
        lift = np.where(phase < stance, 0.0, 0.1 * np.sin(np.pi * np.clip(swing, 0, 1)))
        down = _HIP - 0.08 - lift
        far = np.minimum(np.hypot(ahead, down), _THIGH + _SHANK - 1e-3)
        bend = np.arccos((_THIGH**2 + far**2 - _SHANK**2) / (2 * _THIGH * far)) + np.arctan2(ahead, down)
        x = np.full(len(times), 0.09 * sign)
        joints[f"{side}_hip"] = np.stack([x, 0 * x, 0 * x], 1)
        joints[f"{side}_knee"] = np.stack([x, -_THIGH * np.cos(bend), _THIGH * np.sin(bend)], 1)
        joints[f"{side}_ankle"] = np.stack([x, -down, ahead], 1)
        for joint, height in (("shoulder", 0.48), ("elbow", 0.19), ("wrist", -0.06)):
            joints[f"{side}_{joint}"] = np.broadcast_to([0.19 * sign, height, 0.01], (len(times), 3))
    about_y = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    points = np.stack([joints[name] for name in H36M17.joints], 1) @ about_y.T
    hips = _HIP - bounce * np.cos(4 * np.pi * (times / cycle - stance / 2))
    root = np.stack([0 * times, hips, speed * times * travel], 1) @ about_y.T
    keypoints = Keypoints2D(np.full((*points.shape[:2], 2), 9.0), np.ones(points.shape[:2]), times, H36M17, (640, 480))
    values = {"frame": "world", "interpolated": np.zeros(len(times), bool)} | about
    return Motion(points, root, timestamps=times, skeleton=H36M17, keypoints=keypoints, **values)
