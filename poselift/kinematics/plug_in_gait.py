"""Angles as a gait laboratory's Plug-in Gait has them: less what differs by definition, with the doubt of it.

Plug-in Gait's pelvis and thorax go through markers on the skin that no keypoint shows, and lifted knees read too bent
beside its own. `DIFFERENCES` has what that makes, measured on six children who walk (benchmarks/gait_lab_constants.py);
docs/angles.md has what is left on two others. They are for values that are read beside a laboratory's, such as bands of
normal gait; changes of one person need none.
"""

from dataclasses import dataclass, replace

import numpy as np

from poselift.kinematics.angles import Angles
from poselift.kinematics.directions import unit
from poselift.kinematics.propagation import camera_axes
from poselift.kinematics.whole_body import TO_90
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

FRONT, SIDE = 0.35, 0.85
"""Size of the cosine between the camera's ray and the line from hip to hip, up to which a person is seen from the front
or back, and from which on from the side."""


@dataclass(frozen=True)
class Difference:
    """How one angle differs from Plug-in Gait's.

    Attributes:
        constant: of all people, ours less Plug-in Gait's, degrees; 0 where people differ by more than it is sure.
        people: standard deviation between people beside the constant, degrees.
        front: factor of the interval for what changes within a person, seen from the front or back.
        side: the same, seen from the side.
    """

    constant: float
    people: float
    front: float
    side: float


DIFFERENCES = {
    "pelvis_tilt": Difference(constant=0.0, people=11.4, front=0.34, side=0.56),
    "pelvis_list": Difference(constant=0.0, people=1.6, front=1.32, side=1.43),
    "hip_flexion": Difference(constant=0.0, people=9.7, front=0.49, side=0.71),
    "hip_adduction": Difference(constant=1.7, people=1.2, front=1.14, side=0.75),
    "knee_flexion": Difference(constant=4.4, people=1.8, front=0.61, side=0.85),
    "elbow_flexion": Difference(constant=0.0, people=4.1, front=0.34, side=0.72),
    "trunk_lean_ahead": Difference(constant=0.0, people=7.7, front=0.67, side=1.25),
    "ankle_dorsiflexion": Difference(constant=6.7, people=1.7, front=0.25, side=0.32),
}
"""By angle without its side, as `python -m benchmarks.gait_lab_constants` prints them."""


def as_plug_in_gait(angles: Angles, motion: Motion) -> Angles:
    """The angles that Plug-in Gait has too, as it has them; the others are left out.

    Args:
        angles: of `add_uncertainty`; without uncertainty, there is none.
        motion: of which they are.
    """
    columns = [column for column, name in enumerate(angles.names) if strip_side(name) in DIFFERENCES]
    names = tuple(angles.names[column] for column in columns)
    known = [DIFFERENCES[strip_side(name)] for name in names]
    degrees = angles.degrees[:, columns] - [each.constant for each in known]
    uncertainty = None
    if angles.uncertainty is not None:
        view = side_view(motion)[:, None]
        factors = np.array([each.front for each in known]) * (1 - view) + np.array([each.side for each in known]) * view
        people = TO_90 * np.array([each.people for each in known])
        uncertainty = np.hypot(factors * angles.uncertainty[:, columns], people)
    return replace(angles, names=names, degrees=degrees, uncertainty=uncertainty)


def side_view(motion: Motion) -> np.ndarray:
    """How far a person is seen from the side in each frame, from 0 (front or back) to 1; (t,), NaN without a pose."""
    left, right = (motion.joints[:, motion.skeleton.index(f"{side}_hip")] for side in ("left", "right"))
    cosine = np.abs((unit((left - right).astype(np.float64)) * camera_axes(motion)[0]).sum(-1))
    return np.clip((cosine - FRONT) / (SIDE - FRONT), 0.0, 1.0)
