"""Joints from all views' rays and lifted poses, with uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from poselift.geometry.camera import Camera
from poselift.several_views.bundle import adjust
from poselift.several_views.calibration import choose_samples, first_joints, lifted_lengths
from poselift.several_views.observations import TO_SPREAD, Observations
from poselift.several_views.rods import rods_of
from poselift.several_views.shared_unknowns import Known, Shared

_CHUNK = 400
"""Samples that are solved at once."""

_ROUNDS, _BODY_ROUNDS = 8, 12
"""Most steps for the joints, and for the lengths of bodies."""

_TO_RADIUS = 1.5
"""Radius of the ball that holds a joint in 90 % of cases, over the root of its variances' sum: 1.44 for errors that are
alike in all directions, 1.64 for errors along one line."""

_FACTORS = np.array([0.87, 0.77, 0.89])
"""Of the uncertainty, so that it holds 90 % of the joints of CMU's val people (benchmarks/multiview.py): where up to
two views have the person, where three have, and where more have. The train people would have 15 % less for two views,
and then 82 % of the val people's joints: the lifter knows the bodies that it learned from."""

_UNSEEN_ROOT, _UNSEEN_JOINT = 0.032, 0.024
"""Radius of the ball that holds a root, or another joint, in 90 % of cases, metres, where no view has keypoints of it:
the lifter places it on the joints that are seen, with an error that all frames and views share. Chosen on CMU's val
people (benchmarks/multiview.py)."""


@dataclass(frozen=True)
class Fused:
    """Everybody's joints.

    Attributes:
        joints: frame of the cameras' poses, metres; NaN where no view has the person.
        uncertainty: radius of the ball that holds a joint in 90 % of cases, relative to the root, metres, for known
            cameras.
        views: number of views with the person.
        beside: distance of each joint from its ray in each view, metres; NaN where unseen.
    """

    joints: Float[np.ndarray, "n j 3"]
    uncertainty: Float[np.ndarray, "n j"]
    views: np.ndarray
    beside: Float[np.ndarray, "v n j"]


def fuse(seen: Observations, cameras: Sequence[Camera], size: float = 0.08) -> Fused:
    """The joints that fit keypoints and lifted poses of all views.

    Args:
        seen: everybody at all times.
        cameras: of the views; the keypoints are on the plane z = 1 of their lenses.
        size: standard deviation of the log of the bodies' size.
    """
    rods = rods_of(seen.skeleton)
    views = len(cameras)
    poses = np.stack([camera.R for camera in cameras]), np.stack([camera.t for camera in cameras])
    fixed = np.zeros(views, bool), np.zeros(views)
    lengths = lifted_lengths(seen)
    first = first_joints(seen, *poses)
    shared = Shared(*poses, np.zeros(views), lengths, np.zeros(views))
    rows = choose_samples(seen)
    if len(rows):
        known = Known(lengths, np.full(len(lengths), size), fixed[1], fixed[0], fixed[1])
        shared = adjust(seen.samples(rows), first[rows], shared, known, rods, _BODY_ROUNDS).shared
    known = Known(shared.lengths, np.full(len(lengths), size), fixed[1], fixed[0], fixed[1], bodies=False)
    there = np.flatnonzero(np.isfinite(first).all((1, 2)))
    joints, uncertainty = np.full(first.shape, np.nan), np.full(first.shape[:2], np.nan)
    beside = np.full(seen.scores.shape, np.nan)
    for begin in range(0, len(there), _CHUNK):
        rows = there[begin : begin + _CHUNK]
        fit = adjust(seen.samples(rows), first[rows], shared, known, rods, _ROUNDS)
        joints[rows] = fit.joints
        beside[:, rows] = fit.beside
        total = np.trace(fit.joint_covariance, axis1=-2, axis2=-1)
        unseen = ~np.any(seen.visible[:, rows], axis=0)
        guessed = np.where(unseen, _UNSEEN_JOINT**2, 0.0) + np.where(unseen[:, :1], _UNSEEN_ROOT**2, 0.0)
        factor = _FACTORS[np.clip(seen.present[:, rows].sum(0) - 2, 0, 2)][:, None]
        joined = np.sqrt((factor * _TO_RADIUS) ** 2 * np.maximum(total, 0.0) + guessed)
        # Of a joint that no view shows, all views are no less sure than one of them by itself: a spine beside a pelvis.
        alone = np.where(unseen & seen.present[:, rows, None], TO_SPREAD * seen.spread[:, rows], np.inf).min(0)
        uncertainty[rows] = np.fmin(joined, alone)
        uncertainty[rows, 0] = 0.0
    return Fused(joints, uncertainty, seen.present.sum(0), beside)


def swap_sides(seen: Observations, fused: Fused, cameras: Sequence[Camera]) -> tuple[Observations, int]:
    """Samples with sides exchanged as other views say, and their number.

    Arms and legs are exchanged each as a whole, in one view and sample, where that brings the keypoints much closer to
    the joints that all views give together.

    Args:
        seen: the samples.
        fused: their joints.
        cameras: of the views.
    """
    plane, scores, flow = seen.plane.copy(), seen.scores.copy(), seen.flow.copy()
    count = 0
    for limb in (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "heel", "big_toe")):
        names = [joint for joint in limb if f"left_{joint}" in seen.skeleton.joints]
        left, right = (seen.skeleton.indices([f"{side}_{joint}" for joint in names]) for side in ("left", "right"))
        both = [*left, *right]
        other = [*right, *left]
        for view, camera in enumerate(cameras):
            swapped = _is_swapped(seen, fused, camera, view, both, other)
            rows = np.flatnonzero(swapped)
            count += len(rows)
            for array in (plane, scores, flow):
                array[view, rows[:, None], both] = array[view, rows[:, None], other]
    return replace(seen, plane=plane, scores=scores, flow=flow), count


def _is_swapped(
    seen: Observations, fused: Fused, camera: Camera, view: int, both: list[int], other: list[int]
) -> Bool[np.ndarray, " n"]:
    """Samples whose limb fits the other side's joints."""
    places = (fused.joints[:, both] - camera.t) @ camera.R
    depth = np.maximum(places[..., 2:], 0.1)
    flat = places[..., :2] / depth
    costs = []
    for columns in (both, other):
        off = np.linalg.norm(seen.plane[view][:, columns] - flat, axis=-1) * depth[..., 0] / 0.02
        there = np.isfinite(off)
        costs.append((np.where(there, np.minimum(off**2, 25.0), 0.0) * there).sum(1) / np.maximum(there.sum(1), 1))
        known = there.sum(1) >= 3
    swapped: np.ndarray = known & (costs[1] < 0.4 * costs[0]) & (costs[0] > 6.0)
    return swapped
