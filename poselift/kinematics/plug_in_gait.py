"""Angles as a gait laboratory's Plug-in Gait has them.

What differs by definition is taken off, and its doubt is added. Plug-in Gait's pelvis and thorax go through markers on
the skin that no keypoint shows, and lifted knees read too bent beside its own. `DIFFERENCES` has what that makes,
measured on six children who walk (benchmarks/gait_lab_constants.py); docs/angles.md has what is left on two others.
They are for values that are read beside a laboratory's, such as bands of normal gait; changes of one person need none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from poselift.kinematics.angles import Angles
from poselift.kinematics.directions import unit
from poselift.kinematics.propagation import camera_axes
from poselift.kinematics.whole_body import TO_90
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

_FRONT, _SIDE = 0.35, 0.85
"""Size of the cosine between the camera's ray and the line from hip to hip, up to which a person is seen from the front
or back, and from which on from the side."""


@dataclass(frozen=True)
class Difference:
    """How one angle differs from Plug-in Gait's.

    Attributes:
        constants: ours less Plug-in Gait's, seen from the front or back and from the side, degrees; 0 where people
            differ by more than it is sure.
        people: standard deviation between people beside the constants, degrees; so wide that intervals set on all
            children but one hold 90 % of the frames of that one, on the mean.
        factors: of the interval for what changes within a person, seen from the front or back and from the side.
    """

    constants: tuple[float, float]
    people: float
    factors: tuple[float, float]


DIFFERENCES = {
    "pelvis_tilt": Difference(constants=(0.0, 0.0), people=14.9, factors=(0.44, 0.74)),
    "pelvis_list": Difference(constants=(0.0, 0.0), people=1.7, factors=(1.16, 1.24)),
    "hip_flexion": Difference(constants=(0.0, 0.0), people=9.9, factors=(0.6, 0.83)),
    "hip_adduction": Difference(constants=(1.5, 1.6), people=1.7, factors=(1.11, 0.72)),
    "knee_flexion": Difference(constants=(6.9, 2.0), people=1.5, factors=(0.71, 0.97)),
    "ankle_dorsiflexion": Difference(constants=(7.6, 6.1), people=0.8, factors=(0.59, 0.76)),
    "elbow_flexion": Difference(constants=(0.0, 0.0), people=4.0, factors=(0.45, 0.96)),
    "trunk_lean_ahead": Difference(constants=(0.0, 0.0), people=10.9, factors=(0.6, 1.1)),
}
"""By angle without its side, as `python -m benchmarks.gait_lab_constants` prints them."""


def as_plug_in_gait(angles: Angles, motion: Motion) -> Angles:
    """The angles that Plug-in Gait has too, as it has them.

    The others are left out.

    Args:
        angles: of `add_uncertainty`; without uncertainty, there is none.
        motion: of which they are.
    """
    columns = [column for column, name in enumerate(angles.names) if strip_side(name) in DIFFERENCES]
    names = tuple(angles.names[column] for column in columns)
    known = [DIFFERENCES[strip_side(name)] for name in names]
    view = side_view(motion)[:, None]
    degrees = angles.degrees[:, columns] - _blend([each.constants for each in known], view)
    uncertainty = None
    if angles.uncertainty is not None:
        within = _blend([each.factors for each in known], view) * angles.uncertainty[:, columns]
        uncertainty = np.hypot(within, TO_90 * np.array([each.people for each in known]))
    return replace(angles, names=names, degrees=degrees, uncertainty=uncertainty)


def _blend(values: Sequence[tuple[float, float]], view: Float[np.ndarray, "t 1"]) -> Float[np.ndarray, "t a"]:
    """Values between those of the front and of the side."""
    front, side = np.array(values, np.float64).reshape(-1, 2).T
    blended: np.ndarray = front + (side - front) * view
    return blended


def side_view(motion: Motion) -> Float[np.ndarray, " t"]:
    """How far a person is seen from the side, 0 to 1. 0 is from the front or back; NaN without a pose."""
    left, right = (motion.joints[:, motion.skeleton.index(f"{side}_hip")] for side in ("left", "right"))
    cosine = np.abs((unit((left - right).astype(np.float64)) * camera_axes(motion)[0]).sum(-1))
    view: np.ndarray = np.clip((cosine - _FRONT) / (_SIDE - _FRONT), 0.0, 1.0)
    return view
