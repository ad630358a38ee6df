"""The uncertainty that moves a whole body: size and tilt.

A lifter learns its uncertainty on the people of its training data, and is calibrated on others like them. A new person
may be taller or smaller than it thinks, and stand or lean another way. Both move a joint farther the farther it is from
the root, so both are a share of that distance. Relative to the body nothing changes: angles have neither.
"""

import numpy as np
from jaxtyping import Float

from poselift.core.unchecked import replace_unchecked
from poselift.structures import Motion

SIZE = 0.08
"""Standard deviation of log(true size / lifted size) of adults whose height is unknown: 0.06 with a known camera, 0.07
with an assumed field of view (benchmarks/robustness.md). `poselift.kinematics.height.SPREAD` has room for children."""

CHILD_SIZE = 0.16
"""The same for a body with a child's proportions, which is lifted too large by 12 to 28 % (docs/uncertainty.md)."""

_TILT = 0.05
"""Standard deviation of whole-body rotation, radians, beyond what the lifter says, with what a given height leaves of
the size. Chosen on the real person of benchmarks/real.py beside virtual views (docs/uncertainty.md)."""

TO_90 = 1.645
"""From a standard deviation to the half-width of the 90 % interval, for normal errors."""


def add_body_uncertainty(motion: Motion, size: float = SIZE) -> Motion:
    """The motion's uncertainties in metres, from those of the body.

    Args:
        motion: of one person.
        size: standard deviation of log(true size / lifted size); 0 with the person's own height.
    """
    return _with_share(motion, body_share(size))


def body_share(size: float) -> float:
    """The share of a joint's distance from the root in its uncertainty.

    Args:
        size: standard deviation of log(true size / lifted size); 0 with the person's own height.
    """
    return float(TO_90 * np.hypot(size, _TILT))


def relative_to_body(motion: Motion) -> Motion:
    """The motion's uncertainties without the body's size and tilt.

    Args:
        motion: of one person.
    """
    return _with_share(motion, 0.0)


def _with_share(motion: Motion, share: float) -> Motion:
    """The motion with another share of distance in its uncertainty. The distance is that from the root."""
    if motion.uncertainty is None:
        return motion
    uncertainty = change_share(motion.uncertainty, motion.joints, motion.body_share, share)
    return replace_unchecked(motion, uncertainty=uncertainty, body_share=share)


def change_share(
    uncertainty: Float[np.ndarray, "t j"], joints: Float[np.ndarray, "t j 3"], before: float, after: float
) -> Float[np.ndarray, "t j"]:
    """Uncertainties with another share of the distance from the root."""
    far = np.linalg.norm(joints, axis=-1)
    squares = uncertainty.astype(np.float64) ** 2 + (after**2 - before**2) * far**2
    return np.sqrt(np.maximum(squares, 0.0)).astype(uncertainty.dtype)
