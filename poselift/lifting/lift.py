"""The one way from 2D keypoints to 3D motion."""

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.core.times import usual_interval
from poselift.lifting.bones import with_constant_bones
from poselift.lifting.camera import CameraModel, check_fits
from poselift.lifting.gaps import find_segments, lifted_frames, widened, with_filled_gaps, with_frames_between
from poselift.lifting.level import with_level_feet
from poselift.lifting.options import LiftOptions
from poselift.lifting.pelvis import usable_scores
from poselift.lifting.repeats import with_repeats
from poselift.lifting.reprojection import keypoint_rays, refined, reprojection_offsets
from poselift.lifting.roll import quarter_turns, rolled, unrolled
from poselift.lifting.root import solve_root
from poselift.lifting.uncertainty import adjusted_uncertainty
from poselift.models import Weights, estimate_sequence
from poselift.skeleton import Pelvis, Skeleton, convert
from poselift.structures import Keypoints2D, Motion

_FASTEST = 50.0
"""Highest frame rate of one lifted motion. At 60 frames a second, two interleaved motions of 30 are better than one of
60: 43.7 instead of 44.6 mm of MPJPE with `tiny`, and two thirds of the acceleration error (benchmarks/lifter_log.md).
At 50, positions are as good either way, and the root is nearer with one."""

_SLACK = 0.01
"""Share of the highest frame rate by which a rate may be above it: timestamps are rounded."""

_RARELY = 0.05
"""Least share of frames in which a joint must be seen for its bone's length to be measured."""


def lift(keypoints: Keypoints2D, weights: Weights, camera: CameraModel, options: LiftOptions = LiftOptions()) -> Motion:
    """One person's 3D motion in the camera frame.

    Joints go in by name; the lifter ignores those that it does not know. Frames without keypoints are interpolated if
    the gap is at most `MAX_GAP` seconds, and are NaN in longer gaps. In short gaps and between the frames of slow clips
    the lifter gets interpolated keypoints, so a detector may look at some frames only; of longer gaps it gets a few
    empty frames (`poselift.lifting.gaps`). The steps: turn the picture where somebody is far from upright
    (`poselift.lifting.roll`), lift overlapping windows, move joints towards their rays, interpolate the other frames,
    fill longer gaps from the person's repetitions (`poselift.lifting.repeats`), make standing feet level
    (`poselift.lifting.level`), give bones a constant length, and place the root.

    Args:
        keypoints: of one person, in any skeleton.
        weights: the lifter.
        camera: the camera of the keypoints.
        options: settings; the defaults are those of `poselift lift`.

    Returns:
        The motion; its `keypoints` are those given. The root is NaN where no joint was seen that the lifter gives.

    Raises:
        InputError: the camera is of pictures of another size.

    Example:
        >>> from poselift.lifting import camera_for, lift
        >>> from poselift.models import load_weights
        >>> from poselift.skeleton import COCO17
        >>> body = np.random.default_rng(0).uniform(200, 400, (1, 17, 2)).repeat(8, 0)
        >>> keypoints = Keypoints2D(body, np.ones((8, 17)), np.arange(8) / 30, COCO17, (640, 480))
        >>> lift(keypoints, load_weights("tiny"), camera_for((640, 480))).joints.shape
        (8, 28, 3)
    """
    check_fits(camera, keypoints.image_size)
    skeleton_in, skeleton_out = weights.lifter.skeleton_in, weights.lifter.skeleton_out
    times = keypoints.timestamps
    pixels, scores = lifter_input(keypoints, skeleton_in, options.threshold, weights.pelvis)
    seen = np.any(scores > 0, axis=-1)
    segments = [(0, len(times))] if options.every_frame and len(times) else find_segments(seen, times)

    joints = np.full((len(keypoints), len(skeleton_out), 3), np.nan, np.float32)
    interpolated = np.zeros(len(keypoints), bool)
    # People without usable keypoints get NaN, so that all people of a clip have uncertainties or none has.
    uncertainty = np.full(joints.shape[:2], np.nan, np.float32) if weights.lifter.gives_uncertainty else None
    rays, ray_weights = keypoint_rays(pixels, scores, camera, skeleton_in, skeleton_out)
    filled, filled_scores = with_filled_gaps(pixels, scores, times)
    for first, end in segments:
        segment = slice(first, end)
        interpolated[segment] = ~seen[segment]
        frames = first + lifted_frames(seen[segment], np.any(filled_scores[segment] > 0, axis=-1), times[segment])
        inputs, input_scores, lifted_times, of_clip = with_frames_between(
            filled[frames], filled_scores[frames], times[frames]
        )
        turns = quarter_turns(inputs, input_scores, skeleton_in)
        upright, own_camera = unrolled(inputs, camera, turns)
        lifted, own = _lift_frames(weights, upright, input_scores, lifted_times, own_camera, options)
        lifted = rolled(lifted, turns)
        if options.refine or own is not None:
            exact = lifted.astype(np.float64)
            near, trust = (_spread(values[frames], of_clip) for values in (rays, ray_weights))
            offsets = reprojection_offsets(exact, near, trust, lifted_times, skeleton_out)
            if options.refine:
                lifted = refined(exact, offsets)
            if uncertainty is not None and own is not None:
                adjusted = weights.uncertainty_factor * adjusted_uncertainty(own, offsets, trust)
                adjusted = resampled(times[segment], lifted_times, adjusted)
                uncertainty[segment] = adjusted * widened(seen[segment], times[segment])[:, None]
        joints[segment] = resampled(times[segment], lifted_times, lifted)
    joints = with_repeats(joints, np.any(filled_scores > 0, axis=-1), times)
    if options.refine:
        root = _solve_roots(joints, rays, ray_weights, times, segments)
        placed = Motion(joints, root, times, interpolated, skeleton_out, "camera", keypoints, pelvis=weights.pelvis)
        joints = with_level_feet(placed, options.threshold)
    if options.constant_bones:
        joints = with_constant_bones(joints, skeleton_out, seen, rarely_seen(scores[seen], skeleton_in, skeleton_out))
    root = _solve_roots(joints, rays, ray_weights, times, segments)
    return Motion(
        joints, root, times, interpolated, skeleton_out, "camera", keypoints, uncertainty, pelvis=weights.pelvis
    )


