"""MoveNet MultiPose: finds the people in a picture."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int, UInt8

from poselift.core.registry import published
from poselift.core.threads import pool
from poselift.detection.crop import Crop
from poselift.detection.detector_protocol import Search
from poselift.detection.duplicates import intersection_over_union, join_passes, pose_nms
from poselift.detection.orientation import rotation
from poselift.detection.session import Session, wants_cuda

OFFSET = -0.25
"""Offset from MoveNet's coordinates (share x size) to pixel centres. Measured: coordinates of a joint and its mirror
image add up to size - 0.5 (255.4 to 255.5 of 256, 511.3 of 512, 767.5 of 768); pixel centres add up to size - 1."""

_COARSE, _MIDDLE, _FINE = 256, 512, 768
"""Longer sides of the inputs, pixels: of the two passes over a picture, and of quick ones for turned people."""
_STRIDE = 32
"""The network takes sides that are multiples of this."""
_MIN_BOX_SCORE = 0.2
"""False detections score up to 0.15 in the fine pass, people mostly above 0.3."""

_MOST = 6
"""Number of people that a pass finds at most."""
_DISTANT = 0.12
"""Size of people, as a share of the picture's longer side, below which the fine pass misses one in five."""
_TILE, _SHARED = 640, 0.3
"""Side of a tile in pixels, where the picture is neither small nor very large, and the least share of it that it has in
common with the next one. Whoever is smaller than the common part is whole in a tile."""
_SAME = 0.7
"""Intersection over union of the boxes of one person, in a tile and in the whole picture."""
_EDGE = 0.01
"""Distance from the edge of a tile at which a box is cut off, as a share of the tile."""

_EVERYBODY = Search(tiles=True)

Found: TypeAlias = tuple[Float[np.ndarray, "_ 17 3"], Float[np.ndarray, "_ 4"], Float[np.ndarray, " _"]]
"""Poses (x, y, score), boxes and box scores."""


class MultiPose:
    """Google's MoveNet MultiPose: boxes and joints in whole pictures.

    The network finds people who are about a quarter to all of its input in height. So it runs twice: with a longer side
    of 256 for large people, and of 768 for distant ones. On a clip of 1768 x 994 with two people 400 pixels high, one
    of them backlit, it found the two in these shares of their frames: 0.51 and 0.98 at 256, 0.76 and 0.98 at 512, 0.94
    and 1.00 at 768. At 512 or 768 alone, people who fill the picture break into pieces. Each pass finds at most six;
    overlapping tiles of the picture find more.

    A quick search computes most of the network in 8 bits on a CPU, which takes 60 % of the time
    (poselift/weights/movenet/README.md). On a GPU several pictures go through the network together.

    Args:
        device: "cpu", "cuda" or a GPU by number; "auto" is the CPU, which finds people several times as fast as an
            H200 (benchmarks/gpu.md).

    Attributes:
        device: of the network; never "auto".
        weights: SHA-256 of the weight files by file name.
        quick_weights: the same of the further file of quick searches; empty if there is none.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    def __init__(self, device: str = "auto") -> None:
        self.device = device = "cpu" if device == "auto" else device
        network = published("movenet_multipose")
        self.weights = {network.path.name: network.sha256}
        self.quick_weights: dict[str, str] = {}
        path, self._together = network.get(), wants_cuda(device)
        if self._together:
            batch = published("movenet_multipose_batch")
            self.weights[batch.path.name] = batch.sha256
            path = batch.get()
        self._session = Session(path, device, threads=1)
        self._wide = self._quick = self._quick_wide = self._session
        if not self._together:
            quick = published("movenet_multipose_int8")
            self.quick_weights = {quick.path.name: quick.sha256}
            self._quick = Session(quick.get(), device, threads=1)
            # Tiles take longest, and a video waits for them: they get all cores.
            self._wide, self._quick_wide = Session(path, device), Session(quick.get(), device)

    def people(self, frame: UInt8[np.ndarray, "_ _ 3"]) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Boxes of the people in a frame, in pixels, and their scores."""
        poses, boxes, scores = self.find(frame)
        kept = pose_nms(poses[..., :2], poses[..., 2], boxes, scores)
        return boxes[kept], scores[kept]

    def find(self, frame: UInt8[np.ndarray, "_ _ 3"], how: Search = _EVERYBODY) -> Found:
        """Poses (x, y, score), boxes and scores; maybe duplicates.

        All are in pixels of the frame.

        Args:
            frame: RGB.
            how: without `fine` the coarse pass alone, a ninth of the cost, for people whose height is at least a third
                of the longer side of the picture. Each turn costs half of a fine search.
        """
        several = [self._search_upright(frame, how)] if 0 in how.turns else []
        longer_side = _FINE if how.fine_turns else _MIDDLE
        several += [self._search_turned(frame, turn, longer_side, how.quick) for turn in how.turns if turn]
        poses, boxes, scores = (np.concatenate(part) for part in zip(*several, strict=True))
        return poses, boxes, scores

    def find_large(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Found]:
        """The coarse pass of `find`, for several frames. A GPU takes them together, otherwise each has a core."""
        if self._together and len({frame.shape for frame in frames}) == 1:
            return self._find(frames, _COARSE, quick=False)
        return list(pool().map(lambda frame: self._find([frame], _COARSE, quick=False)[0], frames))

    def _search_upright(self, frame: UInt8[np.ndarray, "_ _ 3"], how: Search) -> Found:
        (coarse,) = self._find([frame], _COARSE, how.quick)
        if not how.fine:
            return coarse
        (fine,) = self._find([frame], _FINE, how.quick)
        found = _join(coarse, fine, max(frame.shape[:2]))
        return self._with_tiles(frame, found, how.quick) if how.tiles and is_crowded(found[1], frame.shape) else found

    def _search_turned(self, frame: UInt8[np.ndarray, "_ _ 3"], turn: int, longer_side: int, quick: bool) -> Found:
        """People who are turned clockwise by quarter turns."""
        turned = np.ascontiguousarray(np.rot90(frame, turn))
        ((poses, boxes, scores),) = self._find([turned], longer_side, quick)
        middle, new = (np.array(picture.shape[1::-1]) / 2 - 0.5 for picture in (frame, turned))
        back = rotation(turn * np.pi / 2).round()
        poses[..., :2] = (poses[..., :2] - new) @ back.T + middle
        corners = (boxes.reshape(-1, 2, 2) - new) @ back.T + middle
        return poses, np.concatenate([corners.min(1), corners.max(1)], -1), scores

    def _with_tiles(self, frame: UInt8[np.ndarray, "h w 3"], found: Found, quick: bool) -> Found:
        """The people, and those that tiles add. Parts of people whom a tile cuts are left out."""
        size = np.array(frame.shape[1::-1])
        side, parts = cut_tiles(frame.shape)
        several = [found]
        tiles = [frame[y : y + side, x : x + side] for x, y in parts.tolist()]
        seen = self._find(tiles, min(max(side, _TILE), _FINE), quick, wide=True)
        for corner, tile, (poses, boxes, scores) in zip(parts, tiles, seen, strict=True):
            # A box at an edge inside the picture is cut off; another tile has the whole of it.
            inside = np.concatenate([corner > 0, corner + tile.shape[1::-1] < size])
            beyond = np.abs(boxes - np.array([0, 0, *tile.shape[1::-1]])) < _EDGE * side
            whole = ~(beyond & inside).any(-1)
            poses[..., :2] += corner
            several.append((poses[whole], boxes[whole] + np.tile(corner, 2), scores[whole]))
        poses, boxes, scores = (np.concatenate(part) for part in zip(*several, strict=True))
        # Only large people of the whole picture drop parts of them; a small one's pose is better in a tile.
        count = len(found[1])
        keep_tiles = join_passes(found[1], boxes[count:], side)[1]
        same = intersection_over_union(found[1], boxes[count:][keep_tiles]).max(1, initial=0) > _SAME
        keep = np.append(~same, keep_tiles)
        return poses[keep], boxes[keep], scores[keep]

    def _find(
        self, pictures: Sequence[UInt8[np.ndarray, "_ _ 3"]], longer_side: int, quick: bool, wide: bool = False
    ) -> list[Found]:
        crops = [Crop.whole(picture, (longer_side, longer_side), multiple=_STRIDE) for picture in pictures]
        precise, fast = (self._wide, self._quick_wide) if wide else (self._session, self._quick)
        people = (fast if quick else precise).run([crop.image for crop in crops])
        return [_read(*each) for each in zip(people, crops, pictures, strict=True)]


