"""A person's keypoints, prepared as the network's input. And what is known of each frame."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.gaps import add_frames_between, choose_frames, fill_gaps, find_segments
from poselift.lifting.prepare.lifter_joints import keypoint_rays, select_lifter_joints
from poselift.lifting.prepare.quarter_turns import turn_upright
from poselift.lifting.prepare.rates import count_interleaved, is_slow
from poselift.models import Weights
from poselift.numerics.times import check_intervals, median_interval
from poselift.structures import Keypoints2D

_CORNER = 2.0
"""Pixels: nobody fits into this corner of a picture."""


@dataclass(frozen=True)
class Segment:
    """Frames that are lifted together: no gap is too long.

    Attributes:
        first: first frame of the track that the segment covers.
        end: frame of the track after the last one.
        times: of the frames that the network gets, seconds.
        pixels: their keypoints in the upright picture; NaN where a joint was not seen.
        scores: of the same joints.
        rays: of the lifted joints, frame of the track's own camera; 0 where its score is 0, and in frames between.
        ray_scores: of each ray, the score of its keypoint.
        frames: their indices in the track; -1 for frames interpolated between those of a slow clip.
        camera: of the upright picture.
        turns: quarter turns that make the person upright in it.
        motions: number of interleaved motions that are lifted; 2 for every second frame each.
    """

    first: int
    end: int
    times: Float[np.ndarray, " n"]
    pixels: Float[np.ndarray, "n j 2"]
    scores: Float[np.ndarray, "n j"]
    rays: Float[np.ndarray, "n j_out 3"]
    ray_scores: Float[np.ndarray, "n j_out"]
    frames: Int[np.ndarray, " n"]
    camera: Camera
    turns: int
    motions: int


@dataclass(frozen=True)
class Prepared:
    """One person's track, as the network and the last stage need it.

    Attributes:
        keypoints: the track.
        interval: usual time between two of its frames, seconds; 0 for a single one.
        scores: of the lifter's input joints; 0 where a joint was not seen or is not used.
        bridged: frames with keypoints, given or interpolated.
        rays: of the lifted joints, camera frame; 0 where its score is 0.
        ray_scores: of each ray, the score of its keypoint.
        segments: the parts that are lifted; the frames between them stay empty.
    """

    keypoints: Keypoints2D
    interval: float
    scores: Float[np.ndarray, "t j_in"]
    bridged: Bool[np.ndarray, " t"]
    rays: Float[np.ndarray, "t j 3"]
    ray_scores: Float[np.ndarray, "t j"]
    segments: tuple[Segment, ...]

    @property
    def seen(self) -> Bool[np.ndarray, " t"]:
        """Frames with keypoints."""
        return np.any(self.scores > 0, axis=-1)

    def tail(self, segment: Segment, start: int) -> "Prepared":
        """The segment's end, from this frame of the network on."""
        times = self.keypoints.timestamps[: segment.end]
        first = max(segment.first, int(np.searchsorted(times, segment.times[start] - 1e-9)))
        rows, frames = slice(first, segment.end), segment.frames[start:]
        own = {name: getattr(segment, name)[start:] for name in ("times", "pixels", "scores", "rays", "ray_scores")}
        frames = np.where(frames < 0, frames, frames - first)
        short = replace(segment, first=0, end=segment.end - first, frames=frames, **own)
        arrays = {name: getattr(self, name)[rows] for name in ("keypoints", "scores", "bridged", "rays", "ray_scores")}
        return replace(self, **arrays, segments=(short,))


def prepare(
    keypoints: Keypoints2D,
    weights: Weights,
    camera: Camera,
    options: LiftOptions = LiftOptions(),
    turns: int | None = None,
) -> Prepared:
    """A track of keypoints, prepared for the network.

    Gaps of up to `NEAR` seconds and slow clips get interpolated keypoints, longer gaps a few empty frames. Gaps of more
    than `MAX_GAP` seconds divide the track into segments.

    Args:
        keypoints: of one person, in any skeleton.
        weights: the lifter.
        camera: the camera of the keypoints.
        options: settings.
        turns: quarter turns that make the person upright, which a stream remembers. None for a file: its turns are
            found in each segment, and its frames must not be seconds apart, as those of a stream may be.

    Raises:
        InputError: the camera is of pictures of another size, there is no frame, the keypoints are no pixels, or the
            timestamps of a file are not in seconds.
    """
    if tuple(camera.image_size) != tuple(keypoints.image_size):  # the same pixel would be another ray
        sizes = keypoints.image_size, camera.image_size
        ours, theirs = (f"{width:g} x {height:g}" for width, height in sizes)
        raise InputError(
            f"the keypoints are of pictures of {ours} pixels, the camera of {theirs}; give the camera of these "
            f"pictures, such as camera_for({tuple(keypoints.image_size)})"
        )
    if not len(keypoints) and not options.every_frame:
        raise InputError("the keypoints have no frames; give at least one")
    pixels, scores = select_lifter_joints(keypoints, weights.skeleton_in, options.threshold, weights.pelvis)
    seen = np.any(scores > 0, axis=-1)
    if seen.any() and np.abs(pixels[scores > 0]).max() <= _CORNER:
        raise InputError("the keypoints seem to be shares of the picture's size; multiply them by its width and height")
    times = keypoints.timestamps
    rays, ray_scores = keypoint_rays(pixels, scores, camera, weights.skeleton_in, weights.skeleton_out)
    filled, filled_scores = fill_gaps(pixels, scores, times)
    bridged = np.any(filled_scores > 0, axis=-1)
    if turns is None:
        check_intervals(times)
    interval, detected = median_interval(times), median_interval(times[seen])
    slow = is_slow(detected)
    # Between the frames of a slow clip, new ones are better than its own empty ones.
    known = seen if slow else bridged
    parts = [(0, len(times))] if options.every_frame and len(times) else find_segments(seen, times, interval)
    segments = []
    for first, end in parts:
        frames = first + choose_frames(known[first:end], times[first:end])
        inputs, input_scores, input_times = filled[frames], filled_scores[frames], times[frames]
        if slow:
            inputs, input_scores, input_times, given = add_frames_between(inputs, input_scores, input_times)
            frames = np.where(given, frames[np.cumsum(given) - 1], -1)
        upright, own_camera, own_turns = turn_upright(inputs, input_scores, weights.skeleton_in, camera, turns)
        given = (frames >= 0)[:, None]
        segments.append(
            Segment(
                first,
                end,
                input_times,
                upright,
                input_scores,
                np.where(given[..., None], rays[frames], 0.0),
                np.where(given, ray_scores[frames], 0.0),
                frames,
                own_camera,
                own_turns,
                1 if slow else count_interleaved(interval),
            )
        )
    return Prepared(keypoints, interval, scores, bridged, rays, ray_scores, tuple(segments))
