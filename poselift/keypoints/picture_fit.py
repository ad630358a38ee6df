"""Whether keypoints are pixels of their picture.

They may be of a turned, transposed, larger or smaller one. Two things tell: how much of the people lies outside of the
picture, by each reading of its size, and whether people lie where they should stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.detection.orientation import body_angle
from poselift.skeleton import Skeleton

_OUTSIDE = 0.5
"""Share of the points outside of the picture that is refused."""
_BODIES_OUTSIDE = 0.06
"""Share of the bodies that lie mostly outside that is refused: no detector sees them; trackers keep some for a
moment."""
_DOUBTFUL = 0.1
"""Share of the points outside, weighted by their scores, from which on there is a warning: detectors guess hidden feet
there, with low scores."""
_TELLING = 0.02
"""Share of the points by which one reading of the size must be better than another."""
_LYING = 0.9
"""Share of the bodies that lie where a camera on its side is likelier: people lie for a part of a clip."""
_CORNER = 0.5
"""Share of the width and height that all points stay in where a smaller copy of the picture is likely."""
_SAMPLES = 200
"""Bodies at most whose direction is measured."""


@dataclass(frozen=True)
class PictureFit:
    """How a file's coordinates become pixels of the upright picture.

    Attributes:
        image_size: (width, height) of the upright picture, pixels.
        scale: factor from the file's coordinates to pixels.
        turns: quarter turns clockwise from the keypoints' picture to the upright one.
        warnings: what is doubtful about it.
    """

    image_size: tuple[int, int]
    scale: Float[np.ndarray, "2"]
    turns: int = 0
    warnings: tuple[Caution, ...] = ()

    def to_pixels(self, points: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        """The points in pixels of the upright picture."""
        return turn_points(points * self.scale, self.turns, self.image_size)


def fit_picture(
    path: Path,
    people: Sequence[tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]],
    skeleton: Skeleton,
    image_size: tuple[int, int],
    scale: Float[np.ndarray, "2"],
    rotation: int = 0,
) -> PictureFit:
    """Decides which picture the keypoints are of.

    Args:
        path: the file, for messages.
        people: points in the file's units and their scores, 0 for those that were not seen; one item a body.
        skeleton: of the points.
        image_size: (width, height) of the upright picture, pixels.
        scale: factor from the points to pixels.
        rotation: clockwise from the stored to the upright picture, degrees; 0 without a video.

    Raises:
        InputError: too much lies outside of the picture.
    """
    bodies = [(points * scale, scores) for points, scores in people if (scores > 0).any()]
    if not bodies:
        return PictureFit(image_size, scale)
    points = np.concatenate([points[scores > 0] for points, scores in bodies])
    weights = np.concatenate([scores[scores > 0] for _, scores in bodies]).clip(max=1)
    beyond = ~_inside(points, image_size)
    outside, across = beyond.mean(), (~_inside(points, image_size[::-1])).mean()
    width, height = image_size
    far = f"they reach to {points[:, 0].max():.0f} x {points[:, 1].max():.0f}"
    if rotation and _share_turned(bodies, skeleton, -rotation) >= _LYING:
        if rotation % 180 and outside - across > _TELLING:
            text = (
                f"{outside:.0%} of the points lie outside the upright picture of {width} x {height}, and everybody "
                f"lies: the keypoints are taken as those of the stored picture, and turned by {rotation} degrees as "
                "the video says"
            )
            return PictureFit(image_size, scale, rotation // 90, (Caution(text, "input"),))
        text = (
            f"everybody lies in a video that is turned by {rotation} degrees: if the keypoints are of the stored "
            "picture, write them of the upright one"
        )
        return PictureFit(image_size, scale, 0, (Caution(text, "input"),))
    if outside - across > _TELLING and across < _TELLING:
        lying = max(_share_turned(bodies, skeleton, angle) for angle in (-90, 90))
        if lying >= _LYING:
            raise InputError(
                f"{path}: {outside:.0%} of the points lie outside a picture of {width} x {height}, none outside one of "
                f"{height} x {width}, and everybody lies: x and y are exchanged, or the picture was turned; write the "
                "keypoints of the upright picture, x first"
            )
    advice = "give the video of the keypoints, or its size"
    if outside > _OUTSIDE:
        raise InputError(f"{path}: most points lie outside a picture of {width} x {height} ({far}); {advice}")
    away = np.mean([_mostly_beyond(body, scores, image_size) for body, scores in bodies])
    if away > _BODIES_OUTSIDE:
        raise InputError(
            f"{path}: {away:.0%} of the bodies lie mostly outside a picture of {width} x {height} ({far}); {advice}"
        )
    warnings = []
    if (share := float((weights * beyond).sum() / weights.sum())) > _DOUBTFUL:
        text = f"{share:.0%} of the points lie outside the picture ({far}): if it was resized, {advice}"
        warnings.append(Caution(text, "input"))
    elif max(_share_turned(bodies, skeleton, angle) for angle in (-90, 90)) >= _LYING:
        # Nothing lies outside where people are in the middle, or where the picture is square.
        text = (
            "everybody lies in all of the clip: if they stand in the video, x and y are exchanged or the picture was "
            "turned; write the keypoints of the upright picture, x first"
        )
        warnings.append(Caution(text, "input"))
    elif np.all(points.max(0) < _CORNER * np.array(image_size)):
        text = (
            f"all points lie in the upper left quarter of the picture ({far} of {width} x {height}): if it was "
            f"resized, {advice}"
        )
        warnings.append(Caution(text, "input"))
    return PictureFit(image_size, scale, 0, tuple(warnings))


def turn_points(
    points: Float[np.ndarray, "*n 2"], turns: int, image_size: tuple[int, int]
) -> Float[np.ndarray, "*n 2"]:
    """A picture's points, turned clockwise by quarter turns to this size."""
    width, height = image_size if turns % 2 == 0 else image_size[::-1]
    for _ in range(turns):
        points = np.stack([height - 1 - points[..., 1], points[..., 0]], -1)
        width, height = height, width
    return points


def _inside(points: Float[np.ndarray, "n 2"], image_size: tuple[int, int]) -> Bool[np.ndarray, " n"]:
    """Which points lie in a picture."""
    return np.asarray(np.all((points >= -0.5) & (points <= np.array(image_size) - 0.5), axis=-1))


def _mostly_beyond(points: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], size: tuple[int, int]) -> bool:
    """Whether over half of the seen points are beyond the edges.

    It is the picture's right or lower edge. People also leave a picture to the left, but no other size of it moves them
    there.
    """
    return bool((points[scores > 0] >= size).any(-1).mean() > 0.5)


def _share_turned(
    bodies: Sequence[tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]], skeleton: Skeleton, degrees: int
) -> float:
    """Share of bodies turned clockwise by this angle.

    The angle is from upright, and may be off by an eighth of a turn.
    """
    rows = np.unique(np.linspace(0, len(bodies) - 1, min(len(bodies), _SAMPLES)).round().astype(int))
    chosen = [bodies[row] for row in rows.tolist()]
    angles = [body_angle(points, scores, skeleton) for points, scores in chosen]
    known = np.array([angle for angle in angles if angle is not None])
    apart = np.remainder(known - np.radians(degrees) + np.pi, 2 * np.pi) - np.pi
    return float((np.abs(apart) < np.pi / 4).mean()) if len(known) else 0.0
