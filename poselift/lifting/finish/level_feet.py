"""Level feet: two standing feet are at one height.

That says how far one is behind the other. Most of a lifter's error is along the line of sight. A camera looks down at
standing feet at an angle, so a foot that is too near seems to float, and one that is too far seems to stand below the
ground. Each foot moves along its line of sight to where both are level, as far as its depth is doubted. The camera must
be still while the feet stand: in a moving picture no foot is at rest.
"""

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.arrays import Array, array_namespace
from poselift.kinematics.body_up import UPRIGHT
from poselift.kinematics.filtering import gaussian_means
from poselift.kinematics.foot_contacts import find_contacts
from poselift.kinematics.ground import find_ground
from poselift.skeleton import Skeleton
from poselift.structures import FEET, Motion

_ANKLES, _KNEES = (tuple(f"{foot.removesuffix('_foot')}_{joint}" for foot in FEET) for joint in ("ankle", "knee"))

_DEPTH = 0.07
"""Error of a foot's depth in the body, metres (standard deviation)."""

_HEIGHT = 0.02
"""Difference of a standing ankle's height from its usual one, metres (standard deviation): heels rise a little."""

_STEP = 0.2
"""Difference of the feet's heights, metres, at which it counts a quarter (Geman-McClure): one of the feet may be on a
stair."""

_KNEE = 0.5
"""Share of the ankle's move that the knee makes."""

_MEMORY = 0.1
"""Standard deviation in seconds of the Gaussian that averages the moves over time and lets them fade."""

_LEAN = np.deg2rad(12)
"""Angle between the body's mean axis and up from which up is not trusted: somebody leans, or the camera is rolled. It
is below 5 degrees on the real takes of benchmarks/real.md and below 10 on the CMU val views."""


def level_feet(motion: Motion) -> Float[np.ndarray, "t j 3"]:
    """Joints with both feet at one height while both stand.

    The lengths of the legs' bones change by it; `set_bone_lengths` evens them out.

    Args:
        motion: of one person, in the camera frame, with the root.

    Returns:
        The joints of the motion; unchanged if its skeleton lacks knees, ankles or shoulders, or if up is not known.
    """
    skeleton, axes = motion.skeleton, motion.body_axis()
    if axes is None or not {*_ANKLES, *_KNEES} <= set(skeleton.joints):
        return motion.joints
    up = find_ground([motion], resize=True).up
    axes = axes / np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-9)
    upright = axes @ up > UPRIGHT  # false for NaN
    down = find_contacts(motion, up)
    if down is None or not upright.any():
        return motion.joints
    axis = axes[upright].mean(0)
    stand = upright & down.any(-1).all(-1)
    if axis @ up < np.cos(_LEAN) * np.linalg.norm(axis) or not stand.any():
        return motion.joints
    joints, root = motion.joints.astype(np.float64), motion.root.astype(np.float64)
    leveled = move_feet(joints, root, motion.timestamps, stand, up, skeleton)
    return leveled.astype(motion.joints.dtype)


def move_feet(
    joints: Float[Array, "t j 3"],
    root: Float[Array, "t 3"],
    times: Float[Array, " t"],
    stand: Bool[Array, " t"],
    up: Float[Array, "3"],
    skeleton: Skeleton,
) -> Float[Array, "t j 3"]:
    """Joints whose feet are moved to one height where both stand.

    Args:
        joints: relative to the root, camera frame, metres; NaN in empty frames.
        root: camera frame, metres.
        times: seconds, increasing.
        stand: frames in which both feet stand.
        up: unit vector away from the ground.
        skeleton: of `joints`, with knees and ankles.
    """
    xp = array_namespace(joints)
    ankles, knees = skeleton.indices(list(_ANKLES)), skeleton.indices(list(_KNEES))
    places = joints[:, ankles] + root[:, None]
    sight = places / xp.linalg.vector_norm(places, axis=-1, keepdims=True)
    sight = xp.where(xp.isfinite(sight), sight, 0.0)
    heights, slopes = (places * up).sum(-1), (sight * up).sum(-1)
    above = heights - heights.mean(1)[:, None]
    counts = 1 / (1 + ((heights[:, 1] - heights[:, 0]) / _STEP) ** 2) ** 2
    # The move m that minimises (m / depth)² + ((above + slope m) / height)².
    moves = -(_DEPTH**2) * slopes * above / (_DEPTH**2 * slopes**2 + _HEIGHT**2) * counts[:, None]
    moves = gaussian_means(xp.where(stand[:, None], moves, 0.0), times, _MEMORY)[..., None] * sight
    none = xp.zeros_like(moves[:, 0])
    added = dict.fromkeys(range(len(skeleton)), none)
    for side, (ankle, knee) in enumerate(zip(ankles, knees, strict=True)):
        added[knee] = _KNEE * moves[:, side]
        added |= dict.fromkeys(skeleton.branch(ankle), moves[:, side])
    return joints + xp.stack([added[joint] for joint in range(len(skeleton))], axis=1)
