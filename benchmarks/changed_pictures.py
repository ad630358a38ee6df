"""Pictures made hard to see in: their colours, size, turn and edge change, or people are hidden or laid down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from benchmarks.two_models import size_of
from poselift.finding.overlapping_people import draw_silhouette
from poselift.skeleton import COCO17

_TALL = 600.0
"""Mean height of the people in the videos, pixels."""
_GREY = (114, 114, 114)
_BOARD = 0.05
"""Margin of a board about the joints that it hides, as a share of the body."""
_LEGS = COCO17.indices([f"{side}_{joint}" for side in ("left", "right") for joint in ("knee", "ankle")])
_CUT, _COVERED = 1.6, 2.2
"""Width of the limbs that are cut out, and of those that are painted over, as a share of the usual silhouette's."""
_SOFT = 3.0
"""Standard deviation of the edge of what was cut out, pixels."""
_COARSE = 8
"""Pixels of the picture per pixel of what is painted over it, on each side."""
_TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""A quarter turn clockwise: the head comes to the right."""


def _leave(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return picture


def _darken(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return (picture * 0.06).round().astype(np.uint8)


def _blur(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.015 * _TALL), np.uint8)


def _hide_legs(picture: UInt8[np.ndarray, "h w 3"], points: Float[np.ndarray, "23 2"]) -> UInt8[np.ndarray, "h w 3"]:
    """The picture with a board before knees and shanks."""
    legs = points[_LEGS]
    if not np.isfinite(legs).any():
        return picture
    margin = _BOARD * size_of(points)
    low = (np.nanmin(legs, 0) - margin).round().astype(int).clip(0)
    high = (np.nanmax(legs, 0) + 2 * margin).round().astype(int).clip(0)
    covered = picture.copy()
    covered[low[1] : high[1], low[0] : high[0]] = _GREY
    return covered


@dataclass(frozen=True)
class Change:
    """What happens to a picture: first its colours change, then it is moved.

    Attributes:
        colours: of the picture.
        scale: new over old size, about the middle of the picture.
        turns: quarter turns anticlockwise.
        kept: share of the rows that stay, from above.
        legs_hidden: whether a board is before the shanks of people.
        late: whether the frames are those after the usual ones.
    """

    colours: Callable[[UInt8[np.ndarray, "h w 3"]], UInt8[np.ndarray, "h w 3"]] = _leave
    scale: float = 1.0
    turns: int = 0
    kept: float = 1.0
    legs_hidden: bool = False
    late: bool = False

    def change(
        self, picture: UInt8[np.ndarray, "h w 3"], people: Sequence[Float[np.ndarray, "23 2"]] = ()
    ) -> UInt8[np.ndarray, "a b 3"]:
        """The changed picture.

        Args:
            picture: RGB.
            people: the joints of those whose legs may be hidden, pixels.
        """
        height, width = picture.shape[:2]
        changed = self.colours(picture)[: round(self.kept * height)]
        for points in people if self.legs_hidden else ():
            changed = _hide_legs(changed, points)
        if self.scale < 1:
            small = cv2.resize(changed, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA)
            x, y = self._corner(width, height)
            changed = np.full_like(picture, _GREY)
            changed[y : y + small.shape[0], x : x + small.shape[1]] = small
        return np.ascontiguousarray(np.rot90(changed, self.turns))

    def back(self, points: Float[np.ndarray, "j 2"], width: int, height: int) -> Float[np.ndarray, "j 2"]:
        """Pixels of the original picture, which has this size, from those of the changed one."""
        size = np.array([width, round(self.kept * height)])
        for turn in range(self.turns):
            # Before this turn the picture was as wide as it now is high.
            across = size[0] if (self.turns - turn) % 2 else size[1]
            points = np.stack([across - 1 - points[:, 1], points[:, 0]], -1)
        if self.scale < 1:
            points = (points - self._corner(width, height) + 0.5) / self.scale - 0.5
        return points

    def _corner(self, width: int, height: int) -> tuple[int, int]:
        return round((1 - self.scale) * width / 2), round((1 - self.scale) * height / 2)


CHANGES = {
    "as they are": Change(),
    "dark, 6 % of the light": Change(_darken),
    "blurred, 1.5 % of the body": Change(_blur),
    "150 px tall": Change(scale=150 / _TALL),
    "100 px tall": Change(scale=100 / _TALL),
    "60 px tall": Change(scale=60 / _TALL),
    "turned by 90 degrees": Change(turns=1),
    "upside down": Change(turns=2),
    "cut below the hips": Change(kept=0.45),
    "legs hidden": Change(legs_hidden=True),
    "they overlap": Change(late=True),
}


@dataclass(frozen=True)
class Laid:
    """How somebody who stood is laid on level ground, the same way in every picture of a clip.

    Nobody lies in the videos with two calibrated cameras. So a body is cut out along its joints, turned by a quarter
    about its middle, and laid where its feet stood, in a picture in which everybody is painted over. The rest of the
    picture stays upright. What it has not: the pose, the light and the shortening of a body that really lies.

    Attributes:
        middle: pixel about which the body is turned.
        place: where that pixel comes to.
    """

    middle: Float[np.ndarray, "2"]
    place: Float[np.ndarray, "2"]

    @classmethod
    def where_they_stood(cls, bodies: Sequence[Float[np.ndarray, "23 2"]], width: int) -> "Laid":
        """Laid where the feet stood, and within the picture as far as it is wide enough.

        Args:
            bodies: the joints in the pictures of a clip, pixels.
            width: of the pictures.
        """
        low = np.nanmin([np.nanmin(points[:17], 0) for points in bodies], 0)
        high = np.nanmax([np.nanmax(points[:17], 0) for points in bodies], 0)
        middle, (wide, tall) = (low + high) / 2, high - low
        across = float(np.clip(middle[0], min(0.6 * tall, width / 2), max(width - 0.6 * tall, width / 2)))
        return cls(middle, np.array([across, high[1] - wide / 2]))

    def change(
        self, picture: UInt8[np.ndarray, "h w 3"], body: Float[np.ndarray, "23 2"], others: Sequence[np.ndarray]
    ) -> UInt8[np.ndarray, "h w 3"]:
        """The picture with the body laid down, and with nobody else.

        Args:
            picture: RGB.
            body: the joints of who is laid down, pixels.
            others: those of the others.
        """
        height, width = picture.shape[:2]
        to_place = np.column_stack([_TURN, self.place - _TURN @ self.middle])
        people = np.zeros((height, width), np.uint8)
        for points in (body, *others):
            people |= draw_silhouette(points[:17], COCO17, picture.shape, _COVERED)
        own = draw_silhouette(body[:17], COCO17, picture.shape, _CUT).astype(np.float32)
        turned = cv2.warpAffine(picture, to_place, (width, height))
        share = cv2.GaussianBlur(cv2.warpAffine(own, to_place, (width, height)), (0, 0), _SOFT)[..., None]
        laid: np.ndarray = (share * turned + (1 - share) * _paint_over(picture, people)).round().astype(np.uint8)
        return laid

    def back(self, points: Float[np.ndarray, "j 2"]) -> Float[np.ndarray, "j 2"]:
        """Pixels of the original picture from those of the changed one."""
        return (points - self.place) @ _TURN + self.middle


def _paint_over(picture: UInt8[np.ndarray, "h w 3"], mask: UInt8[np.ndarray, "h w"]) -> UInt8[np.ndarray, "h w 3"]:
    """The picture, continued coarsely from its surroundings where the mask is 1."""
    height, width = mask.shape
    size = width // _COARSE, height // _COARSE
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    covered = (cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0).astype(np.uint8)
    smooth = cv2.resize(cv2.inpaint(small, covered, 3, cv2.INPAINT_TELEA), (width, height))
    return np.where(mask[..., None] > 0, smooth, picture)
