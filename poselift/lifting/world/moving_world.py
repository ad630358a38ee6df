"""People of a clip whose camera turns, zooms or walks: in the camera of each frame, and in the world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.still_view import frame_lenses, frame_rows, into_frames, into_still_view, still_lens
from poselift.geometry import Camera
from poselift.kinematics.height import Height
from poselift.kinematics.up import estimate_up, level_axes
from poselift.lifting.world.feet_scale import find_scale
from poselift.lifting.world.world_frame import World, to_world
from poselift.structures import THRESHOLD, Keypoints2D, Motion, move

_UNSEEN = 0.05
"""Least share of somebody's keypoints outside of the still view for a warning."""


@dataclass(frozen=True)
class StillTrack:
    """A person's keypoints as a still camera would see them.

    Attributes:
        keypoints: in the still view; of the pictures themselves where the camera is still or unknown.
        camera: the still view's.
        seen: the keypoints in the pictures.
        shot: in which the person is seen.
    """

    keypoints: Keypoints2D
    camera: Camera
    seen: Keypoints2D
    shot: ShotPath


def still_track(track: Keypoints2D, path: CameraPath, camera: Camera) -> StillTrack:
    """A person of one shot as a still camera would see them.

    Args:
        track: of one shot.
        path: of the camera.
        camera: the lens that the path was found with.
    """
    row = int(frame_rows(path, track.timestamps[:1])[0])
    shot = next(shot for shot in path.shots if shot.first <= row < shot.end)
    if shot.kind in ("still", "unknown"):
        return StillTrack(track, camera, track, shot)
    still = replace(camera, K=still_lens(path, row, camera.K).astype(np.float32), distortion=None)
    return StillTrack(into_still_view(track, path, camera.K, camera.distortion), still, track, shot)


def in_camera_frames(motion: Motion, track: StillTrack, path: CameraPath) -> Motion:
    """A motion of the still view in the camera of each frame, with the keypoints of the pictures."""
    return into_frames(motion, path, track.seen)


@dataclass(frozen=True)
class MovingWorld:
    """People in the world of a camera that changes.

    Attributes:
        world: the people; its R and t are those of the first shot's still view.
        camera: with its lens and pose in each frame.
        path_metres: length of the camera's way in each shot, metres; 0 where it turns, None where it is not known.
        warnings: one line each.
    """

    world: World
    camera: Camera
    path_metres: tuple[float | None, ...]
    warnings: list[str]


def place_in_moving_world(
    motions: Sequence[Motion],
    tracks: Sequence[StillTrack],
    path: CameraPath,
    camera: Camera,
    threshold: float = THRESHOLD,
    heights: Mapping[int, Height] = MappingProxyType({}),
) -> MovingWorld:
    """The motions in the world, shot by shot. The camera of the first frame of a shot looks along its world's -Z.

    Where too little background is seen, or the camera walks and no standing feet tell how far, people stay in their
    place: only the motion relative to the body is known.

    Args:
        motions: in the camera frames of the still views.
        tracks: that they were lifted from.
        path: of the camera.
        camera: the lens that the path was found with.
        threshold: keypoints with a lower score are not used.
        heights: by person's number, see `to_world`.
    """
    count = len(path.times)
    R, t = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    worlds: list[tuple[list[int], World]] = []
    lengths: list[float | None] = []
    warnings = []
    for shot in path.shots:
        rows = slice(shot.first, shot.end)
        members = [index for index, track in enumerate(tracks) if track.shot == shot]
        inside = [motions[index] for index in members]
        right = path.R[shot.first] @ np.array([1.0, 0.0, 0.0])
        world, place, said = _place_shot(shot, inside, tracks, members, path, threshold, heights, right)
        warnings.extend(said)
        lengths.append(None if place is None else float(np.linalg.norm(np.diff(place, axis=0), axis=-1).sum()))
        R[rows] = world.R @ path.R[rows]
        t[rows] = world.t if place is None else place @ world.R.T + world.t
        worlds.append((members, world))
    warnings.extend(_find_unseen(tracks))
    placed: list[Motion | None] = [None] * len(motions)
    for members, world in worlds:
        for index, motion in zip(members, world.motions, strict=True):
            placed[index] = replace(motion, keypoints=tracks[index].seen)
    first = worlds[0][1]
    grown = {person: height for _, world in worlds for person, height in world.heights.items()}
    whole = World(
        [motion for motion in placed if motion is not None],
        first.R,
        first.t,
        max(world.uncertainty for _, world in worlds),
        all(world.feet_seen for members, world in worlds if members),
        grown,
    )
    K = frame_lenses(path, camera.K).astype(np.float32)
    if np.ptp(K, axis=0).max() == 0:
        K = K[0]
    return MovingWorld(whole, replace(camera, K=K, R=R, t=t, times=path.times), tuple(lengths), warnings)


