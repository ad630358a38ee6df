"""One person of a stream: recent frames, and poses of them."""

from collections import deque
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.detection.orientation import body_angle
from poselift.geometry import set_bone_lengths
from poselift.geometry.camera import Camera
from poselift.kinematics.whole_body import add_body_uncertainty
from poselift.lifting.finish.finish_stage import finish
from poselift.lifting.finish.joint_uncertainty import widening_factors
from poselift.lifting.live.bones_so_far import BonesSoFar
from poselift.lifting.live.sides_so_far import SidesSoFar, other_reading, part_columns
from poselift.lifting.live.stream_window import choose_window_frames, cut_window, stream_stride
from poselift.lifting.network.protocol import Lifted
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.gaps import MAX_GAP
from poselift.lifting.prepare.prepare_stage import Prepared, prepare
from poselift.lifting.prepare.quarter_turns import choose_turns
from poselift.models import Weights
from poselift.numerics.times import interpolate
from poselift.skeleton import Skeleton
from poselift.structures import BRIDGE, Keypoints2D, Motion, StreamedPose

_NEAR = 1.0
"""Seconds before a pose whose keypoints and poses refine it and place its root."""

_ANGLES, _INTERVAL = 200, 0.1
"""Angles of the body that are remembered at most, and least seconds between them: neighbours tell the same."""


@dataclass(frozen=True)
class _Frame:
    """A pushed frame, and whether the lifter can use any keypoint."""

    time: float
    keypoints: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    seen: bool


@dataclass(frozen=True)
class _Recent:
    """The finished motion around the last pose.

    Attributes:
        motion: of the last second before the pose, and of later frames that were there.
        newest: the newest frame with keypoints, seconds.
        more: another segment comes after a gap.
        in_sight: joints that the keypoints show.
    """

    motion: Motion
    newest: float
    more: bool
    in_sight: Bool[np.ndarray, "t j"]


