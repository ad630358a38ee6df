"""A stream's world frame: ground of the first seconds, then refined."""

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.geometry.camera import Camera
from poselift.kinematics.ground import Ground, find_ground
from poselift.kinematics.up import level_axes
from poselift.lifting.world.world_frame import ground_below
from poselift.skeleton import Skeleton
from poselift.structures import THRESHOLD, Keypoints2D, Motion, StreamedPose, move

FIRST = 3.0
"""Seconds until the first ground."""

_LONGEST = 60.0
"""Most seconds between two grounds. The first ones come after 3, 6, 12, ... seconds: more poses change less."""

_POSES = 1800
"""Number of recent poses of all people that give a ground: 30 s of two people at 30 frames a second."""

_BLEND = 2.0
"""Seconds in which two thirds of the way to a new ground are gone, so that the picture does not jump."""


class StreamingWorld:
    """A stream's poses in the world frame.

    x to the camera's right, y up, z towards the camera, ground at y = 0. The camera must stand still. Feet are not
    planted, as `to_world` does: that needs later frames.

    Args:
        camera: the camera of the keypoints.
        skeleton: of the poses.
        keypoint_skeleton: of the keypoints.
        threshold: keypoints with a lower score were not lifted.
        up: unit vector in the camera frame, from a measured tilt; found from people if None.

    Attributes:
        ground: the ground in use, in the camera frame; None in the first `FIRST` seconds.
    """

    def __init__(
        self,
        camera: Camera,
        skeleton: Skeleton,
        keypoint_skeleton: Skeleton,
        threshold: float = THRESHOLD,
        up: Float[np.ndarray, "3"] | None = None,
    ) -> None:
        self.ground: Ground | None = None
        self._threshold, self._up = threshold, up
        self._image_size = camera.image_size
        self._skeleton, self._keypoint_skeleton = skeleton, keypoint_skeleton
        self._recent: deque[tuple[int, StreamedPose]] = deque(maxlen=_POSES)
        self._found: Ground | None = None
        self._started: float | None = None
        self._due = self._time = -np.inf
        self._origin = np.zeros(3)

    def push(self, poses: Mapping[int, StreamedPose]) -> dict[int, StreamedPose] | None:
        """The poses in the world frame; None until the ground is known.

        Args:
            poses: of one frame, camera frame, by the person's number (`StreamingPeople.push`). May be empty.
        """
        self._recent.extend((number, pose) for number, pose in poses.items() if not pose.interpolated)
        time = max((pose.timestamp for pose in poses.values()), default=self._time)
        if self._started is None and self._recent:
            self._started, self._due = time, time + FIRST
        if self._started is not None and time >= self._due:
            self._due = time + min(max(time - self._started, FIRST), _LONGEST)
            self._found = find_ground(self._motions(), given_up=self._up)
            if self.ground is None:
                self._origin = self._recent[0][1].root.astype(np.float64)
        if self._found is None:
            return None
        self.ground = _blend(self.ground, self._found, time - self._time)
        self._time = time
        R = level_axes(self.ground.up)
        t = -R @ ground_below(self._origin, self.ground)
        return {number: move(pose, R, t, "world") for number, pose in poses.items()}

    def _motions(self) -> list[Motion]:
        """The recent poses, one motion for each person."""
        people: defaultdict[int, list[StreamedPose]] = defaultdict(list)
        for number, pose in self._recent:
            people[number].append(pose)
        return [self._motion(person, poses) for person, poses in enumerate(people.values(), 1)]

    def _motion(self, person: int, poses: list[StreamedPose]) -> Motion:
        joints, root, pixels, scores = (
            np.stack([getattr(pose, name) for pose in poses]) for name in ("joints", "root", "keypoints", "scores")
        )
        times = np.array([pose.timestamp for pose in poses])
        keypoints = Keypoints2D(pixels, scores, times, self._keypoint_skeleton, self._image_size, person)
        never = np.zeros(len(poses), bool)
        return Motion(joints, root, times, never, self._skeleton, "camera", keypoints, threshold=self._threshold)


def _blend(old: Ground | None, new: Ground, seconds: float) -> Ground:
    """The ground on its way to a new one."""
    if old is None:
        return new
    share = 1 - np.exp(-max(seconds, 0.0) / _BLEND)
    up = old.up + share * (new.up - old.up)
    return replace(new, up=up / np.linalg.norm(up), height=old.height + share * (new.height - old.height))