def lifter_input(
    keypoints: Keypoints2D, skeleton: Skeleton, threshold: float, pelvis: Pelvis | None
) -> tuple[Float[np.ndarray, "t j 2"], Float[np.ndarray, "t j"]]:
    """Pixels and scores of the lifter's joints; NaN and 0 for those that the detector lacks.

    Args:
        keypoints: of one person, in any skeleton. No joint is derived from others.
        skeleton: the lifter's input joints.
        threshold: keypoints with a lower score are not used.
        pelvis: where the lifter's pelvis lies (`poselift.lifting.pelvis.usable_scores`).
    """
    used = keypoints.used(threshold)
    pixels = convert(keypoints.keypoints, keypoints.skeleton, skeleton, used)
    scores = convert(keypoints.scores[..., None], keypoints.skeleton, skeleton, used)
    known = pixels.mask & ~pixels.derived
    values = np.where(known[..., None], pixels.values, np.nan).astype(np.float32)
    return values, usable_scores(
        values, np.where(known, scores.values[..., 0], 0.0).astype(np.float32), skeleton, pelvis
    )


def rarely_seen(scores: Float[np.ndarray, "t j"], skeleton_in: Skeleton, skeleton_out: Skeleton) -> list[str]:
    """Joints that are hardly ever seen, of those that go in and come out."""
    both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
    if not len(scores):
        return []
    share = (scores[:, skeleton_in.indices(both)] > 0).mean(0)
    return [name for name, part in zip(both, share, strict=True) if part < _RARELY]


