"""Joint angles over the gait cycle of people who walk normally."""

import numpy as np
from jaxtyping import Float

from poselift.kinematics.cycles import PERCENT

SOURCE = (
    "83 typically developing children of 4 to 17 years at their own speed (Schwartz, Rozumalski, Trost, "
    "J. Biomech. 2008), by markers on the skin"
)
"""Whose angles these are."""

_PUBLISHED = {
    "hip_flexion": (
        "35.8 35.7 35.5 35.1 34.2 32.8 31.1 29.1 26.9 24.7 22.5 20.3 18.1 15.8 13.6 11.4 9.3 7.3 5.3 3.4 1.6 "
        "-0.1 -1.7 -3.2 -4.4 -5.3 -5.8 -5.7 -4.9 -3.4 -0.9 2.3 6.1 10.1 14.1 17.9 21.4 24.6 27.4 29.9 32 33.7 "
        "35.1 36 36.6 36.7 36.5 36.2 35.8 35.6 35.5",
        "5.4 5.5 5.6 5.8 5.9 6 6 6 6 6 6 6 5.9 5.9 6 6 6.1 6.3 6.4 6.6 6.7 6.8 6.8 6.8 6.8 6.8 6.8 6.8 6.7 "
        "6.8 6.8 6.7 6.6 6.5 6.3 6.2 6 5.9 5.7 5.6 5.5 5.4 5.4 5.4 5.4 5.5 5.5 5.5 5.5 5.5 5.5",
    ),
    "hip_adduction": (
        "-1.6 -0.9 0.1 1.3 2.6 3.7 4.5 5 5.2 5.2 5 4.7 4.4 4 3.6 3.2 2.9 2.7 2.6 2.5 2.4 2.4 2.2 1.9 1.4 0.8 "
        "0 -1.1 -2.3 -3.8 -5.2 -6.3 -7 -7.1 -6.8 -6.3 -5.6 -4.9 -4.2 -3.6 -3.1 -2.7 -2.4 -2.2 -2.2 -2.2 -2.3 "
        "-2.4 -2.4 -2.1 -1.6",
        "3.5 3.5 3.5 3.6 3.5 3.5 3.4 3.4 3.4 3.4 3.3 3.3 3.3 3.2 3.2 3.1 3.1 3 3 3 3 3 3 3 3 3.1 3.1 3.2 3.2 "
        "3.3 3.3 3.2 3.1 3 2.9 2.8 2.8 2.8 2.8 2.8 2.8 2.8 2.8 2.9 2.9 3 3.1 3.2 3.3 3.4 3.4",
    ),
    "knee_flexion": (
        "5.6 7.9 10.9 14.1 16.9 18.6 19.3 19.2 18.6 17.6 16.5 15.2 13.9 12.6 11.3 10.1 9 8 7.2 6.6 6.2 6.3 "
        "6.8 7.9 9.5 11.6 14.5 18.1 22.6 27.9 33.9 40.2 46.3 51.7 55.7 58.2 59.1 58.7 56.9 53.9 49.8 44.7 "
        "38.8 32.4 25.5 18.7 12.5 7.6 4.6 4 5.4",
        "5.7 5.5 5.6 5.8 6.1 6.3 6.3 6.3 6.2 6.1 5.9 5.8 5.7 5.6 5.5 5.5 5.5 5.6 5.7 5.7 5.7 5.7 5.7 5.7 5.6 "
        "5.7 5.8 5.9 6.2 6.4 6.6 6.6 6.4 6 5.7 5.6 5.9 6.3 6.8 7.4 7.8 8.2 8.5 8.7 8.7 8.5 8.1 7.4 6.6 6 5.6",
    ),
    "ankle_dorsiflexion": (
        "-2.1 -3.9 -5.6 -5.6 -4.1 -2.1 -0.2 1.5 2.9 4.1 5.2 6.1 6.8 7.4 8 8.6 9.1 9.7 10.2 10.7 11.1 11.5 "
        "11.8 11.8 11.5 10.4 8.4 4.9 -0.2 -6.9 -13.8 -18.5 -19.8 -18 -14.7 -11.2 -7.9 -4.9 -2.4 -0.3 1.1 2.1 "
        "2.5 2.4 1.8 1 0.1 -0.6 -1.1 -1.4 -2.3",
        "5.6 5.2 4.8 4.3 4 4 4 4 4 3.9 3.8 3.7 3.7 3.7 3.8 3.8 3.9 4 4.1 4.3 4.4 4.5 4.7 4.9 5.2 5.6 6.2 7.2 "
        "8.3 9.3 9.5 9.1 8.8 8.7 8.2 7.5 6.8 6.2 5.7 5.3 4.9 4.5 4.2 4.1 4.1 4.4 4.7 5.1 5.3 5.5 5.4",
    ),
}
"""Mean and standard deviation between the children, degrees, every 2 % of the cycle: the middle and half of the width
of the bands in the paper's electronic annex, free speed. The pelvis is left out, because no keypoint shows the iliac
spines by which the paper defines it."""


def normal_curve(angle: str) -> tuple[Float[np.ndarray, "101"], Float[np.ndarray, "101"]] | None:
    """Mean and deviation of an angle at `PERCENT`, degrees.

    The standard deviation; None if it is not known.

    Args:
        angle: name without its side.

    Example:
        >>> mean, spread = normal_curve("knee_flexion")
        >>> round(float(mean.max())), round(float(spread[72]))
        (59, 6)
    """
    if angle not in _PUBLISHED:
        return None
    mean, spread = (np.interp(PERCENT, PERCENT[::2], np.array(text.split(), float)) for text in _PUBLISHED[angle])
    return mean, spread