def _place_shot(
    shot: ShotPath,
    motions: Sequence[Motion],
    tracks: Sequence[StillTrack],
    members: Sequence[int],
    path: CameraPath,
    threshold: float,
    heights: Mapping[int, Height],
    right: Float[np.ndarray, "3"],
) -> tuple[World, Float[np.ndarray, "t 3"] | None, list[str]]:
    """The people of a shot in its world, the camera's place in the still view if it is known, and warnings."""
    own = {motion.keypoints.person: heights[motion.keypoints.person] for motion in motions
           if motion.keypoints.person in heights}
    still = np.zeros((shot.end - shot.first, 3))
    when = f"{path.times[shot.first]:.1f} to {path.times[shot.end - 1]:.1f} s"
    if shot.kind == "unknown":
        why = f"{when}: too little background is seen to know what the camera does"
        return _stay(motions, own, right), None, [f"{why}; people are shown in one place"] if motions else []
    lens = tracks[members[0]].camera if members else None
    if lens is None:
        R = level_axes(estimate_up([]), right)
        return World([], R, np.zeros(3), np.pi, False, {}), still, []
    if shot.kind != "moving":
        return to_world(motions, lens, threshold, own, right=right), still, []
    places = [path.place[frame_rows(path, motion.timestamps)] for motion in motions]
    scale = find_scale(motions, places, threshold)
    if scale is None or not scale.sure:
        why = f"{when}: the camera moves through space, and no standing feet tell how far"
        return _stay(motions, own, right), None, [f"{why}; people are shown in one place"]
    moved = [
        replace(motion, root=(motion.root + scale.metres * place).astype(motion.root.dtype))
        for motion, place in zip(motions, places, strict=True)
    ]
    world = to_world(moved, lens, threshold, own, [scale.metres * place for place in places], right)
    place = scale.metres * path.place[shot.first : shot.end]
    share = f"{100 * scale.spread:.0f} %"
    return world, place, [f"{when}: the camera moves through space; its path is good to {share}, by standing feet"]


def _stay(motions: Sequence[Motion], heights: Mapping[int, Height], right: Float[np.ndarray, "3"]) -> World:
    """People who stay in the place where they were first seen, on the ground."""
    up = estimate_up(motions)
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
                [np.full(known.sum(), start[0] - origin[0]), -lowest[known], np.full(known.sum(), start[2] - origin[2])], 1
            )
        placed.append(replace(turned, root=root))
    return World(placed, R, np.array([0.0, 1.4, 0.0]), np.pi, True, dict(heights))


def _find_unseen(tracks: Sequence[StillTrack]) -> list[str]:
    """Warnings for people who leave the still view of their shot."""
    found = []
    for track in tracks:
        before, after = (np.isfinite(each.keypoints).all(-1).sum() for each in (track.seen, track.keypoints))
        if after < (1 - _UNSEEN) * before:
            share = 100 * (1 - after / before)
            found.append(
                f"person {track.seen.person}: the camera turns so far that {share:.0f} % of the keypoints are left out"
            )
    return found

