"""A stream's frame: picture with 2D skeletons, and the 3D scene."""

import numpy as np
from jaxtyping import Float, UInt8

from poselift.skeleton import Skeleton
from poselift.skeleton.hand import with_fingers
from poselift.structures import Hands, LiveFrame, StreamedPose
from poselift.viz.bodies3d import Pose3D
from poselift.viz.live_stage import LiveStage
from poselift.viz.side_by_side import Person2D, SideBySide

_WIDEST = 1400
"""Pixels of the frames. Wider ones cost time, which a stream does not have; the window enlarges them."""


class LiveView:
    """Renders the frames of a stream like `OverlayRenderer` those of a clip.

    People at whom the detector did not look keep the skeletons of the last detection while they are there.

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
            number: Person2D(number, *_with_fingers(keypoints, scores, skeleton_2d, frame.hands.get(number)))
            for number, (keypoints, scores) in frame.keypoints.items()
        }
        self._poses |= {
            number: _pose(number, joints, frame.people[number], skeleton_3d)
            for number, joints in self._stage.place(frame.people, frame.timestamp).items()
        }
        self._people = {number: self._people[number] for number in frame.present if number in self._people}
        self._poses = {number: self._poses[number] for number in frame.present if number in self._poses}
        text = f"{1000 * frame.latency:.0f} ms   dropped {frame.dropped}"
        return self._both.render(image, list(self._people.values()), text, list(self._poses.values()), frame.timestamp)


def _with_fingers(
    keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], skeleton: Skeleton, hands: Hands | None
) -> tuple[Float[np.ndarray, "k 2"], Float[np.ndarray, " k"], Skeleton]:
    """Keypoints and scores of body and hands, and their skeleton."""
    if hands is None:
        return keypoints, scores, skeleton
    fingers = hands.keypoints[0, :, 1:].reshape(-1, 2)
    seen = np.isfinite(fingers).all(-1).astype(scores.dtype)
    return np.concatenate([keypoints, fingers]), np.concatenate([scores, seen]), with_fingers(skeleton)


def _pose(number: int, joints: Float[np.ndarray, "k 3"], pose: StreamedPose, skeleton: Skeleton) -> Pose3D:
    """The pose in the scene; fingers that are given are seen."""
    drawn = pose.with_fingers(skeleton)[1]
    return Pose3D(number, joints, drawn, np.pad(pose.guessed, (0, len(drawn) - len(skeleton))))
