"""A motion as named columns. There is a row for each frame and a column for each coordinate."""

import numpy as np

from poselift.skeleton.hand import SIDES
from poselift.structures import FEET, Motion


def make_columns(motion: Motion) -> dict[str, np.ndarray]:
    """The columns of a motion, each (t,).

    `time_s`; `interpolated`; `root_x_m`, `root_y_m`, `root_z_m`; for each joint `<joint>_x_m`, `<joint>_y_m`,
    `<joint>_z_m` relative to the root joint. If known, `<joint>_uncertainty_m`, and `left_foot_contact`,
    `right_foot_contact`. With hands, `<side>_hand_<joint>_x_m` and so on likewise relative to the root joint, and
    `<side>_hand_score`. Last `<joint>_seen`: whether keypoints show the joint (`Motion.in_sight`) or the lifter
    guessed it. Metres are float32, NaN where unknown; flags are bool.
    """
    found: dict[str, np.ndarray] = {"time_s": motion.timestamps, "interpolated": motion.interpolated}
    for axis, letter in enumerate("xyz"):
        found[f"root_{letter}_m"] = motion.root[:, axis]
    for row, joint in enumerate(motion.skeleton.joints):
        for axis, letter in enumerate("xyz"):
            found[f"{joint}_{letter}_m"] = motion.joints[:, row, axis]
    if motion.uncertainty is not None:
        for row, joint in enumerate(motion.skeleton.joints):
            found[f"{joint}_uncertainty_m"] = motion.uncertainty[:, row]
    if motion.contacts is not None:
        for row, foot in enumerate(FEET):
            found[f"{foot}_contact"] = motion.contacts[:, row]
    placed, skeleton = motion.with_fingers()
    if motion.hands is not None and skeleton != motion.skeleton:
        for row, joint in list(enumerate(skeleton.joints))[len(motion.skeleton) :]:
            for axis, letter in enumerate("xyz"):
                found[f"{joint}_{letter}_m"] = placed[:, row, axis]
        for row, side in enumerate(SIDES):
            found[f"{side}_hand_score"] = motion.hands.scores[:, row]
    for joint, seen in zip(motion.skeleton.joints, motion.in_sight().T, strict=True):
        found[f"{joint}_seen"] = seen
    return found
