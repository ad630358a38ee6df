"""One person of a stream: the recent frames, and the pose that the lifter gives of them."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.lifting.bones import usual_lengths, with_bone_lengths
from poselift.lifting.camera import CameraModel
from poselift.lifting.gaps import MAX_GAP
from poselift.lifting.lift import FASTEST, lifter_input, rarely_seen
from poselift.lifting.options import LiftOptions
from poselift.lifting.pelvis import usable_scores
from poselift.lifting.reprojection import keypoint_rays, refined, reprojection_offsets
from poselift.lifting.root import solve_root
from poselift.lifting.uncertainty import adjusted_uncertainty
from poselift.models import Weights
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D, StreamedPose

_BONE_SAMPLES, _BONE_INTERVAL = 200, 0.1
"""Poses that the lengths of bones are measured in, and least seconds between them: neighbours tell the same."""

_FEWEST_STRIDES = 8
"""Largest number of frames of which one is lifted: 8 for 480 frames a second. It bounds the memory."""


@dataclass(frozen=True)
class Window:
    """Frames with keypoints, as the lifter gets them (`poselift.lifting.lift.lifter_input`)."""

    times: Float[np.ndarray, " t"]
    pixels: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]


@dataclass(frozen=True)
class _Lifted:
    """The lifted poses of a window, and how far their joints are from the keypoints."""

    window: Window
    joints: Float[np.ndarray, "t j 3"]
    uncertainty: Float[np.ndarray, "t j"] | None
    rays: Float[np.ndarray, "t j 3"]
    ray_weights: Float[np.ndarray, "t j"]


class Recent:
    """The recent frames of one person. `poselift.lifting.streaming` pushes frames, lifts windows, and reads poses.

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
        # Of frames with keypoints: times, pixels and scores of the lifter's input joints.
        self._observed: deque[tuple[float, np.ndarray, np.ndarray]] = deque(maxlen=size * _FEWEST_STRIDES)
        self._lifted: _Lifted | None = None
        self._bones: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_BONE_SAMPLES)  # lengths and scores
        self._lengths: np.ndarray | None = None
        self._measured = self._last_time = self.last_seen = -np.inf

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
            self._observed.append((timestamp, pixels[0], known[0]))
            self.last_seen = timestamp

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
        times = np.array([row[0] for row in rows])
        if self._lifted is not None and np.array_equal(self._lifted.window.times, times):
            return None
        pixels, scores = (np.stack([row[k] for row in rows]) for k in (1, 2))
        lifter = self._weights.lifter
        return Window(times, pixels, usable_scores(pixels, scores, lifter.skeleton_in, self._weights.pelvis))

    def take(
        self, window: Window, joints: Float[np.ndarray, "t j 3"], uncertainty: Float[np.ndarray, "t j"] | None
    ) -> None:
        """Takes what the lifter gave of a window, and moves the joints towards their rays."""
        skeleton_in, skeleton_out = self._weights.lifter.skeleton_in, self._weights.lifter.skeleton_out
        rays, weights = keypoint_rays(window.pixels, window.scores, self._camera, skeleton_in, skeleton_out)
        exact = joints.astype(np.float64)
        if self._options.refine or uncertainty is not None:
            offsets = reprojection_offsets(exact, rays, weights, window.times, skeleton_out)
            if uncertainty is not None:
                adjusted = adjusted_uncertainty(uncertainty, offsets, weights)
                uncertainty = (self._weights.uncertainty_factor * adjusted).astype(np.float32)
            if self._options.refine:
                exact = refined(exact, offsets)
        self._lifted = _Lifted(window, exact, uncertainty, rays, weights)

    def next_pose(self, last: bool = False) -> StreamedPose | None:
        """The pose of the frame that waited longest; None if it has to wait, or has no pose.

        Args:
            last: no more frames come.
        """
        target = self._target(last)
        if target is None:
            return None
        self._waiting.popleft()
        time = float(target.timestamps[0])
        if self._lifted is None or not self._rows(time):
            return None
        lifted, times = self._lifted, self._lifted.window.times
        joints = lifted.joints
        row = int(np.searchsorted(times, time))
        seen = row < len(times) and times[row] == time
        if self._options.constant_bones:
            if seen:
                self._measure(joints[row], lifted.window.scores[row], time)
            joints = self._with_bones(joints)
        root = solve_root(joints, lifted.rays, lifted.ray_weights, times)
        pose = _between(times, joints, time)
        if self._options.constant_bones and not seen:
            pose = self._with_bones(pose[None])[0]
        return StreamedPose(
            time,
            pose.astype(np.float32),
            _between(times, root, time).astype(np.float32),
            None if lifted.uncertainty is None else _between(times, lifted.uncertainty, time).astype(np.float32),
            not bool(target.used(self._options.threshold).any()),
            target.keypoints[0],
            target.scores[0],
        )

    def _target(self, last: bool) -> Keypoints2D | None:
        """The frame of the next pose."""
        return self._waiting[0] if len(self._waiting) > (0 if last else self._lookahead) else None

    def _rows(self, time: float) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """The observed frames to lift for the pose at a time; empty where the person was not seen for too long.

        Frames beyond a long gap are left out. Of more than `FASTEST` frames a second, every k-th is lifted, counted
        from the frame at that time.
        """
        rows = list(self._observed)
        times = np.array([row[0] for row in rows])
        here = int(np.searchsorted(times, time, side="right")) - 1  # the last frame seen at or before that time
        if here < 0 or time - times[here] > MAX_GAP:
            return []
        breaks = np.flatnonzero(np.diff(times) > MAX_GAP) + 1
        first, end = (
            int(edge) for edge in (max([0, *breaks[breaks <= here]]), min([len(rows), *breaks[breaks > here]]))
        )
        if time > times[end - 1] and end < len(rows):
            return []  # in a long gap whose end is known
        stride = _stride(times[first:end])
        first += (here - first) % stride
        return rows[first:end:stride][-self._size :]

    def _measure(self, joints: Float[np.ndarray, "j 3"], scores: Float[np.ndarray, " j_in"], time: float) -> None:
        """Measures the lengths of bones, now and then."""
        if time - self._measured < _BONE_INTERVAL:
            return
        self._measured = time
        lifter = self._weights.lifter
        parents = [0, *lifter.skeleton_out.parent_indices[1:]]
        self._bones.append((np.linalg.norm(joints - joints[parents], axis=-1), scores))
        lengths, seen = (np.stack(values) for values in zip(*self._bones, strict=True))
        unseen = rarely_seen(seen, lifter.skeleton_in, lifter.skeleton_out)
        self._lengths = usual_lengths(lengths, lifter.skeleton_out, unseen)

    def _with_bones(self, joints: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
        """Joints with the bone lengths measured so far."""
        if self._lengths is None:
            return joints
        return with_bone_lengths(joints, self._lengths, self._weights.lifter.skeleton_out)


def _stride(times: Float[np.ndarray, " t"]) -> int:
    """Number of frames of which one is lifted."""
    interval = usual_interval(times)
    return min(max(1, int(np.ceil(1 / (interval * FASTEST) - 0.01))), _FEWEST_STRIDES) if interval else 1


def _between(times: Float[np.ndarray, " t"], values: Float[np.ndarray, "t *c"], time: float) -> Float[np.ndarray, "*c"]:
    """Values at a time, linearly interpolated; constant before the first and after the last."""
    after = int(np.searchsorted(times, time))
    if after == len(times) or times[after] == time or after == 0:
        return values[min(after, len(times) - 1)]
    share = (time - times[after - 1]) / (times[after] - times[after - 1])
    return (1 - share) * values[after - 1] + share * values[after]
