"""A person's 2D skeleton on the picture."""

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.skeleton import Skeleton
from poselift.viz.capsules import capsule_outlines, fill_outlines
from poselift.viz.colors import WHITE, PersonColors
from poselift.viz.labels import draw_label, text_height
from poselift.viz.limbs import limbs_of

_EDGE = (16, 18, 22)  # a dark rim, visible on bright pictures


def draw_skeleton_2d(
    image: UInt8[np.ndarray, "h w 3"],
    keypoints: Float[np.ndarray, "j 2"],
    scores: Float[np.ndarray, " j"],
    skeleton: Skeleton,
    colors: PersonColors,
    *,
    threshold: float = 0.3,
    label: str | None = None,
    thin: bool = False,
) -> None:
    """Draws a skeleton on the picture, in place.

    Args:
        image: RGB.
        keypoints: pixels; NaN for unseen joints.
        scores: 0 to 1; joints below the threshold are not drawn, and neither are their limbs.
        skeleton: skeleton of the keypoints.
        colors: colours of the person.
        threshold: lowest score of a drawn joint.
        label: text above the head.
        thin: draw fine light lines with dots at the joints, below another skeleton.
    """
    points = np.where((scores >= threshold)[:, None], keypoints, np.nan).astype(np.float64)
    seen = np.isfinite(points).all(-1)
    if not seen.any():
        return
    extent = float(np.ptp(points[seen], axis=0).max())
    height = image.shape[0]
    radius = float(np.clip(0.011 * extent, height / 420, height / 120))
    rim = max(0.8, 0.3 * radius)

    limbs = limbs_of(skeleton)
    ends = limbs.ends(points)
    drawn = np.flatnonzero(np.isfinite(ends).all((1, 2)))
    if thin:
        _draw_thin(image, ends[drawn], points[seen], max(1, round(0.3 * radius)))
        return
    radii = np.repeat(radius * limbs.widths[drawn, None], 2, axis=1)
    # All rims first, so that they surround the body.
    outlines = [*capsule_outlines(ends[drawn], radii + rim), *capsule_outlines(ends[drawn], radii)]
    fill_outlines(image, outlines, [_EDGE] * len(drawn) + [colors.of_side(limbs.sides[limb]) for limb in drawn])

    if label is not None:
        x, y = points[seen][points[seen][:, 1].argmin()]
        gap = max(0.07 * extent, 4 * radius)
        draw_label(image, label, float(x), float(y) - gap, text_height(height), colors.middle)


def _draw_thin(image: np.ndarray, ends: np.ndarray, points: np.ndarray, width: int) -> None:
    far = 4 * max(image.shape)
    lines = list(np.round(ends[(np.abs(ends) < far).all((1, 2))] * 16).astype(np.int32))
    dots = np.round(points[(np.abs(points) < far).all(-1)] * 16).astype(int).tolist()
    for color, wide in ((_EDGE, width + 2), (WHITE, width)):
        cv2.polylines(image, lines, False, color, wide, cv2.LINE_AA, 4)
        for dot in dots:
            cv2.circle(image, dot, 12 * (wide + 2), color, -1, cv2.LINE_AA, 4)
