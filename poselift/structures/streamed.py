"""What a stream gives: poses of one frame."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float

from poselift.skeleton import Skeleton
from poselift.skeleton.hand import SIDES, with_fingers
from poselift.structures.hands import Hands


@dataclass(frozen=True)
class StreamedPose:
    """One person in one frame of a stream.

    Attributes:
        timestamp: of the frame, seconds.
        joints: metres, relative to the root joint (the first of the lifter's `skeleton`).
        root: place of the root joint, metres.
        uncertainty: radius of the ball that holds the joint in 90 % of cases, metres; 0 for the root joint. None if
            the lifter gives none.
        interpolated: the detector did not find the person in this frame. The pose lies between those before and
            after, or is the last one.
        keypoints: of this frame as they were pushed, pixels; NaN for unseen joints. For an overlay.
        scores: of the keypoints.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        seen: joints that the keypoints of the last moments show (`Motion.in_sight`); the lifter gives the others too,
            from what is usual. No joint, if the detector has not found the person for 0.15 s. None if unknown.
        hands: both hands, one frame, in the axes of `joints`; None if nobody looked for them.
    """

    timestamp: float
    joints: Float[np.ndarray, "j 3"]
    root: Float[np.ndarray, "3"]
    uncertainty: Float[np.ndarray, " j"] | None
    interpolated: bool
    keypoints: Float[np.ndarray, "j_in 2"]
    scores: Float[np.ndarray, " j_in"]
    frame: str = "camera"
    seen: Bool[np.ndarray, " j"] | None = None
    hands: Hands | None = None

    @property
    def guessed(self) -> Bool[np.ndarray, " j"]:
        """Joints that no keypoint shows, to be drawn pale."""
        hidden = np.zeros(len(self.joints), bool) if self.seen is None else ~self.seen
        return hidden | self.interpolated

    @property
    def positions(self) -> Float[np.ndarray, "j 3"]:
        """Places of the joints, metres."""
        return self.joints + self.root

    def with_fingers(self, skeleton: Skeleton) -> tuple[Float[np.ndarray, "k 3"], Skeleton]:
        """Places of body's and hands' joints, and their skeleton.

        Metres; NaN for hands that are not seen; the body alone where there are no hands.

        Args:
            skeleton: of the pose.
        """
        wrists = [f"{side}_wrist" for side in SIDES]
        if self.hands is None or not set(wrists) <= set(skeleton.joints):
            return self.positions, skeleton
        fingers = self.positions[skeleton.indices(wrists), None] + self.hands.joints[0, :, 1:]
        return np.concatenate([self.positions, fingers.reshape(-1, 3)]), with_fingers(skeleton)


@dataclass(frozen=True)
class LiveFrame:
    """One processed frame of a stream.

    Attributes:
        index: number of the frame, from 0; dropped frames count.
        timestamp: seconds from the first frame.
        dropped: number of frames so far that came too fast to be processed.
        latency: seconds from the arrival of the frame until its poses were ready.
        looked: whether the detector looked at somebody, or for people, in this frame. If not, `people` and `keypoints`
            are empty.
        present: numbers of the people who are there: found in this frame or a moment ago.
        people: new 3D poses by number of the person; not everybody who is there has one in each frame. A lifter with a
            lookahead gives poses of an earlier frame; each has its own timestamp.
        keypoints: keypoints in pixels and their scores in this frame, by number of the person.
        hands: hands in this frame, in the camera frame, by number of the person; empty if nobody looked for them.
    """

    index: int
    timestamp: float
    dropped: int
    latency: float
    looked: bool
    present: tuple[int, ...]
    people: Mapping[int, StreamedPose]
    keypoints: Mapping[int, tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]]
    hands: Mapping[int, Hands] = field(default_factory=dict)
