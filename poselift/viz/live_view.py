"""A stream's frame: picture with 2D skeletons, and the 3D scene."""

import numpy as np
from jaxtyping import UInt8

from poselift.skeleton import Skeleton
from poselift.structures import LiveFrame
from poselift.viz.bodies3d import Pose3D
from poselift.viz.live_stage import LiveStage
from poselift.viz.side_by_side import Person2D, SideBySide

_WIDEST = 1400
"""Pixels of the frames. Wider ones cost time, which a stream does not have; the window enlarges them."""


class LiveView:
    """Renders the frames of a stream like `OverlayRenderer` those of a clip.

    People at whom the detector did not look keep the skeletons of the last look while they are there.

    Args:
        image_size: (width, height) of the pictures in pixels.
        skeleton_2d: of the keypoints.
        skeleton_3d: of the poses.
    """

    def __init__(self, image_size: tuple[int, int], skeleton_2d: Skeleton, skeleton_3d: Skeleton) -> None:
        self._skeletons = skeleton_2d, skeleton_3d
        self._stage = LiveStage(skeleton_3d)
        self._both = SideBySide(image_size, self._stage, widest=_WIDEST)
        self._people: dict[int, Person2D] = {}
        self._poses: dict[int, Pose3D] = {}

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the rendered frames in pixels."""
        return self._both.size

    def render(self, image: UInt8[np.ndarray, "h w 3"], frame: LiveFrame) -> UInt8[np.ndarray, "rows columns 3"]:
        """The rendered frame.

        Args:
            image: its picture, RGB; it is not changed.
            frame: the people in it.

        Raises:
            ValueError: the picture has another size.
        """
        skeleton_2d, skeleton_3d = self._skeletons
        self._people |= {
            number: Person2D(number, keypoints, scores, skeleton_2d)
            for number, (keypoints, scores) in frame.keypoints.items()
        }
        self._poses |= {
            number: Pose3D(number, joints, skeleton_3d, frame.people[number].guessed)
            for number, joints in self._stage.place(frame.people, frame.timestamp).items()
        }
        self._people = {number: self._people[number] for number in frame.present if number in self._people}
        self._poses = {number: self._poses[number] for number in frame.present if number in self._poses}
        text = f"{1000 * frame.latency:.0f} ms   dropped {frame.dropped}"
        return self._both.render(image, list(self._people.values()), text, list(self._poses.values()), frame.timestamp)
