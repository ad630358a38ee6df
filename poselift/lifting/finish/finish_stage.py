"""From the network's joints to a motion, for files and streams alike."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from poselift.geometry import set_bone_lengths
from poselift.lifting.finish.constant_bones import measure_clip
from poselift.lifting.finish.joint_uncertainty import adjust_uncertainty, widening_factors
from poselift.lifting.finish.level_feet import level_feet
from poselift.lifting.finish.repetitions import fill_from_repetitions
from poselift.lifting.finish.reprojection_refinement import measure_offsets, move_to_rays
from poselift.lifting.finish.root_track import place_root, solve_root
from poselift.lifting.network.protocol import Lifted
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.prepare_stage import Prepared, Segment
from poselift.lifting.prepare.quarter_turns import turn_back
from poselift.models import Weights
from poselift.numerics.times import interpolate
from poselift.structures import Motion

MeasureBones = Callable[[Float[np.ndarray, "t j 3"], Prepared], Float[np.ndarray, " j"] | None]
"""Gives the length of the bone that ends at each joint, metres, from joints relative to the root; None if unknown."""


def finish(
    prepared: Prepared,
    lifted: Sequence[Lifted],
    weights: Weights,
    options: LiftOptions = LiftOptions(),
    stream: MeasureBones | None = None,
) -> Motion:
    """One person's motion in the camera frame.

    The steps: turn the joints back, move them towards their rays, interpolate the other frames, fill longer gaps from
    the person's repetitions, make standing feet level, give bones a constant length, and place the root. The root is
    solved for other joints each time: for their distance from the rays, for standing feet, and for the result.

    Args:
        prepared: the track.
        lifted: what the network gave of each segment.
        weights: the lifter.
        options: settings.
        stream: measures the bones of a stream, as long as they were so far; None for a file, all of whose frames are
            there. Repetitions and level feet need later frames, so a stream has neither.
    """
    skeleton, times, seen = weights.skeleton_out, prepared.keypoints.timestamps, prepared.seen
    joints = np.full((len(times), len(skeleton), 3), np.nan, np.float32)
    # People without usable keypoints get NaN, so that all people of a clip have uncertainties or none has.
    uncertainty = np.full(joints.shape[:2], np.nan, np.float32) if weights.gives_uncertainty else None
    interpolated = np.zeros(len(times), bool)
    for segment, own in zip(prepared.segments, lifted, strict=True):
        rows = slice(segment.first, segment.end)
        interpolated[rows] = ~seen[rows]
        poses, refined = _refine(segment, own, weights, options)
        joints[rows] = interpolate(poses, segment.times, times[rows])
        if uncertainty is not None and refined is not None:
            wider = widening_factors(seen[rows], times[rows])[:, None]
            uncertainty[rows] = wider * interpolate(refined, segment.times, times[rows])

    if stream is None:
        joints = fill_from_repetitions(joints, prepared.bridged, times, prepared.interval)

    def place(joints: Float[np.ndarray, "t j 3"]) -> Motion:
        """The motion with its root."""
        return Motion(
            joints,
            place_root(joints, prepared),
            times,
            interpolated,
            skeleton,
            "camera",
            prepared.keypoints,
            uncertainty,
            pelvis=weights.pelvis,
            threshold=options.threshold,
        )

    if stream is None and options.refine:
        joints = level_feet(place(joints))
    if options.constant_bones:
        if stream is None:
            lengths = measure_clip(joints, prepared.scores, weights.skeleton_in, skeleton)
        else:
            lengths = stream(joints, prepared)
        joints = joints if lengths is None else set_bone_lengths(joints, lengths, skeleton.parent_indices)
    return place(joints)


def _refine(
    segment: Segment, lifted: Lifted, weights: Weights, options: LiftOptions
) -> tuple[Float[np.ndarray, "n j 3"], Float[np.ndarray, "n j"] | None]:
    """Joints moved towards their rays, and their uncertainty. They are in the camera frame, at the network's frames."""
    poses, uncertainty = turn_back(lifted.joints, segment.turns), lifted.uncertainty
    if not options.refine and uncertainty is None:
        return poses, None
    exact = poses.astype(np.float64)
    root = solve_root(exact, segment.rays, segment.ray_scores, segment.times)
    offsets = measure_offsets(exact, segment.rays, segment.ray_scores, segment.times, root, weights.skeleton_out)
    if uncertainty is not None:
        uncertainty = weights.uncertainty_factor * adjust_uncertainty(uncertainty, offsets, segment.ray_scores)
    return move_to_rays(exact, offsets) if options.refine else poses, uncertainty
