"""Resting height: standing feet rest on the ground, none sinks in.

The root goes up or down for that, slowly. A camera shows depth poorly, so a person who walks seems to go up and down by
a few centimetres, and a foot that is too near or too far seems too high or too low. Only the root moves and the pose
stays, so angles stay too. Two feet that stand at two heights, by errors of the pose, then lie above and below the
ground as far as limits allow.
"""

import numpy as np
from jaxtyping import Bool, Float

from poselift.kinematics.filtering import gaussian_means
from poselift.kinematics.foot_contacts import Feet
from poselift.kinematics.ground import Ground

_SUNK, _AFLOAT = 0.015, 0.02
"""Metres by which a point of a foot may lie under its resting height, and a standing foot over it. The eye sees 2 and
3 cm; these leave something for what the smooth course does not reach."""

_ELSEWHERE = 0.08
"""Height of standing feet, metres, of which half is taken away. Feet that stand higher or lower are on something else:
of 0.15 m, as on a stair, 0.01 m is taken away, and of 0.3 m none (benchmarks/world.md)."""

_MEMORY = 0.4
"""Standard deviation in seconds of the Gaussian that averages the root's moves over time. A root that follows faster
passes the pose's error on to its velocity (benchmarks/world.md)."""


def find_resting_moves(
    feet: Feet, down: Bool[np.ndarray, "t 2 p"], ground: Ground, times: Float[np.ndarray, " t"]
) -> Float[np.ndarray, " t"]:
    """By how much to raise the root in each frame, metres.

    Between contacts, as in a jump, the moves pass from one to the next.

    Args:
        feet: of one person in the camera frame; NaN where unknown.
        down: points of the feet that are on the ground.
        ground: in the camera frame.
        times: seconds, increasing.
    """
    over = feet.points @ ground.up - ground.height - feet.rest
    down = down & np.isfinite(over).all((1, 2))[:, None, None]
    stands = down.any((1, 2))
    if not stands.any():
        return np.zeros(len(times))
    over, down = over[stands], down[stands]
    mean = np.where(down, over, 0.0).sum((1, 2)) / down.sum((1, 2))
    lowest = over.min((1, 2))
    highest = np.where(down.any(-1), over.min(-1), -np.inf).max(-1)
    # Where both limits cannot be kept, no foot floats.
    excess = np.maximum(np.minimum(mean, lowest + _SUNK), highest - _AFLOAT)
    excess /= 1 + (excess / _ELSEWHERE) ** 4
    course = np.interp(times, times[stands], excess)
    return -gaussian_means(course, times, _MEMORY)
