"""The scale of a camera's path, from feet that stand: they do not move in the world."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.kinematics.foot_contacts import feet_of, point_velocity, runs_of
from poselift.structures import Motion

_SLOW = 0.35
"""Speed of a foot at which it counts a quarter, m/s: a standing foot seems to move at 0.3 m/s in lifted motion."""

_RANGE = (0.3, 80.0)
"""Possible distances of the background, metres."""

_STANDS = 0.45
"""Least share of the time in which a foot stands still, for a scale to be believed. People who walk have a foot on the
ground all the time."""

_SHORTEST = 0.12
"""Shortest time that a foot stands, seconds."""

_FEWEST = 3
"""Least number of times that a foot stands."""

SURE = 0.1
"""Largest standard deviation of the scale, as a share of it."""


@dataclass(frozen=True)
class FeetScale:
    """The scale of a path.

    Attributes:
        metres: for each unit of the path.
        spread: standard deviation as a share.
        stands: share of the time in which a foot stands still in the world.
    """

    metres: float
    spread: float
    stands: float

    @property
    def sure(self) -> bool:
        """Whether the path may be shown in metres."""
        return self.spread <= SURE and self.stands >= _STANDS


def find_scale(motions: Sequence[Motion], places: Sequence[Float[np.ndarray, "t 3"]]) -> FeetScale | None:
    """The scale with which feet stand still; None where no feet are seen.

    A foot's velocity in the world is its velocity from the camera plus that of the camera. In each frame the slowest
    point of the feet counts.

    Args:
        motions: seen from the moving camera, in axes that do not turn.
        places: of the camera in the frames of each motion, in the path's unit.
    """
    slides, moves, weights, runs = [], [], [], []
    for number, (motion, place) in enumerate(zip(motions, places, strict=True)):
        feet = feet_of(motion)
        if feet is None:
            continue
        times = motion.timestamps
        own = np.where(feet.seen[..., None], point_velocity(feet.points, times), np.nan)
        camera = point_velocity(np.tile(place[:, None, None], (1, 2, feet.points.shape[2], 1)), times)
        step = np.gradient(times) if len(times) > 1 else np.zeros(1)
        slides.append(own.reshape(len(times), -1, 3))
        moves.append(camera.reshape(len(times), -1, 3))
        weights.append(step)
        runs.append(np.full(len(times), number))
    if not slides:
        return None
    slide, move, weight = np.concatenate(slides), np.concatenate(moves), np.concatenate(weights)
    known = np.isfinite(slide).all(-1).any(-1)
    if not known.any() or not np.abs(move[known]).max() > 0:
        return None
    slide, move, weight, owner = slide[known], move[known], weight[known], np.concatenate(runs)[known]

    def speeds(scale: float) -> Float[np.ndarray, "n p"]:
        moved = np.linalg.norm(slide + scale * move, axis=-1)
        speed: np.ndarray = np.where(np.isfinite(moved), moved, np.inf)
        return speed

    def score(scale: float) -> float:
        return float((weight / (1 + (speeds(scale).min(-1) / _SLOW) ** 2) ** 2).sum() / weight.sum())

    grid = np.geomspace(*_RANGE, 120)
    best = float(grid[int(np.argmax([score(scale) for scale in grid]))])
    for width in (0.04, 0.008, 0.002):
        near = best * (1 + width * np.linspace(-1, 1, 9))
        best = float(near[int(np.argmax([score(scale) for scale in near]))])
    point = speeds(best).argmin(-1)
    rows = np.arange(len(point))
    slow = speeds(best)[rows, point] < _SLOW
    # Each time that a foot stands gives a scale of its own; their scatter tells how sure their mean is.
    scales, trusts = [], []
    code = owner * 100 + point
    for each in np.unique(code):
        for first, end in runs_of(slow & (code == each)):
            if weight[first:end].sum() >= _SHORTEST:
                own, camera = slide[first:end, point[first]].mean(0), move[first:end, point[first]].mean(0)
                if camera @ camera > 0:
                    scales.append(-(own @ camera) / (camera @ camera))
                    trusts.append(float(camera @ camera) * weight[first:end].sum())
    if len(scales) < _FEWEST:
        return FeetScale(best, np.inf, float(weight[slow].sum() / weight.sum()))
    trust = np.array(trusts) / np.sum(trusts)
    mean = float(trust @ scales)
    scatter = float(trust @ (np.array(scales) - mean) ** 2)
    count = 1 / float((trust**2).sum())
    spread = np.sqrt(scatter / max(count - 1, 0.5)) / max(abs(mean), 1e-9)
    agree = abs(mean - best) / best
    return FeetScale(best, float(max(spread, agree / 2)), float(weight[slow].sum() / weight.sum()))
