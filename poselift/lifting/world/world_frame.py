"""Motions in the world of a still camera. Y up, the ground at Y = 0, feet that do not skate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.unchecked import replace_unchecked
from poselift.geometry.camera import Camera
from poselift.kinematics.body_up import sits_on_wheels
from poselift.kinematics.foot_contacts import feet_of, find_contacts, find_standing_shares, runs_of
from poselift.kinematics.ground import Ground, find_ground
from poselift.kinematics.height import enlarge
from poselift.kinematics.up import CAMERA_RIGHT, level_axes
from poselift.lifting.finish.root_track import Standing, solve_root
from poselift.lifting.prepare.lifter_joints import keypoint_rays, select_lifter_joints
from poselift.lifting.world.planted_feet import plant_feet
from poselift.lifting.world.resting_height import find_resting_moves
from poselift.structures import Motion, move


@dataclass(frozen=True)
class World:
    """All people in the world frame.

    Right-handed, x to the camera's right, y up, z towards the camera.

    Attributes:
        motions: with contacts, if the skeleton has feet, and with heights; those that were estimated fit the ground.
        camera: with its place in the world.
        uncertainty: standard deviation of the direction of up, radians.
        feet_seen: whether any foot was ever in sight; if not, the ground is a guess.
    """

    motions: list[Motion]
    camera: Camera
    uncertainty: float
    feet_seen: bool


@check_annotations
def to_world(
    motions: Sequence[Motion],
    camera: Camera,
    places: Sequence[Float[np.ndarray, "t 3"]] | None = None,
    right: Float[np.ndarray, "3"] = CAMERA_RIGHT,
    up: Float[np.ndarray, "3"] | None = None,
) -> World:
    """Motions in the world frame, with planted feet.

    The origin lies on the ground below the first known root. Each root's track is solved again with feet that stay in
    place during contacts; the legs take up what still slides. Then the root goes up or down, slowly, until standing
    feet rest on the ground. People whose height nobody gave (`Motion.height`) are scaled about the camera so that all
    stand on one ground.

    Args:
        motions: in the camera frame, of one clip from a still camera.
        camera: the camera of the keypoints.
        places: of a camera that walks, in each motion's frames: the motions' roots contain them. The camera frame then
            has the axes of the walk, and everybody's size stays, because the walk's scale comes from it.
        right: direction in the camera frame that is the world's x, made level.
        up: unit vector in the camera frame, from a measured tilt; found from people if None.

    Raises:
        InputError: a motion is not in the camera frame.
    """
    ground = find_ground(motions, resize=places is None, given_up=up)
    sized = [enlarge(motion, scale) for motion, scale in zip(motions, ground.scales.tolist(), strict=True)]
    still = [np.zeros_like(motion.root) for motion in sized]
    standing = [
        _stand(motion, ground, camera, place)
        for motion, place in zip(sized, still if places is None else places, strict=True)
    ]
    R = level_axes(ground.up, right)
    t = -R @ _below(standing, ground)
    turned = [move(motion, R, t, "world") for motion in standing]
    return World(turned, camera.with_pose(R, t), ground.uncertainty, ground.feet_seen)


def _stand(motion: Motion, ground: Ground, camera: Camera, place: Float[np.ndarray, "t 3"]) -> Motion:
    """The motion with contacts and planted feet on the ground. It stays in the camera frame."""
    down, share = find_contacts(motion, ground.up), find_standing_shares(motion, ground.up)
    if down is None or share is None:
        return motion
    if sits_on_wheels(motion, ground.up):
        down, share = np.zeros_like(down), np.zeros_like(share)
    root = _solve_standing(motion, share, camera, place)
    motion = replace_unchecked(motion, root=root.astype(motion.root.dtype), contacts=np.any(down, axis=-1))
    feet = feet_of(motion)
    assert feet is not None
    joints, moved = plant_feet(motion.joints, feet, down, motion.skeleton, motion.timestamps)
    motion = replace_unchecked(motion, joints=joints, root=(motion.root + moved).astype(motion.root.dtype))
    feet = feet_of(motion)
    assert feet is not None
    raised = find_resting_moves(feet, down, ground, motion.timestamps)[:, None] * ground.up
    return replace_unchecked(motion, root=(motion.root + raised).astype(motion.root.dtype))


def _solve_standing(
    motion: Motion, share: Float[np.ndarray, "t 2 p"], camera: Camera, place: Float[np.ndarray, "t 3"]
) -> Float[np.ndarray, "t 3"]:
    """The root's track with feet that stay in place. They count by the probability that they stand.

    It is solved from the camera, whose place is added to the feet and to the solution.
    """
    feet = feet_of(motion)
    assert feet is not None
    frames = len(motion)
    points = (feet.points - motion.root[:, None, None] + place[:, None, None]).reshape(frames, -1, 3)
    pixels, scores = select_lifter_joints(motion.keypoints, motion.skeleton, motion.threshold, motion.pelvis)
    rays, ray_scores = keypoint_rays(pixels, scores, camera, motion.skeleton, motion.skeleton)
    root = np.full((frames, 3), np.nan)
    for first, end in runs_of(np.isfinite(motion.root).all(-1) & np.isfinite(motion.joints).all((1, 2))):
        rows = slice(first, end)
        root[rows] = solve_root(
            motion.joints[rows].astype(np.float64),
            rays[rows],
            ray_scores[rows],
            motion.timestamps[rows].astype(np.float64),
            Standing(points[rows], share[rows].reshape(end - first, -1)),
        )
    return root + place


def _below(motions: Sequence[Motion], ground: Ground) -> Float[np.ndarray, "3"]:
    """The ground's place below the first root, or below the camera."""
    for motion in motions:
        known = np.isfinite(motion.root).all(-1)
        if known.any():
            return ground_below(motion.root[known.argmax()].astype(np.float64), ground)
    return ground.height * ground.up


def ground_below(place: Float[np.ndarray, "3"], ground: Ground) -> Float[np.ndarray, "3"]:
    """The place on the ground below a place, camera frame, metres."""
    return place + (ground.height - place @ ground.up) * ground.up
