"""People in the world where the camera turns, zooms or walks.

They come from the still view of each shot.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.still_view import StillView, frame_lenses
from poselift.core.unchecked import replace_unchecked
from poselift.geometry.camera import Camera
from poselift.kinematics.up import estimate_up, level_axes
from poselift.lifting.world.feet_scale import find_scale
from poselift.lifting.world.world_frame import World, to_world
from poselift.structures import Motion, move

_EYES = 1.4
"""Height of a camera whose place is not known, metres."""

_UNSEEN = 0.05
"""Least share of somebody's keypoints outside of the still view for a warning."""


def place_in_moving_world(
    motions: Sequence[Motion],
    views: Sequence[StillView],
    path: CameraPath,
    camera: Camera,
    up: Float[np.ndarray, "3"] | None = None,
) -> tuple[World, list[str]]:
    """The motions in the world, shot by shot, and warnings.

    The camera of the first frame of a shot looks along its world's -Z.

    Where too little background is seen, or the camera walks and no standing feet tell how far, people stay in their
    place: only the motion relative to the body is known.

    Args:
        motions: in the camera frames of the still views.
        views: that they were lifted from.
        path: of the camera.
        camera: the lens that the path was found with.
        up: unit vector in the camera of the first frame of a shot; found from people if None.
    """
    count = len(path.times)
    R, t = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    worlds: list[tuple[list[int], World]] = []
    warnings = []
    for shot in path.shots:
        rows = slice(shot.first, shot.end)
        members = [index for index, view in enumerate(views) if view.shot == shot]
        inside = [motions[index] for index in members]
        right = path.R[shot.first] @ np.array([1.0, 0.0, 0.0])
        world, place, said = _place_shot(shot, inside, [views[index] for index in members], path, right, up)
        warnings.extend(said)
        R[rows] = world.camera.R @ path.R[rows]
        t[rows] = world.camera.t if place is None else place @ world.camera.R.T + world.camera.t
        worlds.append((members, world))
    warnings.extend(_find_unseen(views))
    placed: list[Motion | None] = [None] * len(motions)
    for members, world in worlds:
        for index, motion in zip(members, world.motions, strict=True):
            placed[index] = replace_unchecked(motion, keypoints=views[index].seen)
    K = frame_lenses(path, camera.K).astype(np.float32)
    if np.ptp(K, axis=0).max() == 0:
        K = K[0]
    whole = World(
        [motion for motion in placed if motion is not None],
        replace(camera, K=K, R=R, t=t, times=path.times),
        max(world.uncertainty for _, world in worlds),
        all(world.feet_seen for members, world in worlds if members),
    )
    return whole, warnings


def _place_shot(
    shot: ShotPath,
    motions: Sequence[Motion],
    views: Sequence[StillView],
    path: CameraPath,
    right: Float[np.ndarray, "3"],
    up: Float[np.ndarray, "3"] | None,
) -> tuple[World, Float[np.ndarray, "t 3"] | None, list[str]]:
    """A shot's people in its world, the camera's place, and warnings.

    The place is in the still view, if it is known.
    """
    when = f"{path.times[shot.first]:.1f} to {path.times[shot.end - 1]:.1f} s"
    still = np.zeros((shot.end - shot.first, 3))
    places = [view.place for view in views if view.place is not None] if shot.kind == "moving" else []
    scale = find_scale(motions, places) if places else None
    why = ""
    if shot.kind == "unknown":
        why = "too little background is seen to know what the camera does"
    elif places and (scale is None or not scale.sure):
        why = "the camera moves through space, and no standing feet tell how far"
    up = None if up is None else path.R[shot.first] @ up
    if why or not motions:
        told = [f"{when}: {why}; people are shown in one place"] if motions else []
        if told and shot.kind == "unknown" and up is not None:
            told[0] += f", upright by the tilt of the picture at {path.times[shot.first]:.1f} s"
        return _stay(motions, views, right, up), None if why else still, told
    ways, told = None, []
    if scale is not None:
        ways, still = [scale.metres * place for place in places], scale.metres * path.place[shot.first : shot.end]
        motions = [
            replace_unchecked(motion, root=(motion.root + way).astype(motion.root.dtype))
            for motion, way in zip(motions, ways, strict=True)
        ]
        said = f"the camera moves through space; its path is good to {100 * scale.spread:.0f} %, by standing feet"
        told = [f"{when}: {said}"]
    return to_world(motions, views[0].camera, ways, right, up), still, told


def _stay(
    motions: Sequence[Motion],
    views: Sequence[StillView],
    right: Float[np.ndarray, "3"],
    up: Float[np.ndarray, "3"] | None,
) -> World:
    """People kept on the ground, where they were first seen. Up is the median body's if nobody measured it."""
    up = estimate_up(motions) if up is None else up
    R = level_axes(up, right)
    placed = []
    origin: np.ndarray | None = None
    for motion in motions:
        turned = move(motion, R, np.zeros(3), "world")
        known = np.isfinite(turned.root).all(-1)
        root = turned.root.copy()
        if known.any():
            start = turned.root[int(known.argmax())].astype(np.float64)
            origin = start if origin is None else origin
            lowest = turned.joints[..., 1].min(-1)
            root[known] = np.stack(
                [
                    np.full(known.sum(), start[0] - origin[0]),
                    -lowest[known],
                    np.full(known.sum(), start[2] - origin[2]),
                ],
                1,
            )
        placed.append(replace_unchecked(turned, root=root))
    eye = np.eye(3)
    lens = views[0].camera if views else Camera(eye, (1, 1))
    return World(placed, lens.with_pose(R, np.array([0.0, _EYES, 0.0])), np.pi, True)


def _find_unseen(views: Sequence[StillView]) -> list[str]:
    """Warnings for people who leave the still view of their shot."""
    found = []
    for view in views:
        before, after = (np.isfinite(each.keypoints).all(-1).sum() for each in (view.seen, view.keypoints))
        if after < (1 - _UNSEEN) * before:
            share = 100 * (1 - after / before)
            found.append(
                f"person {view.seen.person}: the camera turns so far that {share:.0f} % of the keypoints are left out"
            )
    return found
