"""The video with the lifted bodies, beside the 3D scene."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, UInt8

from poselift.kinematics import Angles
from poselift.numerics.times import frame_at, half_interval
from poselift.skeleton import Skeleton
from poselift.skeleton.hand import with_fingers
from poselift.structures import Keypoints2D, Motion
from poselift.viz.angle_labels import columns_of
from poselift.viz.bodies3d import Pose3D
from poselift.viz.body_parts import joints_to_draw
from poselift.viz.pixels import pixels_of
from poselift.viz.side_by_side import Person2D, SideBySide
from poselift.viz.stage import Stage

_SLACK = 1e-3
"""Seconds, more than the rounding of timestamps; `frame_at` decides."""


class OverlayRenderer:
    """Renders video frames with skeletons, beside the 3D scene.

    With `K`, the skeletons are the 3D poses projected to the video, and the detections are thin lines below them. So
    one sees where the 3D departs from the picture.

    All frames have the same size, with even sides as video encoders need. Frames without people are fine.

    Args:
        image_size: (width, height) of the video in pixels.
        motions: the people of the clip.
        K: intrinsics of the video, pixels; those of each frame of each motion for a lens that zooms. Without them, or
            for motions in the world frame, only the detections are drawn.
        lens: numbers of a lens that bends the picture (`Camera.lens`).
        angles: joint angles of each motion, to write beside the people; None for people without, empty for nobody's.
    """

    def __init__(
        self,
        image_size: tuple[int, int],
        motions: Sequence[Motion],
        *,
        K: Float[np.ndarray, "3 3"] | Sequence[Float[np.ndarray, "t 3 3"]] | None = None,
        lens: Float[np.ndarray, " k"] | None = None,
        angles: Sequence[Angles | None] = (),
    ):
        self._K, self._lens = K, lens
        self._motions = list(motions)
        self._keypoints = [_keypoints_to_draw(motion) for motion in motions]
        self._drawn = [joints_to_draw(motion) for motion in motions]
        self._guessed = [
            np.pad(motion.guessed(), ((0, 0), (0, len(skeleton) - len(motion.skeleton))))
            for motion, (_, skeleton) in zip(motions, self._drawn, strict=True)
        ]
        self._halves = np.array([half_interval(motion.timestamps) for motion in motions])
        # Hours have hundreds of people, of whom a frame shows a few; people without frames are never shown.
        self._first = np.array([motion.timestamps.min(initial=np.inf) for motion in motions])
        self._last = np.array([motion.timestamps.max(initial=-np.inf) for motion in motions])
        self._angles = angles
        self._columns = [self._find_columns(index) for index in range(len(angles))]
        self._stage = Stage.fit(self._motions)
        self._both = SideBySide(image_size, self._stage)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the rendered frames in pixels."""
        return self._both.size

    def render(self, image: UInt8[np.ndarray, "h w 3"], timestamp: float) -> UInt8[np.ndarray, "rows columns 3"]:
        """The rendered frame.

        Args:
            image: frame of the video, RGB; it is not changed.
            timestamp: of the frame, seconds; people are drawn if their motion has a frame at this time.

        Raises:
            ValueError: the picture and the video have different sizes.
        """
        reach = self._halves + _SLACK
        near = np.flatnonzero((timestamp >= self._first - reach) & (timestamp <= self._last + reach))
        present = [
            (index, self._motions[index].keypoints.person, frame)
            for index in near.tolist()
            if (frame := frame_at(self._motions[index].timestamps, self._halves[index], timestamp)) is not None
        ]
        people = [
            Person2D(
                self._keypoints[index].person,
                self._keypoints[index].keypoints[frame],
                self._keypoints[index].scores[frame],
                self._keypoints[index].skeleton,
                self._motions[index].threshold,
                self._project(index, frame),
                self._guessed[index][frame],
                self._numbers(index, frame),
            )
            for index, _, frame in present
        ]
        poses = [
            Pose3D(
                person,
                self._stage.place(index, self._points(index, frame)),
                self._drawn[index][1],
                self._guessed[index][frame],
                float(self._stage.floors[index]),
            )
            for index, person, frame in present
        ]
        return self._both.render(image, people, clock_text(timestamp), poses, timestamp)

    def _numbers(self, index: int, frame: int) -> tuple[Angles, int, float] | None:
        """What `Person2D.angles` has."""
        angles = self._angles[index] if self._angles else None
        return None if angles is None else (angles, frame, float(self._columns[index][frame]))

    def _find_columns(self, index: int) -> Float[np.ndarray, " t"]:
        """Where the numbers of the left side stand in each frame (`columns_of`)."""
        keypoints = self._keypoints[index]
        if not len(keypoints):
            return np.ones(0)
        shown = [
            self._project(index, frame) or (keypoints.keypoints[frame], keypoints.skeleton)
            for frame in range(len(keypoints))
        ]
        return columns_of(np.stack([joints for joints, _ in shown]).astype(float), shown[0][1])

    def _project(self, index: int, frame: int) -> tuple[Float[np.ndarray, "j 2"], Skeleton] | None:
        """A pose's pixels and its skeleton. NaN for joints beside or behind the camera."""
        if self._K is None or self._motions[index].frame != "camera":
            return None
        K = self._K if isinstance(self._K, np.ndarray) else self._K[index][frame]
        return pixels_of(self._points(index, frame), K, self._lens), self._drawn[index][1]

    def _points(self, index: int, frame: int) -> Float[np.ndarray, "j 3"]:
        """The joints that are drawn, metres, in the frame of the motion."""
        return self._drawn[index][0][frame].astype(np.float64) + self._motions[index].root[frame]


def _keypoints_to_draw(motion: Motion) -> Keypoints2D:
    """The keypoints with those of hands, also between detections."""
    body, hands = motion.keypoints.bridge(), motion.hands
    if hands is None or not {"left_wrist", "right_wrist"} <= set(body.skeleton.joints):
        return body
    fingers = hands.keypoints[:, :, 1:].reshape(len(body), -1, 2)
    return replace(
        body,
        keypoints=np.concatenate([body.keypoints, fingers], 1),
        scores=np.concatenate([body.scores, np.isfinite(fingers).all(-1)], 1),
        skeleton=with_fingers(body.skeleton),
    )


def clock_text(seconds: float) -> str:
    """Minutes, seconds and hundredths; negative before the start of a recording."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(abs(hundredths), 6000)
    return f"{'-' if hundredths < 0 else ''}{minutes}:{rest / 100:05.2f}"
