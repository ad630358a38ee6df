"""One person's 2D keypoints to 3D motion."""

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.core.times import usual_interval
from poselift.lifting.bones import with_constant_bones
from poselift.lifting.camera import CameraModel
from poselift.lifting.pelvis import without_strange_pelvis
from poselift.lifting.rays import keypoint_rays, towards_rays, ways_to_rays
from poselift.lifting.root import solve_root
from poselift.lifting.uncertainty import adjusted_uncertainty
from poselift.models import Weights, estimate_sequence
from poselift.skeleton import Skeleton, convert
from poselift.structures import Keypoints2D, Motion

MAX_GAP = 1.0
"""Seconds without a joint that are bridged; longer ones are left empty."""

_FASTEST = 60.0
"""Frames a second up to which lifters are trained: above, neighbouring frames say nearly the same to them."""

_UNSEEN = 0.01
"""Weight of a motion at a frame in which it saw nothing, among those of a fast clip. More than 0, as none may have."""

_RARELY = 0.05
"""Share of the frames in which a joint must have been seen for its bone's length to be asked."""


def lift_track(
    keypoints: Keypoints2D,
    weights: Weights,
    camera: CameraModel,
    threshold: float = 0.2,
    flip: bool = True,
    constant_bones: bool = True,
    draw: bool = True,
) -> Motion:
    """Lifts one person.

    Joints go in by name, as they are; those that the lifter does not know are left out. Frames in which nothing
    was seen are bridged where the gap is at most `MAX_GAP` seconds, and marked as filled; in longer gaps the
    motion is NaN. A limb that is hardly ever seen has bones as long as those of the other side. Where no joint is seen
    that the lifter gives, the root is NaN: there is a pose, and no place. A pelvis between the hips is not used where
    the lifter's own is elsewhere.

    Args:
        keypoints: of one person, in any joint set.
        weights: the lifter.
        camera: what the pixels were seen through.
        threshold: joints that score less are not used.
        flip: also lift the mirrored keypoints, and take the mean.
        constant_bones: give each bone the same length all through the clip.
        draw: draw joints towards their rays (`towards_rays`).

    Returns:
        The motion in the camera frame; its `keypoints` are those given.
    """
    lifter = weights.lifter
    skeleton_in = lifter.skeleton_in
    skeleton_out = lifter.skeleton_out
    pixels, scores = lifter_input(keypoints, skeleton_in, threshold)
    scores = _usable(weights, pixels, scores, keypoints.timestamps, camera)
    seen = np.any(scores > 0, axis=-1)
    interpolated, segments = find_gaps(seen, keypoints.timestamps)

    joints = np.full((len(keypoints), len(skeleton_out), 3), np.nan, np.float32)
    # Everybody of a clip has radii, or nobody: somebody of whom nothing is used has empty ones.
    uncertainty = np.full(joints.shape[:2], np.nan, np.float32) if lifter.gives_uncertainty else None
    for first, end in segments:
        rows = slice(first, end)
        joints[rows], own = _lift_run(weights, pixels[rows], scores[rows], keypoints.timestamps[rows], camera, flip)
        if uncertainty is not None and own is not None:
            uncertainty[rows] = own

    rays, trust = keypoint_rays(pixels, scores, camera.K.cpu(), skeleton_in, skeleton_out)
    for first, end in segments:
        rows = slice(first, end)
        lifted = joints[rows].astype(np.float64)
        ways = ways_to_rays(lifted, rays[rows], trust[rows], keypoints.timestamps[rows], skeleton_out)
        if uncertainty is not None:
            uncertainty[rows] = weights.uncertainty_factor * adjusted_uncertainty(uncertainty[rows], ways, trust[rows])
        if draw:
            joints[rows] = towards_rays(lifted, ways)
    if constant_bones:
        both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
        share = (scores[seen][:, skeleton_in.indices(both)] > 0).mean(0) if seen.any() else np.ones(len(both))
        unseen = [name for name, part in zip(both, share, strict=True) if part < _RARELY]
        joints = with_constant_bones(joints, skeleton_out, seen, unseen)
    root = np.full((len(keypoints), 3), np.nan, np.float32)
    for first, end in segments:
        rows = slice(first, end)
        if not trust[rows].any():  # Only joints were seen that the lifter does not give: they place nobody.
            continue
        root[rows] = solve_root(joints[rows].astype(np.float64), rays[rows], trust[rows], keypoints.timestamps[rows])
    return Motion(joints, root, keypoints.timestamps, interpolated, skeleton_out, "camera", keypoints, uncertainty)


def _usable(
    weights: Weights,
    pixels: Float[np.ndarray, "t j 2"],
    scores: Float[np.ndarray, "t j"],
    timestamps: Float[np.ndarray, " t"],
    camera: CameraModel,
) -> Float[np.ndarray, "t j"]:
    """The scores, 0 for a pelvis that is not where the lifter's own is: a window without it shows where that is."""
    skeleton_in = weights.lifter.skeleton_in
    skeleton_out = weights.lifter.skeleton_out

    def lift(hidden: Float[np.ndarray, "t j"]) -> Float[np.ndarray, "n k 3"]:
        _, segments = find_gaps(np.any(hidden > 0, axis=-1), timestamps)
        first, end = max(segments, key=lambda segment: segment[1] - segment[0])
        rows = slice(first, min(end, first + weights.window))
        return _lift_run(weights, pixels[rows], hidden[rows], timestamps[rows], camera, flip=False)[0]

    return without_strange_pelvis(pixels, scores, skeleton_in, lift, skeleton_out)


