"""Balance: how far the centre of mass of somebody who stands sways.

Clinics measure the centre of pressure on a plate, which moves more than the centre of mass. One camera sees sway across
its axis far better than along it, so the two are apart.
"""

from dataclasses import dataclass

import numpy as np

from poselift.core.errors import InputError
from poselift.kinematics.filtering import gaussian_means
from poselift.kinematics.movements.centre_of_mass import find_centre_of_mass
from poselift.kinematics.rate import split_at_gaps
from poselift.structures import Motion

_SMOOTH = 0.1
"""Standard deviation in seconds of the Gaussian over the centre of mass: sway is slower than 2 Hz."""

_LEAST = 2.0
"""Seconds that somebody must be seen."""

_MOVES = 0.4
"""Metres over which somebody does not sway but walk."""

_ELLIPSE = 5.991
"""Quantile of the chi-squared distribution of two dimensions that holds 95 %."""


@dataclass(frozen=True)
class Sway:
    """Sway of the centre of mass over the ground.

    Attributes:
        seconds: of the time that was measured.
        across: standard deviation across the camera's axis, metres.
        along: standard deviation along the camera's axis, metres.
        path: length of the way, metres.
        area: of the ellipse that holds 95 % of the places, square metres.
    """

    seconds: float
    across: float
    along: float
    path: float
    area: float

    @property
    def speed(self) -> float:
        """Mean speed, m/s."""
        return self.path / self.seconds


def measure_sway(motion: Motion) -> Sway:
    """The sway of somebody standing, in the longest known run.

    Args:
        motion: of one person in the world frame.

    Raises:
        InputError: the motion is not in the world frame, its skeleton lacks joints, the person is seen for less than
            two seconds, or walks.
    """
    if motion.frame != "world":
        raise InputError("sway needs the direction of up; lift with --world")
    parts = split_at_gaps(motion.posed, motion.timestamps)
    part = max(parts, key=len, default=np.zeros(0, int))
    seconds = float(np.ptp(motion.timestamps[part])) if len(part) else 0.0
    if seconds < _LEAST:
        raise InputError(f"sway needs {_LEAST:g} s without a gap; the longest run of poses has {seconds:.1f} s")
    times = motion.timestamps[part]
    places = gaussian_means(find_centre_of_mass(motion)[part][:, [0, 2]], times, _SMOOTH)
    if np.ptp(places, axis=0).max() > _MOVES:
        raise InputError(f"sway needs somebody who stands; the person moves {np.ptp(places, axis=0).max():.1f} m")
    covariance = np.cov(places.T)
    path = float(np.linalg.norm(np.diff(places, axis=0), axis=-1).sum())
    area = float(np.pi * _ELLIPSE * np.sqrt(max(np.linalg.det(covariance), 0.0)))
    across, along = np.sqrt(np.diag(covariance)).tolist()
    return Sway(seconds, across, along, path, area)
