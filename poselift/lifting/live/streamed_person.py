"""One person of a stream: the recent frames, and the pose that the lifter gives of them."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.detection.orientation import body_angle
from poselift.lifting.camera_model import CameraModel
from poselift.lifting.finish.constant_bones import lengths_of, usual_lengths, with_bone_lengths
from poselift.lifting.finish.joint_uncertainty import adjusted_uncertainty
from poselift.lifting.finish.refinement import keypoint_rays, refined, reprojection_offsets
from poselift.lifting.finish.root_track import solve_root
from poselift.lifting.options import LiftOptions
from poselift.lifting.person import interleaved, lifter_input, rarely_seen, resampled
from poselift.lifting.prepare.gaps import MAX_GAP, with_frames_between
from poselift.lifting.prepare.pelvis import usable_scores
from poselift.lifting.prepare.quarter_turns import rolled, turns_for
from poselift.models import Weights
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D, StreamedPose

_SAMPLES, _INTERVAL = 200, 0.1
"""Frames at most in which the lengths of bones and the angle of the body are measured, and least seconds between them:
neighbours tell the same."""

_NEAR = 1.0
"""Seconds before a pose whose keypoints and poses refine it and place its root."""

_FASTEST = 60.0
"""Highest frame rate that is lifted: lifters are trained up to it. A stream has no second motion of the frames that are
left out, as `lift` has."""

_MOST_STRIDE = 8
"""Largest number of frames of which one is lifted: 8 for 480 frames a second. It bounds the memory."""


@dataclass(frozen=True)
class Window:
    """Frames with keypoints, as the lifter gets them (`poselift.lifting.person.lifter_input`).

    Attributes:
        times: of the frames, seconds.
        pixels: of the lifter's input joints; NaN where not seen.
        scores: of the same joints.
        turns: quarter turns of the camera that make the person upright (`poselift.lifting.prepare.quarter_turns`).
    """

    times: Float[np.ndarray, " t"]
    pixels: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    turns: int


@dataclass(frozen=True)
class _Observed:
    """A frame with keypoints: time, pixels and scores of the lifter's input joints, and the body's angle if known."""

    time: float
    pixels: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    angle: float | None


@dataclass(frozen=True)
class _Lifted:
    """The poses of the last frames of a window."""

    window: Window
    times: Float[np.ndarray, " n"]
    joints: Float[np.ndarray, "n j 3"]
    root: Float[np.ndarray, "n 3"]
    uncertainty: Float[np.ndarray, "n j"] | None


class StreamedPerson:
    """The recent frames of one person. `poselift.lifting.live.streaming` pushes frames, lifts windows, and reads poses.

    Args:
        weights: the lifter.
        camera: the camera of the keypoints.
        skeleton: of the keypoints.
        lookahead: number of later frames that a pose waits for.
        options: settings.

    Attributes:
        last_seen: timestamp of the last frame with keypoints; -inf before the first.

    Raises:
        InputError: `lookahead` does not fit the window.
    """

    def __init__(
        self, weights: Weights, camera: CameraModel, skeleton: Skeleton, lookahead: int, options: LiftOptions
    ) -> None:
        size = options.window or weights.window
        if not 0 <= lookahead < size:
            raise InputError(
                f"lookahead={lookahead} must be 0 or more, and below the {size} frames of a window; give 0 to 10"
            )
        self._weights, self._camera, self._options = weights, camera, options
        self._skeleton, self._lookahead, self._size = skeleton, lookahead, size
        self._waiting: deque[Keypoints2D] = deque()
        self._observed: deque[_Observed] = deque()
        self._angles: deque[float | None] = deque(maxlen=_SAMPLES)
        self._turns = 0
        self._stride = 1  # of the observed frames, one of so many is lifted
        self._lifted: _Lifted | None = None
        self._bones: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_SAMPLES)  # lengths and scores
        self._lengths: np.ndarray | None = None
        self._measured = self._angle_time = self._last_time = self.last_seen = -np.inf

    @property
    def pending(self) -> int:
        """Number of frames whose poses are still to come."""
        return len(self._waiting)

    def add(self, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], timestamp: float) -> None:
        """Adds a frame in which a detector looked for the person; all keypoints are NaN if it did not find them."""
        if not timestamp > self._last_time:
            raise InputError(f"the timestamp {timestamp:g} s does not come after {self._last_time:g} s; give seconds")
        frame = Keypoints2D(
            np.asarray(keypoints)[None],
            np.asarray(scores)[None],
            np.array([timestamp], np.float64),
            self._skeleton,
            self._camera.image_size,
        )
        self._last_time = timestamp
        self._waiting.append(frame)
        # `usable_scores` decides on the pelvis of a whole window, not of a frame.
        pixels, known = lifter_input(frame, self._weights.lifter.skeleton_in, self._options.threshold, None)
        if (known > 0).any():
            angle = body_angle(pixels[0], known[0], self._weights.lifter.skeleton_in)
            self._observed.append(_Observed(timestamp, pixels[0], known[0], angle))
            self.last_seen = timestamp
            times = np.array([row.time for row in self._observed])
            self._stride = min(interleaved(times, _FASTEST), _MOST_STRIDE)
            while len(self._observed) > self._size * self._stride + self._lookahead:
                self._observed.popleft()
            if timestamp - self._angle_time >= _INTERVAL:
                self._angle_time = timestamp
                self._turn(angle)

    def next_window(self, last: bool = False) -> Window | None:
        """The frames to lift for the next pose; None if there is nothing new to lift.

        Args:
            last: no more frames come.
        """
        target = self._target(last)
        if target is None:
            return None
        rows = self._rows(float(target.timestamps[0]))
        if not rows:
            return None
        times = np.array([row.time for row in rows])
        if self._lifted is not None and self._lifted.window.times[-1] == times[-1]:
            return None
        pixels, scores = np.stack([row.pixels for row in rows]), np.stack([row.scores for row in rows])
        scores = usable_scores(pixels, scores, self._weights.lifter.skeleton_in, self._weights.pelvis)
        pixels, scores, times, _ = with_frames_between(pixels, scores, times)
        lifted = slice(self._first(len(times)), None)
        return Window(times[lifted], pixels[lifted], scores[lifted], self._turns)

    def take(
        self, window: Window, joints: Float[np.ndarray, "t j 3"], uncertainty: Float[np.ndarray, "t j"] | None
    ) -> None:
        """Takes what the lifter gave of a window, and does what `lift` does with it, for the last frames.

        Args:
            window: from `next_window`.
            joints: relative to the root, frame of the camera with the window's turns, metres.
            uncertainty: metres; None if the lifter gives none.
        """
        time, options = float(self._waiting[0].timestamps[0]), self._options
        skeleton_in, skeleton_out = self._weights.lifter.skeleton_in, self._weights.lifter.skeleton_out
        near = slice(int(np.searchsorted(window.times, time - _NEAR)), None)
        times, scores = window.times[near], window.scores[near]
        rays, trust = keypoint_rays(window.pixels[near], scores, self._camera, skeleton_in, skeleton_out)
        poses = rolled(joints[near].astype(np.float64), window.turns)
        if options.refine or uncertainty is not None:
            offsets = reprojection_offsets(poses, rays, trust, times, skeleton_out)
            if uncertainty is not None:
                uncertainty = self._weights.uncertainty_factor * adjusted_uncertainty(uncertainty[near], offsets, trust)
            if options.refine:
                poses = refined(poses, offsets)
        if options.constant_bones:
            self._measure(times, poses, scores, time)
            poses = self._with_bones(poses)
        root = solve_root(poses, rays, trust, times)
        self._lifted = _Lifted(window, times, poses, root, uncertainty)

    def next_pose(self, last: bool = False) -> StreamedPose | None:
        """The pose of the frame that waited longest; None if it has to wait, or has no pose.

        Args:
            last: no more frames come.
        """
        target = self._target(last)
        if target is None:
            return None
        self._waiting.popleft()
        return self.pose_of(target)

    def pose_of(self, frame: Keypoints2D) -> StreamedPose | None:
        """The pose of a frame of the last lifted window; None if it has none.

        Args:
            frame: one frame as it was pushed, at most `_NEAR` seconds old.
        """
        time = float(frame.timestamps[0])
        if self._lifted is None or not self._rows(time):
            return None
        lifted, times, at = self._lifted, self._lifted.times, np.array([time])
        joints = resampled(at, times, lifted.joints)[0]
        if self._options.constant_bones and time not in times:
            joints = self._with_bones(joints[None])[0]  # the interpolated ones have other lengths
        return StreamedPose(
            time,
            joints.astype(np.float32),
            resampled(at, times, lifted.root)[0].astype(np.float32),
            None if lifted.uncertainty is None else resampled(at, times, lifted.uncertainty)[0].astype(np.float32),
            not bool(frame.used(self._options.threshold).any()),
            frame.keypoints[0],
            frame.scores[0],
        )

    def _target(self, last: bool) -> Keypoints2D | None:
        """The frame of the next pose."""
        return self._waiting[0] if len(self._waiting) > (0 if last else self._lookahead) else None

    def _rows(self, time: float) -> list[_Observed]:
        """The observed frames to lift for the pose at a time; empty where the person was not seen for too long.

        At most as many as a window has, none beyond a long gap. Of more than `_FASTEST` frames a second, every k-th is
        lifted, counted from the frame at that time.
        """
        rows = list(self._observed)
        times = np.array([row.time for row in rows])
        here = int(np.searchsorted(times, time, side="right")) - 1  # the last frame seen at or before that time
        if here < 0 or time - times[here] > MAX_GAP:
            return []
        breaks = np.flatnonzero(np.diff(times) > MAX_GAP) + 1
        first = max([0, *breaks[breaks <= here]])
        end = min([len(rows), *breaks[breaks > here]])
        if here == end - 1 < len(rows) - 1 and time > times[here]:
            return []  # in a long gap whose end is known
        return rows[first + (here - first) % self._stride : end : self._stride][-self._size :]

    def _first(self, frames: int) -> int:
        """The first of so many frames that is in the window.

        Windows of all lengths end at the same place of a time token. Otherwise the first poses tremble.
        """
        token = self._weights.lifter.temporal_stride
        kept = min(frames, self._size)
        return frames - kept + ((kept - self._size) % token if kept >= 2 * token else 0)

    def _turn(self, angle: float | None) -> None:
        """Chooses the turns of the camera. For somebody upside down, the last window decides.

        Somebody sideways must have been so nearly all the time: people lie down, but a camera on its side stays so.
        """
        self._angles.append(angle)
        turns = turns_for([row.angle for row in self._observed], self._turns)
        if turns in (1, 3) and turns_for(self._angles, self._turns) != turns:
            turns = 0
        self._turns = turns

    def _measure(
        self,
        times: Float[np.ndarray, " n"],
        joints: Float[np.ndarray, "n j 3"],
        scores: Float[np.ndarray, "n j_in"],
        time: float,
    ) -> None:
        """Measures the lengths of bones in the pose of a time, now and then."""
        row = int(np.searchsorted(times, time))
        if row == len(times) or times[row] != time or time - self._measured < _INTERVAL:
            return
        self._measured = time
        lifter = self._weights.lifter
        self._bones.append((lengths_of(joints[row : row + 1], lifter.skeleton_out)[0], scores[row]))
        lengths, seen = (np.stack(values) for values in zip(*self._bones, strict=True))
        self._lengths = usual_lengths(
            lengths, lifter.skeleton_out, rarely_seen(seen, lifter.skeleton_in, lifter.skeleton_out)
        )

    def _with_bones(self, joints: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
        """Joints with the bone lengths measured so far."""
        if self._lengths is None:
            return joints
        return with_bone_lengths(joints, self._lengths, self._weights.lifter.skeleton_out)
