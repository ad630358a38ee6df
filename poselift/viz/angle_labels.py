"""Joint angles in numbers beside a person on the picture."""

from collections.abc import Sequence

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.kinematics import Angles
from poselift.skeleton import Skeleton
from poselift.viz.colors import BACKGROUND, PersonColors
from poselift.viz.labels import draw_label, text_height, text_size

_SHOWN = {
    "shoulder": "shoulder_elevation",
    "elbow": "elbow_flexion",
    "hip": "hip_flexion",
    "knee": "knee_flexion",
    "ankle": "ankle_dorsiflexion",
}
"""The angle that is written for each joint of a side; the word is the joint's."""

_TURN = 0.08
"""Share of the body's extent by which the left hip must lie beyond the right one before the columns change sides. From
the side both lie at one place, where numbers that jump to and fro could not be read."""

_AWAY = 0.32
"""Distance of the columns from the middle of the hips, in extents of the body."""


def columns_of(joints: Float[np.ndarray, "t j 2"], skeleton: Skeleton) -> Float[np.ndarray, " t"]:
    """Where the left side's numbers stand in each frame.

    1 is on the right of the picture, -1 on its left.

    Args:
        joints: pixels; NaN for unknown ones.
        skeleton: has both hips.
    """
    left, right = (joints[:, skeleton.index(f"{side}_hip"), 0] for side in ("left", "right"))
    known = np.isfinite(joints).all(-1, keepdims=True)
    extent = (np.where(known, joints, -np.inf).max(1) - np.where(known, joints, np.inf).min(1)).max(-1)
    clear = np.abs(left - right) > _TURN * extent
    sides = np.where(clear, np.sign(left - right), np.nan)
    decided = np.flatnonzero(np.isfinite(sides))
    if not len(decided):
        return np.ones(len(joints))
    last = decided[np.maximum(np.searchsorted(decided, np.arange(len(joints)), side="right") - 1, 0)]
    return sides[last]


def draw_angles(
    image: UInt8[np.ndarray, "h w 3"],
    joints: Float[np.ndarray, "j 2"],
    skeleton: Skeleton,
    angles: Angles,
    frame: int,
    colors: PersonColors,
    left_column: float,
) -> None:
    """Writes joint angles beside a body, in place.

    Each side has a column for shoulder, elbow, hip, knee and ankle. Each number has a thin line to its joint.
    Angles that the pose does not show, and those of joints outside of the picture, are left out.

    Args:
        image: RGB.
        joints: of the person, pixels; NaN for unknown ones.
        skeleton: of the joints.
        angles: of the person.
        frame: row of the angles.
        colors: of the person.
        left_column: where the left side's numbers stand (`columns_of`).
    """
    known = joints[np.isfinite(joints).all(-1)]
    if not len(known):
        return
    extent = float(np.ptp(known, axis=0).max())
    hips = joints[skeleton.indices(["left_hip", "right_hip"])]
    middle = float(np.nanmean(hips[:, 0])) if np.isfinite(hips).any() else float(known[:, 0].mean())
    height = max(7, round(0.85 * text_height(image.shape[0])))
    for side, sign in (("left", left_column), ("right", -left_column)):
        notes = _notes(side, joints, skeleton, angles, frame, image.shape)
        lowest = image.shape[0] - 1.05 * height
        places = _spread([y for _, (_, y) in notes], 2.3 * height, 1.05 * height, lowest)
        for (text, (x, y)), place in zip(notes, places, strict=True):
            width = text_size(text, height)[0] + 1.1 * height
            centre = float(np.clip(middle + sign * (_AWAY * extent + width / 2), width / 2, image.shape[1] - width / 2))
            start = (round(centre - sign * width / 2), round(place))
            cv2.line(image, start, (round(x), round(y)), colors.of_side(side), 1, cv2.LINE_AA)
            draw_label(image, text, centre, place + 1.05 * height, height, BACKGROUND, opacity=0.72)


def _notes(
    side: str,
    joints: Float[np.ndarray, "j 2"],
    skeleton: Skeleton,
    angles: Angles,
    frame: int,
    shape: Sequence[int],
) -> list[tuple[str, tuple[float, float]]]:
    """Text and joint of a side's numbers, top down."""
    found = []
    for word, angle in _SHOWN.items():
        name, joint = f"{side}_{angle}", f"{side}_{word}"
        if name not in angles.names or joint not in skeleton.joints:
            continue
        value, (x, y) = float(angles.of(name)[frame]), joints[skeleton.index(joint)].tolist()
        if np.isfinite(value) and 0 <= x < shape[1] and 0 <= y < shape[0]:
            found.append((f"{word} {value:z.0f}\N{DEGREE SIGN}", (x, y)))
    return sorted(found, key=lambda note: note[1][1])


def _spread(places: Sequence[float], least: float, first: float, last: float) -> list[float]:
    """Ascending places between two ends, moved apart. Each is then at least so far from the next."""
    out: list[float] = []
    for place in places:
        out.append(max(place, out[-1] + least) if out else max(place, first))
    return [min(place, last - least * (len(out) - 1 - number)) for number, place in enumerate(out)]
