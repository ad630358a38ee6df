"""Motions and keypoints of the joints that all views give together."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import project
from poselift.geometry.camera import Camera
from poselift.kinematics.whole_body import TO_90
from poselift.several_views.calibration import Calibration
from poselift.several_views.fusion import Fused
from poselift.several_views.observations import Observations
from poselift.several_views.view import LiftedView
from poselift.structures import Keypoints2D, Motion

_TILT = 0.02
"""Standard deviation of whole-body rotation beyond that of the cameras, radians."""


def make_motions(
    seen: Observations,
    fused: Fused,
    camera: Camera,
    view: LiftedView,
    times: Float[np.ndarray, " t"],
    calibration: Calibration,
) -> list[Motion]:
    """Each person's motion in the first camera's frame. It lasts from the first to the last time with a pose."""
    count, motions = len(times), []
    angle = float(np.sqrt((calibration.angle**2).mean()))
    share = float(TO_90 * np.hypot(calibration.size, np.hypot(angle, _TILT)))
    example = view.people[0]
    for person in range(int(seen.people.max()) + 1):
        block = slice(person * count, (person + 1) * count)
        joints = fused.joints[block]
        rows = np.flatnonzero(np.isfinite(joints).all((1, 2)))
        if not len(rows):
            continue
        span = slice(int(rows[0]), int(rows[-1]) + 1)
        joints = joints[span]
        relative = joints - joints[:, :1]
        far = np.linalg.norm(relative, axis=-1)
        uncertainty = np.sqrt(fused.uncertainty[block][span] ** 2 + (share * far) ** 2)
        uncertainty[:, 0] = np.where(np.isfinite(far[:, 0]), 0.0, np.nan)
        scores = seen.scores[:, block][:, span]
        motions.append(
            Motion(
                relative.astype(np.float32),
                joints[:, 0].astype(np.float32),
                times[span],
                ~np.any(scores > 0, axis=(0, 2)),
                seen.skeleton,
                "camera",
                _joined_keypoints(seen, joints, block, span, camera, times[span], person + 1),
                uncertainty.astype(np.float32),
                pelvis=example.pelvis,
                threshold=example.threshold,
                body_share=share,
            )
        )
    return motions


def _joined_keypoints(
    seen: Observations,
    joints: Float[np.ndarray, "t j 3"],
    block: slice,
    span: slice,
    camera: Camera,
    times: Float[np.ndarray, " t"],
    person: int,
) -> Keypoints2D:
    """Keypoints in the first view.

    Its own where it has them, else where the joint lies that another view shows. Their scores are the best of all
    views, so that a joint which any view shows is in sight.
    """
    plane, scores = seen.plane[0, block][span], seen.scores[:, block][:, span]
    lens = None if camera.lens is None else camera.lens.astype(np.float64)
    K = camera.K.astype(np.float64)
    own = project(np.concatenate([np.nan_to_num(plane), np.ones_like(plane[..., :1])], -1), K, lens)
    from_others = project(joints, K, lens)
    pixels = np.where((scores[0] > 0)[..., None], own, from_others)
    best = scores.max(0)
    known = (best > 0) & np.isfinite(pixels).all(-1)
    pixels = np.where(known[..., None], np.clip(pixels, -1e6, 1e6), np.nan)
    return Keypoints2D(pixels, np.where(known, best, 0.0), times, seen.skeleton, camera.image_size, person)


def own_keypoints(
    seen: Observations, view: int, camera: Camera, times: Float[np.ndarray, " t"]
) -> dict[int, Keypoints2D]:
    """Everybody's keypoints in one view, pixels, by the number of the person."""
    count, found = len(times), {}
    lens = None if camera.lens is None else camera.lens.astype(np.float64)
    for person in range(int(seen.people.max()) + 1):
        block = slice(person * count, (person + 1) * count)
        plane, scores = seen.plane[view, block], seen.scores[view, block]
        pixels = project(
            np.concatenate([np.nan_to_num(plane), np.ones_like(plane[..., :1])], -1), camera.K.astype(np.float64), lens
        )
        known = (scores > 0) & np.isfinite(pixels).all(-1)
        found[person + 1] = Keypoints2D(
            np.where(known[..., None], pixels, np.nan),
            np.where(known, scores, 0.0),
            times,
            seen.skeleton,
            camera.image_size,
            person + 1,
        )
    return found
