"""Whether a lifted body can be a person's. What cannot comes from keypoints that were read wrongly."""

import numpy as np
from jaxtyping import Float

from poselift.structures import Motion

_HEIGHTS = 1.1, 2.3
"""Standing heights in metres outside which a lifted body is doubtful. Lifters learn from adults and make children too
large, so that the least is far above that of a child."""

_UNEVEN = 1.35
"""Ratio of a left bone to the right one, from which on it is doubtful."""

_LENGTHS = {
    ("hip", "knee"): ("thigh", 0.17, 0.33),
    ("knee", "ankle"): ("shank", 0.16, 0.33),
    ("shoulder", "elbow"): ("upper arm", 0.10, 0.24),
    ("elbow", "wrist"): ("forearm", 0.08, 0.22),
}
"""Bones by their joints, with the least and the largest share of the height: two thirds to four thirds of those of
Winter (Biomechanics and Motor Control of Human Movement, 2009, figure 4.1), and less for short forearms."""


def doubt_body(motion: Motion) -> list[str]:
    """What speaks against a person's body, one phrase each.

    There are none for a body of human size and proportions.

    Args:
        motion: joints in metres, medians over the frames count. A given height is not doubted.
    """
    stature, found = motion.height, []
    if stature is not None and stature.origin == "estimated" and not _HEIGHTS[0] <= stature.metres <= _HEIGHTS[1]:
        found.append(f"a height of {stature.metres:.2f} m")
    for (start, end), (name, least, most) in _LENGTHS.items():
        left, right = (_length(motion, f"{side}_{start}", f"{side}_{end}") for side in ("left", "right"))
        if not (np.isfinite(left) and np.isfinite(right)):
            continue
        if max(left, right) > _UNEVEN * min(left, right):
            found.append(f"{name}s of {left:.2f} and {right:.2f} m")
        elif stature is not None and not least <= (left + right) / 2 / stature.metres <= most:
            found.append(f"a {name} of {(left + right) / 2:.2f} m at a height of {stature.metres:.2f} m")
    return found


def _length(motion: Motion, start: str, end: str) -> float:
    """Median distance of two joints, metres; NaN if unknown."""
    if start not in motion.skeleton.joints or end not in motion.skeleton.joints:
        return np.nan
    first, second = motion.skeleton.indices([start, end])
    distance: Float[np.ndarray, " t"] = np.linalg.norm(motion.joints[:, first] - motion.joints[:, second], axis=-1)
    return float(np.nanmedian(distance)) if np.isfinite(distance).any() else np.nan
