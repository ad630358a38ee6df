"""Angles over the gait cycle, 0 to 100 % of each stride."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.kinematics.angles import Angles
from poselift.kinematics.gait import Gait
from poselift.skeleton.skeleton import strip_side
from poselift.structures import FEET

PERCENT = np.arange(101.0)
"""Points of a cycle; 0 is the strike of the foot, 100 its next one."""


@dataclass(frozen=True)
class Cycles:
    """One angle over the strides of one foot.

    Attributes:
        angle: name without its side.
        side: "left" or "right", of the foot whose strides these are. An angle of one side is that of the same side.
        degrees: of each stride at `PERCENT`; NaN where unknown.
    """

    angle: str
    side: str
    degrees: Float[np.ndarray, "n 101"]

    @property
    def mean(self) -> Float[np.ndarray, "101"]:
        """Over the strides that have a value there, degrees; NaN without any."""
        known = np.isfinite(self.degrees)
        count = known.sum(0)
        return np.where(count > 0, np.where(known, self.degrees, 0).sum(0) / np.maximum(count, 1), np.nan)

    @property
    def spread(self) -> Float[np.ndarray, "101"]:
        """Standard deviation over the strides, degrees; NaN with fewer than two."""
        away = self.degrees - self.mean
        known = np.isfinite(away)
        count = known.sum(0)
        return np.where(count > 1, np.sqrt(np.where(known, away**2, 0).sum(0) / np.maximum(count - 1, 1)), np.nan)


def cut_gait_cycles(angles: Angles, gait: Gait) -> list[Cycles]:
    """Each angle over the strides of each foot, if there are any.

    Frames next to an unknown one are interpolated to it only where both are known.
    """
    out = []
    for name in angles.names:
        kind = strip_side(name)
        for foot, label in enumerate(FEET):
            side = label.removesuffix("_foot")
            spans = [(stride.start, stride.end) for stride in gait.strides if stride.foot == foot]
            if spans and name in (kind, f"{side}_{kind}"):
                moments = np.array([start + (end - start) * PERCENT / 100 for start, end in spans])
                # NaN spreads to both sides, as np.interp weighs the two frames around each moment.
                out.append(Cycles(kind, side, np.interp(moments, angles.timestamps, angles.of(name))))
    return out