def _read(people: Float[np.ndarray, "6 56"], crop: Crop, picture: UInt8[np.ndarray, "h w 3"]) -> Found:
    """People of a network's output, in the picture's pixels."""
    people = people[people[:, 55] >= _MIN_BOX_SCORE]
    rows, columns = crop.image.shape[:2]
    poses = people[:, :51].reshape(-1, 17, 3)[..., [1, 0, 2]]
    poses[..., :2] = crop.to_picture(poses[..., :2] * (columns, rows) + OFFSET)
    corners = crop.to_picture(people[:, 51:55].reshape(-1, 2, 2)[..., ::-1] * (columns, rows) + OFFSET)
    height, width = picture.shape[:2]
    corners = np.clip(corners, 0, (width - 1, height - 1))
    return poses, corners.reshape(-1, 4), people[:, 55]


def is_crowded(boxes: Float[np.ndarray, "n 4"], shape: tuple[int, ...]) -> bool:
    """Whether tiles may find more people than the fine search.

    So it is where somebody is small, where a pass is full, and where nobody was found in a picture that the fine search
    shrinks: everybody may be small.

    Args:
        boxes: of the people found, pixels.
        shape: (height, width, ...) of the picture.
    """
    if not len(boxes):
        return max(shape[:2]) > _FINE
    sizes = (boxes[:, 2:] - boxes[:, :2]).max(-1)
    return len(boxes) >= _MOST or bool((sizes < _DISTANT * max(shape[:2])).any())


def cut_tiles(shape: tuple[int, ...]) -> tuple[int, Int[np.ndarray, "n 2"]]:
    """Tiles: their side, and their corners x, y, pixels."""
    longer = max(shape[:2])
    side = int(max(longer / 4, min(_TILE, longer / 2)))
    along = []
    for length in shape[1::-1]:
        count = 1 + max(0, int(np.ceil((length - side) / (side * (1 - _SHARED)))))
        along.append(np.linspace(0, max(0, length - side), count).round().astype(int))
    return side, np.stack(np.meshgrid(*along), -1).reshape(-1, 2)


def _join(coarse: Found, fine: Found, longer_side: int) -> Found:
    """The people of both passes."""
    keep_coarse, keep_fine = join_passes(coarse[1], fine[1], longer_side)
    poses, boxes, scores = (
        np.concatenate([one[keep_coarse], other[keep_fine]]) for one, other in zip(coarse, fine, strict=True)
    )
    return poses, boxes, scores