def _lift_run(
    weights: Weights,
    pixels: Float[np.ndarray, "t j 2"],
    scores: Float[np.ndarray, "t j"],
    timestamps: Float[np.ndarray, " t"],
    camera: CameraModel,
    flip: bool,
) -> tuple[Float[np.ndarray, "t j_out 3"], Float[np.ndarray, "t j_out"] | None]:
    """Joints and radii of frames without a long gap.

    Where there are more frames a second than lifters are trained for, every k-th is lifted by itself, which gives k
    motions; each is interpolated to all frames, and their mean is taken. One that has not seen a frame hardly counts
    there: people may be looked for in every second frame only, and then every second motion is made up.
    """
    device = next(weights.lifter.parameters()).device
    parts = max(1, int(np.ceil(_rate(timestamps) / _FASTEST - 0.01)))
    seen = np.any(scores > 0, axis=-1)
    found, trust = [], []
    for first in range(min(parts, len(timestamps))):
        rows = slice(first, None, parts)
        if not seen[rows].any():
            continue
        lifted = estimate_sequence(
            weights.lifter,
            torch.from_numpy(pixels[rows]).to(device),
            torch.from_numpy(scores[rows]).to(device),
            torch.from_numpy(timestamps[rows] - timestamps[0]).float().to(device),
            camera.K.to(device),
            torch.tensor(camera.image_size, dtype=torch.float32, device=device),
            window=max(weights.window, _frames_of(2 * MAX_GAP, timestamps[rows])),
            flip=flip,
        )
        uncertainty = [] if lifted.uncertainty is None else [lifted.uncertainty[..., None]]
        values = torch.cat((lifted.joints, *uncertainty), -1)[0].cpu().numpy()
        found.append(_at(timestamps, timestamps[rows], values))
        trust.append(_at(timestamps, timestamps[rows], np.where(seen[rows], 1.0, _UNSEEN)[:, None, None]))
    mean = np.average(found, axis=0, weights=np.broadcast_to(trust, np.shape(found))).astype(np.float32)
    return mean[..., :3], mean[..., 3] if mean.shape[-1] == 4 else None


def _at(
    timestamps: Float[np.ndarray, " t"], known: Float[np.ndarray, " n"], values: Float[np.ndarray, "n j c"]
) -> Float[np.ndarray, "t j c"]:
    """Values between known times, linearly; beyond the first and the last of them, those."""
    if len(known) == len(timestamps):
        return values
    columns = values.reshape(len(known), -1).T
    between = np.stack([np.interp(timestamps, known, column) for column in columns], -1)
    return between.reshape(len(timestamps), *values.shape[1:]).astype(values.dtype)


def _rate(timestamps: Float[np.ndarray, " t"]) -> float:
    """Frames a second."""
    return 1 / usual_interval(timestamps) if len(timestamps) > 1 else 1.0


def _frames_of(seconds: float, timestamps: np.ndarray) -> int:
    """How many frames that is at the clip's usual rate. No bridged gap may fill a whole window."""
    return int(np.ceil(seconds * _rate(timestamps))) + 2


def lifter_input(
    keypoints: Keypoints2D, skeleton: Skeleton, threshold: float = 0.2
) -> tuple[Float[np.ndarray, "t j 2"], Float[np.ndarray, "t j"]]:
    """Pixels and scores in the lifter's joints; those that the detector lacks are NaN and 0, never derived.

    Args:
        keypoints: of one person, in any joint set.
        skeleton: the lifter's input joints.
        threshold: joints that score less are not used.
    """
    used = keypoints.used(threshold)
    pixels = convert(keypoints.keypoints, keypoints.skeleton, skeleton, used)
    scores = convert(keypoints.scores[..., None], keypoints.skeleton, skeleton, used)
    known = pixels.mask & ~pixels.derived
    return (
        np.where(known[..., None], pixels.values, np.nan).astype(np.float32),
        np.where(known, scores.values[..., 0], 0.0).astype(np.float32),
    )


def find_gaps(
    seen: Bool[np.ndarray, " t"], timestamps: np.ndarray
) -> tuple[Bool[np.ndarray, " t"], list[tuple[int, int]]]:
    """Which frames are bridged, and the runs of frames (first, end) that are lifted in one piece.

    Args:
        seen: frames in which something was seen.
        timestamps: seconds.
    """
    frames = np.flatnonzero(seen)
    interpolated = np.zeros(len(seen), bool)
    if len(frames) == 0:
        return interpolated, []
    # A gap of n frames lasts n intervals; frames that the clip itself lacks are a gap too.
    lasts = np.diff(timestamps[frames]) - usual_interval(timestamps)
    breaks = np.flatnonzero(lasts > MAX_GAP + 1e-6)
    firsts = [int(frames[0]), *(int(frames[k + 1]) for k in breaks)]
    ends = [*(int(frames[k]) + 1 for k in breaks), int(frames[-1]) + 1]
    segments = list(zip(firsts, ends, strict=True))
    for first, end in segments:
        interpolated[first:end] = ~seen[first:end]
    return interpolated, segments
