"""The root's place in the camera frame. It follows from the rays of the keypoints and the root-relative pose."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.geometry import NEAREST_PERSON
from poselift.kinematics.foot_contacts import missing_frames
from poselift.lifting.prepare.prepare_stage import Prepared
from poselift.numerics.banded import solve_banded

OUTLIER = 0.1
"""Distance of a joint from its ray, metres, at which it counts half."""

_SMOOTHNESS = 3.6e-5
"""Weight of squared acceleration, (m/s²)², against squared distance to the rays, m²: (0.03 / 5)², because distances are
good to 3 cm and a pelvis seldom accelerates by more than 5 m/s² (benchmarks/lifter_log.md)."""

_ROUNDS = 4
"""Solutions, each with weights by how far the one before is from the rays."""

_SHORTEST_STEP = 1e-4
"""Seconds between two frames that shorter steps count as: only broken timestamps have them, and the squares of their
accelerations would have more digits than the equations can hold."""

_REACH = 6
"""Unknowns on either side that an equation knows: three coordinates of two frames."""

_STILL = 0.006
"""Weight of the squared speed of a foot on the ground, (m/s)², against squared distance to the rays, m². A larger
weight keeps feet stiller, but carries the pose's error, and a contact found wrong, on into the root's path: with 0.06
the path is worse than without contacts (benchmarks/world.md)."""


@dataclass(frozen=True)
class Standing:
    """Feet on the ground.

    Attributes:
        points: of the feet, relative to the root, camera frame, metres.
        share: probability that a point stays in place, 0 to 1; 0 where its place is NaN.
    """

    points: Float[np.ndarray, "t p 3"]
    share: Float[np.ndarray, "t p"]


def solve_root(
    joints: Float[np.ndarray, "t j 3"],
    rays: Float[np.ndarray, "t j 3"],
    ray_scores: Float[np.ndarray, "t j"],
    times: Float[np.ndarray, " t"],
    standing: Standing | None = None,
) -> Float[np.ndarray, "t 3"]:
    """The root's smooth track that brings joints closest to their rays.

    Minimises the sum over frames and joints of w |(I - d d') (x + r)|², where d is a joint's unit ray, x its place
    relative to the root and r the root, plus the squared acceleration of r. Joints far off their ray count less
    (Cauchy weights, by repeated solution). Smoothness fills frames without a ray. Feet on the ground add their squared
    speed.

    Args:
        joints: relative to the root, camera frame, metres.
        rays: of the same joints, of any length; ignored where the weight is 0.
        ray_scores: 0 where a joint was not seen.
        times: seconds, increasing.
        standing: feet on the ground, if known.

    Returns:
        The root, camera frame, metres, in front of the camera.
    """
    frames = len(joints)
    used = (ray_scores > 0).any(0)
    joints, rays, ray_scores = joints[:, used], rays[:, used], ray_scores[:, used]
    unit = rays / np.maximum(np.linalg.norm(rays, axis=-1, keepdims=True), 1e-9)
    unit = np.where(ray_scores[..., None] > 0, unit, 0.0).astype(np.float64)

    def across(points: np.ndarray) -> np.ndarray:
        """Each joint's vector across its ray: (I - d d') x."""
        return points - unit * (unit * points).sum(-1, keepdims=True)

    ties, moves = _standing_terms(standing, times)
    fixed = _fixed_band(times, ties)
    weights = ray_scores.astype(np.float64)
    robust = weights
    root = np.zeros((frames, 3))
    beside = across(joints)
    for _ in range(_ROUNDS):
        pull = robust.sum(-1)[:, None, None] * np.eye(3) - (robust[..., None] * unit).transpose(0, 2, 1) @ unit
        target = -(robust[..., None] * beside).sum(1)
        root = _solve(pull, target + moves, fixed)
        # Lines have no direction: a pose that is upside down fits its rays best behind the camera. The other
        # frames carry such frames.
        weights = np.where(root[:, 2:] < NEAREST_PERSON, 0.0, weights)
        distance = np.linalg.norm(beside + across(np.broadcast_to(root[:, None], unit.shape)), axis=-1)
        robust = weights / (1 + (distance / OUTLIER) ** 2)
    return np.concatenate([root[:, :2], root[:, 2:].clip(min=NEAREST_PERSON)], -1)


def place_root(joints: Float[np.ndarray, "t j 3"], prepared: Prepared) -> Float[np.ndarray, "t 3"]:
    """A track's root in each of its segments.

    NaN between them, and in segments without a ray.

    Args:
        joints: in the track's frames, relative to the root, camera frame, metres.
        prepared: the track.
    """
    root = np.full((len(joints), 3), np.nan, np.float32)
    rays, ray_scores, times = prepared.rays, prepared.ray_scores, prepared.keypoints.timestamps
    for segment in prepared.segments:
        rows = slice(segment.first, segment.end)
        if ray_scores[rows].any():
            root[rows] = solve_root(joints[rows].astype(np.float64), rays[rows], ray_scores[rows], times[rows])
    return root


def _steps(times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " steps"]:
    """Seconds between frames."""
    return np.diff(times).clip(min=_SHORTEST_STEP)


def _acceleration_matrix(times: Float[np.ndarray, " t"]) -> Float[np.ndarray, "t 3"]:
    """Three coefficients of each frame's second derivative; zero at ends."""
    steps = _steps(times)
    before, after = steps[:-1], steps[1:]
    rows = np.zeros((len(times), 3))
    rows[1:-1, 0] = 2 / (before * (before + after))
    rows[1:-1, 1] = -2 / (before * after)
    rows[1:-1, 2] = 2 / (after * (before + after))
    return rows


