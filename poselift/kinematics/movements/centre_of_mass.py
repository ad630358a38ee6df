"""The centre of mass of a body, from its segments' masses.

Shares of the mass and places of the segments' centres after de Leva, Adjustments to Zatsiorsky-Seluyanov's segment
inertia parameters, J. Biomech. 1996, table 4; the mean of women and men.
"""

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.structures import Motion

_SEGMENTS = (
    ("head_top", "neck_base", 0.0681, 0.492),
    ("neck_base", "hips", 0.4302, 0.505),
    ("own_shoulder", "own_elbow", 0.0263, 0.576),
    ("own_elbow", "own_wrist", 0.0150, 0.457),
    ("own_wrist", "own_hand", 0.0059, 0.77),
    ("own_hip", "own_knee", 0.1447, 0.385),
    ("own_knee", "own_ankle", 0.0457, 0.444),
    ("own_heel", "own_big_toe", 0.0133, 0.421),
)
"""Upper and lower end, share of the mass, and place of the centre from the upper end, as a share of the length."""

_WITHOUT = {"own_hand": "own_wrist", "own_heel": "own_ankle", "own_big_toe": "own_ankle"}
"""Joints that stand for those that a skeleton lacks."""


def find_centre_of_mass(motion: Motion) -> Float[np.ndarray, "t 3"]:
    """The centre of mass in each frame, metres; NaN if empty.

    The places are in the frame of the motion.

    Args:
        motion: of a skeleton with the joints of h36m17. Hands and feet count at wrists and ankles where it lacks them.

    Raises:
        InputError: the skeleton lacks joints.
    """
    joints = motion.skeleton.joints
    points = (motion.joints + motion.root[:, None]).astype(np.float64)
    place = {name: points[:, row] for row, name in enumerate(joints)}
    needed = {
        name.replace("own", side)
        for start, end, _, _ in _SEGMENTS
        for name in (start, end)
        for side in ("left", "right")
        if name not in _WITHOUT and name != "hips"
    }
    if lacking := sorted((needed | {"left_hip", "right_hip"}) - place.keys()):
        raise InputError(f"{motion.skeleton.name} lacks {', '.join(lacking)}, which the centre of mass needs")
    place["hips"] = (place["left_hip"] + place["right_hip"]) / 2
    total, mass = np.zeros((len(motion), 3)), 0.0
    for start, end, share, along in _SEGMENTS:
        for side in ("left", "right") if "own" in start else ("",):
            names = [name if name.replace("own", side) in place else _WITHOUT[name] for name in (start, end)]
            first, last = (place[name.replace("own", side)] for name in names)
            total += share * (first + along * (last - first))
            mass += share
    return total / mass