class StreamedPerson:
    """The recent frames of one person. `StreamingPeople` pushes frames, lifts windows, and reads poses.

    Args:
        weights: the lifter.
        camera: the camera of the keypoints.
        skeleton: of the keypoints.
        lookahead: number of later frames that a pose waits for.
        options: settings.

    Attributes:
        last_seen: timestamp of the last frame with keypoints; -inf before the first.
        sides: whether left and right of the recent frames are exchanged.

    Raises:
        InputError: `lookahead` does not fit the window.
    """

    def __init__(
        self, weights: Weights, camera: Camera, skeleton: Skeleton, lookahead: int, options: LiftOptions
    ) -> None:
        size = options.window or weights.window
        if not 0 <= lookahead < size:
            raise InputError(
                f"lookahead={lookahead} must be 0 or more, and below the {size} frames of a window; give 0 to 10"
            )
        self._weights, self._camera, self._options = weights, camera, replace(options, every_frame=False)
        self._skeleton, self._lookahead, self._size = skeleton, lookahead, size
        self._known = np.array([joint in weights.skeleton_in.joints for joint in skeleton.joints])
        self._waiting: deque[_Frame] = deque()
        self._frames: deque[_Frame] = deque()
        self._angles: deque[tuple[float, float | None]] = deque(maxlen=_ANGLES)
        self._turns = 0
        self._bones = BonesSoFar(weights.skeleton_in, weights.skeleton_out)
        self._recent: _Recent | None = None
        self._more = False  # another segment comes after that of the last window
        self._angle_time = self.last_seen = -np.inf
        self.sides = SidesSoFar(options.threshold)

    @property
    def pending(self) -> int:
        """Number of frames whose poses are still to come."""
        return len(self._waiting)

    def add(self, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], timestamp: float) -> None:
        """Adds a frame in which a detector looked for the person. All keypoints are NaN if it did not find them."""
        track = self._track([_Frame(timestamp, np.asarray(keypoints), np.asarray(scores), False)])
        used = track.used(self._options.threshold)[0] & self._known
        frame = _Frame(timestamp, track.keypoints[0], track.scores[0], bool(used.any()))
        self._waiting.append(frame)
        self._frames.append(frame)
        if frame.seen:
            self.last_seen = timestamp
            if timestamp - self._angle_time >= _INTERVAL:
                self._turn(timestamp, body_angle(frame.keypoints, np.where(used, frame.scores, 0.0), self._skeleton))
        if self.sides.due(timestamp):
            self.sides.check(self._track(list(self._frames)))
        self._forget()

    def next_window(self, last: bool = False) -> Prepared | None:
        """Frames to lift for the next pose; None without new ones.

        Args:
            last: no more frames come.
        """
        target = self._target(last)
        recent = self._recent
        if target is None or self.last_seen == -np.inf:
            return None
        if (
            recent is not None
            and recent.newest == self.last_seen
            and not (recent.more and target.time > recent.motion.timestamps[-1])
        ):
            return None
        times, seen = np.array([frame.time for frame in self._frames]), np.array([frame.seen for frame in self._frames])
        rows = choose_window_frames(times, seen, target.time, self._size)
        if not len(rows):
            return None
        frames = list(self._frames)
        track = self._track([frames[row] for row in rows])
        prepared = prepare(track, self._weights, self._camera, self._options, self._turns)
        cut = cut_window(prepared, target.time, self._size, self._weights.temporal_stride)
        if cut is None:
            self._recent = None
            return None
        window, self._more = cut
        return window

    def take(self, window: Prepared, lifted: Lifted) -> None:
        """Finishes what the network gave of a window, for its last second.

        Args:
            window: from `next_window`.
            lifted: of its frames.
        """
        (segment,) = window.segments
        time = self._waiting[0].time
        start = min(int(np.searchsorted(segment.times, time - _NEAR)), len(segment.times) - 1)
        bones = partial(self._bones.measure, time)
        motion = finish(window.tail(segment, start), [lifted[start:]], self._weights, self._options, bones)
        motion = add_body_uncertainty(motion)
        self._recent = _Recent(motion, self.last_seen, self._more, motion.in_sight())

    def next_pose(self, last: bool = False) -> StreamedPose | None:
        """The pose of the frame that waited longest.

        None if it has to wait, or has no pose.

        Args:
            last: no more frames come.
        """
        target = self._target(last)
        if target is None:
            return None
        self._waiting.popleft()
        return self.pose_at(target.time)

    def pose_at(self, time: float) -> StreamedPose | None:
        """The pose of a frame of the last window, or None.

        Args:
            time: of a frame that was pushed, at most `_NEAR` seconds before the last pose.
        """
        frame = next((frame for frame in reversed(self._frames) if frame.time == time), None)
        if self._recent is None or frame is None:
            return None
        motion, times = self._recent.motion, self._recent.motion.timestamps
        if time - times[-1] > MAX_GAP or not np.isfinite(motion.root[-1]).all():
            return None
        row = int(np.searchsorted(times, time))
        exact = row < len(times) and times[row] == time

        def at(values: Float[np.ndarray, "t *c"]) -> Float[np.ndarray, "*c"]:
            """The values at this time. Interpolated for frames that were left out, held after the last one."""
            return values[row] if exact else interpolate(values, times, np.array([time]))[0]

        joints, uncertainty = at(motion.joints), motion.uncertainty
        if not exact and self._options.constant_bones and self._bones.lengths is not None:
            joints = set_bone_lengths(joints, self._bones.lengths, motion.skeleton.parent_indices)
        if uncertainty is not None:
            held = widening_factors(np.array([True, False]), np.array([times[-1], max(time, times[-1])]))[-1]
            uncertainty = (held * at(uncertainty)).astype(np.float32)
            if self.sides.exchanged:
                others = other_reading(joints, at(motion.root), list(motion.skeleton.flip_indices))
                uncertainty = np.hypot(uncertainty, np.linalg.norm(joints - others, axis=-1)).astype(np.float32)
            apart = np.linalg.norm(joints - joints[list(motion.skeleton.flip_indices)], axis=-1)
            for part in self.sides.parts:
                columns = part_columns(motion.skeleton, part)
                uncertainty[columns] = np.hypot(uncertainty, apart)[columns]
        return StreamedPose(
            time,
            joints,
            at(motion.root),
            uncertainty,
            not frame.seen,
            frame.keypoints,
            frame.scores,
            # A pose that is held shows nothing any more.
            seen=self._recent.in_sight[min(row, len(times) - 1)] & bool(time - times[-1] <= BRIDGE),
        )

    def _target(self, last: bool) -> _Frame | None:
        """The frame of the next pose."""
        return self._waiting[0] if len(self._waiting) > (0 if last else self._lookahead) else None

    def _track(self, frames: list[_Frame]) -> Keypoints2D:
        return Keypoints2D(
            np.stack([frame.keypoints for frame in frames]),
            np.stack([frame.scores for frame in frames]),
            np.array([frame.time for frame in frames], np.float64),
            self._skeleton,
            self._camera.image_size,
        )

    def _forget(self) -> None:
        """Drops frames that no window needs any more."""
        times = np.array([frame.time for frame in self._frames if frame.seen])
        most = self._size * stream_stride(times) + self._lookahead
        seen = len(times)
        while self._frames and (seen > most or not self._frames[0].seen or len(self._frames) > 2 * most):
            if self._frames[0] is self._waiting[0]:
                break
            seen -= self._frames.popleft().seen

    def _turn(self, time: float, angle: float | None) -> None:
        """Chooses the turns of the camera. For somebody upside down, the last window decides.

        Somebody sideways must have been so nearly all the time: people lie down, but a camera on its side stays so.
        """
        self._angle_time = time
        self._angles.append((time, angle))
        window = [own for at, own in self._angles if at >= self._frames[0].time]
        turns = choose_turns(window, self._turns)
        if turns in (1, 3) and choose_turns([own for _, own in self._angles], self._turns) != turns:
            turns = 0
        self._turns = turns