def interleaved(timestamps: Float[np.ndarray, " t"], fastest: float = _FASTEST) -> int:
    """Number k of interleaved motions of every k-th frame of which none has more than so many frames a second.

    Args:
        timestamps: seconds, increasing.
        fastest: highest frame rate of a motion.

    Example:
        >>> interleaved(np.arange(9) / 50), interleaved(np.arange(9) / 60), interleaved(np.zeros(1))
        (1, 2, 1)
    """
    interval = usual_interval(timestamps)
    return max(1, int(np.ceil(1 / interval / fastest - _SLACK))) if interval else 1


def _lift_frames(
    weights: Weights,
    pixels: Float[np.ndarray, "t j 2"],
    scores: Float[np.ndarray, "t j"],
    timestamps: Float[np.ndarray, " t"],
    camera: CameraModel,
    options: LiftOptions,
) -> tuple[Float[np.ndarray, "t j_out 3"], Float[np.ndarray, "t j_out"] | None]:
    """The lifter's joints and uncertainties for the frames that it gets.

    Above `_FASTEST` frames a second, k interleaved motions of every k-th frame are lifted, interpolated to all frames
    and averaged.
    """
    device = next(weights.lifter.parameters()).device
    parts = interleaved(timestamps)
    known = np.any(scores > 0, axis=-1)
    number = np.cumsum(known) - 1
    found = []
    for first in range(min(parts, max(1, known.sum()))):
        rows = np.flatnonzero(~known | (number % parts == first))  # there are few empty frames: each part gets all
        lifted = estimate_sequence(
            weights.lifter,
            torch.from_numpy(pixels[rows]).to(device),
            torch.from_numpy(scores[rows]).to(device),
            torch.from_numpy(timestamps[rows] - timestamps[0]).float().to(device),
            camera.K.to(device),
            torch.tensor(camera.image_size, dtype=torch.float32, device=device),
            window=options.window or weights.window,
            flip=options.flip,
            distortion=None if camera.distortion is None else camera.distortion.to(device),
        )
        uncertainty = [] if lifted.uncertainty is None else [lifted.uncertainty[..., None]]
        values = torch.cat((lifted.joints, *uncertainty), -1)[0].float().cpu().numpy()
        found.append(resampled(timestamps, timestamps[rows], values))
    mean = np.asarray(np.mean(found, axis=0, dtype=np.float64), np.float32)
    return mean[..., :3], mean[..., 3] if mean.shape[-1] == 4 else None


def _solve_roots(
    joints: Float[np.ndarray, "t j 3"],
    rays: Float[np.ndarray, "t j 3"],
    weights: Float[np.ndarray, "t j"],
    times: Float[np.ndarray, " t"],
    segments: list[tuple[int, int]],
) -> Float[np.ndarray, "t 3"]:
    """The root of each segment; NaN between them, and in segments without a ray."""
    root = np.full((len(joints), 3), np.nan, np.float32)
    for first, end in segments:
        rows = slice(first, end)
        if weights[rows].any():
            root[rows] = solve_root(joints[rows].astype(np.float64), rays[rows], weights[rows], times[rows])
    return root


def _spread(values: Float[np.ndarray, "n *c"], rows: Bool[np.ndarray, " m"]) -> Float[np.ndarray, "m *c"]:
    """Values at these rows, and zeros between."""
    spread = np.zeros((len(rows), *values.shape[1:]), values.dtype)
    spread[rows] = values
    return spread


def resampled(
    timestamps: Float[np.ndarray, " t"], known: Float[np.ndarray, " n"], values: Float[np.ndarray, "n *c"]
) -> Float[np.ndarray, "t *c"]:
    """Values at other times, linearly; constant before the first and after the last.

    Args:
        timestamps: of the result, seconds.
        known: of the values, seconds, increasing.
        values: of any shape after time.
    """
    if np.array_equal(known, timestamps):
        return values
    columns = values.reshape(len(known), -1).T
    between = np.stack([np.interp(timestamps, known, column) for column in columns], -1)
    return between.reshape(len(timestamps), *values.shape[1:]).astype(values.dtype)
