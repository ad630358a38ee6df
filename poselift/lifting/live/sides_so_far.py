"""Left and right of a stream's person, followed from check to check."""

import numpy as np
from jaxtyping import Float

from poselift.lifting.prepare.exchanged_sides import follow_sides, group_pairs
from poselift.lifting.settled_sides import TOLD
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D

_PARTS = {"legs": "left_ankle", "arms": "left_wrist"}
"""Parts of a body that detectors exchange alone, by a joint of each."""
_INTERVAL = 0.5
"""Seconds between two checks."""


class SidesSoFar:
    """Which frames have other sides than the person began with.

    Recent frames alone forget an exchange that they no longer show, so that the sides of each frame are remembered.

    Args:
        threshold: least score of a keypoint that counts.

    Attributes:
        exchanged: whether a tenth or more of the recent frames have other sides.
        parts: those of legs and arms that are exchanged alone in a tenth or more of the recent frames.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._sides: dict[float, bool] = {}
        self._last = -np.inf
        self.exchanged = False
        self.parts: tuple[str, ...] = ()

    def due(self, time: float) -> bool:
        """Whether a check is due at this time. The first frame starts the clock."""
        if self._last == -np.inf:
            self._last = time
        return time - self._last >= _INTERVAL

    def check(self, recent: Keypoints2D) -> None:
        """Follows the sides through the recent frames, from those that are known."""
        self._last = float(recent.timestamps[-1])
        rarer, stretches = follow_sides(recent, group_pairs(recent.skeleton)[0], self._threshold)
        times = recent.timestamps.tolist()
        known = [row for row, time in enumerate(times) if time in self._sides]
        if known:
            # After a gap nothing tells; the newest known frames are the nearest.
            known = [row for row in known if stretches[row] == stretches[known[-1]]]
            other = np.mean([self._sides[times[row]] != rarer[row] for row in known]) > 0.5
        else:
            other = bool(rarer[0])
        sides = rarer ^ other
        self._sides = dict(zip(times, sides.tolist(), strict=True))
        self.exchanged = bool(sides.mean() >= TOLD)
        self.parts = ()
        if not self.exchanged:
            columns = ((part, part_columns(recent.skeleton, part)) for part in _PARTS)
            shares = {part: follow_sides(recent, own, self._threshold)[0].mean() for part, own in columns if own}
            self.parts = tuple(part for part, share in shares.items() if share >= TOLD)


def part_columns(skeleton: Skeleton, part: str) -> list[int]:
    """Joints of both legs or arms; empty where the skeleton has none."""
    groups = ([skeleton.joints[joint] for joint in joints] for joints in group_pairs(skeleton)[1:])
    return [skeleton.index(joint) for names in groups if _PARTS[part] in names for joint in names]


def other_reading(joints: Float[np.ndarray, "j 3"], root: Float[np.ndarray, "3"], flip: list[int]) -> np.ndarray:
    """The joints if the sides of the keypoints are exchanged. This is the body turned over in depth.

    Seen from the camera, a body and its mirror image in depth look alike. With its sides exchanged the mirror image is
    a body again (Necker's reversal).

    Args:
        joints: relative to the root, camera frame, metres.
        root: place of the root, metres.
        flip: the other side of each joint.
    """
    sight = root / np.linalg.norm(root)
    others = joints[flip]
    turned: np.ndarray = others - 2 * (others @ sight)[:, None] * sight
    return turned