def _standing_terms(
    standing: Standing | None, times: Float[np.ndarray, " t"]
) -> tuple[Float[np.ndarray, " pairs"], Float[np.ndarray, "t 3"]]:
    """Standing feet in the normal equations: ties between frames, and right side."""
    ties, target = np.zeros(len(times) - 1), np.zeros((len(times), 3))
    if standing is None:
        return ties, target
    both = np.minimum(standing.share[1:], standing.share[:-1]) * ~missing_frames(times)[:, None]
    weight = _STILL / _steps(times) ** 2
    steps = (both[..., None] * np.where(both[..., None] > 0, np.diff(standing.points, axis=0), 0.0)).sum(1)
    # The root moves against the foot's own motion.
    target[:-1] += weight[:, None] * steps
    target[1:] -= weight[:, None] * steps
    return weight * both.sum(-1), target


def _fixed_band(times: Float[np.ndarray, " t"], ties: Float[np.ndarray, " pairs"]) -> Float[np.ndarray, "13 n"]:
    """The band of the normal equations that no ray changes. It has smoothness, and standing feet."""
    frames = len(times)
    band = np.zeros((2 * _REACH + 1, 3 * frames))  # band[_REACH + k, i] = A[i + k, i]
    if frames >= 3:
        smooth = _acceleration_matrix(times)
        for a in range(3):
            for b in range(3):
                product = _SMOOTHNESS * smooth[1:-1, a] * smooth[1:-1, b]
                band[_REACH + 3 * (a - b), 3 * b : 3 * (b + frames - 2)] += np.repeat(product, 3)
    ties = np.repeat(ties, 3)
    for diagonal, columns, sign in (
        (0, slice(-3), 1),
        (0, slice(3, None), 1),
        (3, slice(-3), -1),
        (-3, slice(3, None), -1),
    ):
        band[_REACH + diagonal, columns] += sign * ties
    # A very small pull to 4 m ahead keeps a track without rays solvable.
    band[_REACH] += 1e-9
    return band


def _solve(
    pull: Float[np.ndarray, "t 3 3"], target: Float[np.ndarray, "t 3"], fixed: Float[np.ndarray, "13 n"]
) -> Float[np.ndarray, "t 3"]:
    """Solves the banded normal equations. Unknown 3 t + c is coordinate c of frame t."""
    frames = len(pull)
    band = fixed.copy()
    for row in range(3):
        for column in range(3):
            band[_REACH + row - column, column::3] += pull[:, row, column]
    right = target.copy()
    right[:, 2] += 4e-9
    return solve_banded(band, right.reshape(-1)).reshape(frames, 3)
