"""The scale of a camera's path, from standing feet. They do not move in the world."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

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

_STRIDE = 1.06
"""Size of a stride over that of the lifted one: a walker's standing foot seems to go along with the body. Chosen on
clips of the train split: 1.03 and 1.06 leave the least error (benchmarks/world.md, "The scale of a walk")."""

_SLIP = 0.05
"""What is left of that, as a share of the body's speed. Over the camera's speed in the same direction it is an error of
the scale: a slow camera that follows a walker has no scale."""

_DEPTH = 0.08
"""Error of the scale, as a share, of a camera that moves along the line of sight to a person: lifted distances change
with the pose. On the same clips it is 0.10 where the camera goes ahead or back."""

_SIZE = {"estimated": 0.05, "given": 0.02}
"""Error of a person's size in the scale, by where the height comes from."""


@dataclass(frozen=True)
class FeetScale:
    """The scale of a path.

    Attributes:
        metres: for each unit of the path.
        spread: standard deviation as a share, with what the body's size and the lifted strides leave.
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
    """The scale with which feet stand still; None without feet.

    A foot's velocity in the world is its velocity from the camera plus that of the camera. In each frame the slowest
    point of the feet counts.

    Args:
        motions: seen from the moving camera, in axes that do not turn.
        places: of the camera in the frames of each motion, in the path's unit.
    """
    slides, walks, moves, sights, weights, runs = [], [], [], [], [], []
    for number, (motion, place) in enumerate(zip(motions, places, strict=True)):
        feet = feet_of(motion)
        if feet is None:
            continue
        times = motion.timestamps
        shape = 1, 2, feet.points.shape[2], 1
        body = point_velocity(np.tile(motion.root[:, None, None].astype(np.float64), shape), times)
        camera = point_velocity(np.tile(place[:, None, None], shape), times)
        own = body + _STRIDE * (point_velocity(feet.points, times) - body)
        own = np.where(feet.seen[..., None], own, np.nan)
        step = np.gradient(times) if len(times) > 1 else np.zeros(1)
        slides.append(own.reshape(len(times), -1, 3))
        walks.append(body[:, 0, 0])
        moves.append(camera.reshape(len(times), -1, 3))
        sights.append(motion.root / np.linalg.norm(motion.root, axis=-1, keepdims=True))
        weights.append(step)
        runs.append(np.full(len(times), number))
    if not slides:
        return None
    slide, move, weight = np.concatenate(slides), np.concatenate(moves), np.concatenate(weights)
    owner, walk, sight = np.concatenate(runs), np.concatenate(walks), np.concatenate(sights)
    known = np.isfinite(slide).all(-1).any(-1)
    if not known.any() or not np.abs(move[known]).max() > 0:
        return None
    slide, move, weight = slide[known], move[known], weight[known]
    owner, walk, sight = owner[known], walk[known], sight[known]
    found = _solve(slide, move, weight, owner)
    size = max(_SIZE.get(motion.height.origin if motion.height else "", _SIZE["estimated"]) for motion in motions)
    camera = found.metres * move[:, 0]
    way = (weight * (camera**2).sum(-1)).sum()
    along = np.nansum(weight * ((walk + camera) * camera).sum(-1)) / way
    deep = math.sqrt(np.nansum(weight * (camera * sight).sum(-1) ** 2) / way)
    found = replace(found, spread=math.hypot(found.spread, size, _SLIP * along, _DEPTH * deep))
    people = np.unique(owner)
    if len(people) == 1:
        return found
    # Somebody stands on the ground, and somebody else on a cart: each alone is sure of another scale.
    alone = [_solve(*(each[owner == person] for each in (slide, move, weight, owner))) for person in people]
    others = [abs(math.log(each.metres / found.metres)) / 2 for each in alone if each.sure]
    return replace(found, spread=max([found.spread, *others]))


def _solve(
    slide: Float[np.ndarray, "n p 3"],
    move: Float[np.ndarray, "n p 3"],
    weight: Float[np.ndarray, " n"],
    owner: Int[np.ndarray, " n"],
) -> FeetScale:
    """The scale with which the slowest points stand still.

    Args:
        slide: velocities of points of feet from the camera, metres a second; NaN where unknown.
        move: of the camera, units of the path a second.
        weight: time of each frame, seconds.
        owner: number of the person.
    """

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
    scales, weights = [], []
    code = owner * 100 + point
    for each in np.unique(code):
        for first, end in runs_of(slow & (code == each)):
            if weight[first:end].sum() >= _SHORTEST:
                own, camera = slide[first:end, point[first]].mean(0), move[first:end, point[first]].mean(0)
                if camera @ camera > 0:
                    scales.append(-(own @ camera) / (camera @ camera))
                    weights.append(float(camera @ camera) * weight[first:end].sum())
    if len(scales) < _FEWEST:
        return FeetScale(best, np.inf, float(weight[slow].sum() / weight.sum()))
    shares = np.array(weights) / np.sum(weights)
    mean = float(shares @ scales)
    scatter = float(shares @ (np.array(scales) - mean) ** 2)
    count = 1 / float((shares**2).sum())
    spread = np.sqrt(scatter / max(count - 1, 0.5)) / max(abs(mean), 1e-9)
    agree = abs(mean - best) / best
    return FeetScale(best, float(max(spread, agree / 2)), float(weight[slow].sum() / weight.sum()))
