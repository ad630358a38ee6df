"""Rotation, zoom and focal length of a camera on one spot."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from poselift.camera_path.background_links import Shot
from poselift.camera_path.rotation_bundle import (
    FramePoses,
    KeyPoses,
    Lens,
    solve_frames,
    solve_keys,
)
from poselift.geometry.rotations_over_time import interpolate_rotations
from poselift.numerics.times import interpolate

_ZOOMS = 0.012
"""Least range of the log zoom of a lens that zooms; below it the focal length is constant."""

_ROUNDS = 4
"""Times that a camera that zooms out is solved: its first lens is the known one times a zoom that it finds."""

_SPREAD = 3.0
"""Standard deviations of the focal length, for each that its curvature tells: errors of flow depend on each other."""

_OTHER, _SURE = 0.04, 0.08
"""Least difference of the log focal length from the assumed one that counts, and its largest standard deviation."""

_TURNS = math.radians(8)
"""Least rotation from which the focal length is found."""


@dataclass(frozen=True)
class Turns:
    """What a camera does that turns on one spot.

    Attributes:
        R: rotation from the camera of each frame to that of the first one.
        zoom: focal length of each frame over that of the widest one.
        known: frames whose background was seen; the others are interpolated.
        focal: focal length of the widest frame over that of the assumed lens; 1 unless it was found.
        focal_spread: standard deviation of its logarithm; infinite where no frames turn far enough.
        zooms: whether the focal length changes.
        error: median distance of the background's points from their places by rotation, reduced pixels; also between
            key frames, as of water nearly every frame is one. Infinite if several frames have no link.
        keys: share of key frames.
        shutter: whether what is left is that of a rolling shutter.
    """

    R: Float[np.ndarray, "t 3 3"]
    zoom: Float[np.ndarray, " t"]
    known: Bool[np.ndarray, " t"]
    focal: float
    focal_spread: float
    zooms: bool
    error: float
    keys: float
    shutter: bool = False

    @property
    def degrees(self) -> float:
        """The largest rotation between two frames, to a degree or so."""
        return math.degrees(largest_angle(self.R))


def solve_turns(shot: Shot, times: Float[np.ndarray, " t"], lens: Lens, assumed: bool, zooms: bool = True) -> Turns:
    """The camera's rotation in each frame of a shot.

    Args:
        shot: gives the links.
        times: of its frames, seconds.
        lens: of the widest frame.
        assumed: whether its focal length is a guess, and may be found.
        zooms: whether the focal length may change.
    """
    keys, frames = _solve(shot, lens, zooms)
    if zooms and np.ptp(_without_outliers(frames.zoom[frames.known])) < _ZOOMS:
        zooms = False
        keys, frames = _solve(shot, lens, zooms)
    first = 0.0
    for _ in range(_ROUNDS - 1):
        if _widest(frames) > -_ZOOMS:
            break
        first -= _widest(frames)
        keys, frames = _solve(shot, lens, zooms, first)
    focal, spread = 1.0, math.inf
    if assumed and len(shot.loops) and largest_angle(frames.R[frames.known]) > _TURNS:
        # The lens of the widest frame, not of the first one, is the assumed one.
        start = replace(keys, zoom=keys.zoom - _widest(frames))
        free = solve_keys(shot, lens, zooms, start, focal=True)
        spread = _SPREAD * math.sqrt(max(free.cost, 1e-4) / max(free.curvature, 1e-12))
        changed = float(np.mean(free.zoom - start.zoom))
        if spread < _SURE and abs(changed) > max(_OTHER, 3 * spread):
            focal, keys = math.exp(changed), free
            frames = solve_frames(shot, free, lens, zooms)
    known = frames.known
    rows, at = np.flatnonzero(known), times[known]
    zoom = interpolate(frames.zoom[rows, None], at, times)[:, 0] - _widest(frames)
    errors = np.concatenate([each.errors[np.isfinite(each.errors)] for each in (frames, keys)])
    error = float(np.median(errors)) if len(errors) else math.inf if len(times) > 1 else 0.0
    R, share = interpolate_rotations(frames.R[rows], at, times), len(shot.keys) / len(times)
    return Turns(R, np.exp(zoom), known, focal, spread, zooms, error, share)


def _solve(shot: Shot, lens: Lens, zooms: bool, first: float = 0.0) -> tuple[KeyPoses, FramePoses]:
    """Poses of the key frames, then of all frames. The log zoom of the first one is given."""
    keys = solve_keys(shot, lens, zooms, first)
    return keys, solve_frames(shot, keys, lens, zooms)


def _without_outliers(zoom: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """The log zoom without single outliers; its ends stay."""
    padded = np.pad(zoom, 1, mode="edge")
    middle: np.ndarray = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    return middle


def _widest(frames: FramePoses) -> float:
    """The log zoom of the widest frame."""
    return float(_without_outliers(frames.zoom[frames.known]).min())


def largest_angle(R: Float[np.ndarray, "t 3 3"]) -> float:
    """The largest rotation between frames, radians. From the frame that is furthest from the first one."""
    if len(R) < 2:
        return 0.0
    furthest = R[int(_angles(R[0], R).argmax())]
    return float(_angles(furthest, R).max())


def _angles(first: Float[np.ndarray, "3 3"], R: Float[np.ndarray, "t 3 3"]) -> Float[np.ndarray, " t"]:
    """Angles between a rotation and others, radians; exact for small ones too."""
    chord = np.linalg.norm(R - first, axis=(-2, -1)) / (2 * math.sqrt(2))
    angles: np.ndarray = 2 * np.arcsin(np.clip(chord, 0, 1))
    return angles
