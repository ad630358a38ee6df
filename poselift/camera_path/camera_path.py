"""The camera's pose in each frame of a clip: still, turning, or unknown, shot by shot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from poselift.camera_path.background_links import Links, Shot, link_frames
from poselift.camera_path.background_picture import SIDE
from poselift.camera_path.people_boxes import PeopleBoxes
from poselift.camera_path.rotation_bundle import Lens
from poselift.camera_path.turning_camera import nearest_rotation, solve_turns
from poselift.structures import Keypoints2D
from poselift.video import Frame

ShotKind = Literal["still", "turning", "unknown"]

_STILL, _STILL_ZOOM = 0.3, 0.01
"""Largest rotation, degrees, and largest change of the focal length, as a share, of a camera that stands still."""

_SEEN = 0.5
"""Least share of a shot's frames whose background is seen."""


@dataclass(frozen=True)
class ShotPath:
    """The camera in a shot.

    Attributes:
        first: number of the shot's first frame.
        end: number of the frame after its last one.
        kind: what the camera does; "unknown" where too little background is seen.
        lost: whether the shot begins because the background was lost, and not by a cut.
        degrees: largest rotation between two frames.
        zoom: largest focal length over the smallest one.
        error: median distance of the background's points from their places by the path, pixels of the video.
    """

    first: int
    end: int
    kind: ShotKind
    lost: bool
    degrees: float
    zoom: float
    error: float


@dataclass(frozen=True)
class CameraPath:
    """A camera that changes with time, against a still view of each shot.

    Attributes:
        times: of all frames, seconds.
        R: rotation from the camera of each frame to the still view of its shot.
        zoom: focal length of each frame over that of the still view.
        focal: focal length of the still view over that of the camera that was given; 1 unless it was found.
        known: frames whose background was seen; the others are interpolated.
        shots: in order; together they are all frames.
    """

    times: Float[np.ndarray, " t"]
    R: Float[np.ndarray, "t 3 3"]
    zoom: Float[np.ndarray, " t"]
    focal: Float[np.ndarray, " t"]
    known: Bool[np.ndarray, " t"]
    shots: tuple[ShotPath, ...]

    @property
    def still(self) -> bool:
        """Whether the clip is one shot of a still camera."""
        return len(self.shots) == 1 and self.shots[0].kind == "still"


def find_camera_path(
    frames: Iterable[Frame],
    tracks: Sequence[Keypoints2D],
    K: Float[np.ndarray, "3 3"],
    distortion: Float[np.ndarray, " 5"] | None,
    assumed: bool,
) -> CameraPath:
    """The camera's rotation and zoom in each frame, from the background.

    Args:
        frames: of the clip, in order; read once.
        tracks: the people, who are no background.
        K: intrinsics of the widest frame, pixels.
        distortion: k1, k2, p1, p2, k3; None for none.
        assumed: whether the focal length is a guess, and may be found.
    """
    return solve_path(link_frames(frames, PeopleBoxes(tracks)), K, distortion, assumed)


def solve_path(
    links: Links, K: Float[np.ndarray, "3 3"], distortion: Float[np.ndarray, " 5"] | None, assumed: bool
) -> CameraPath:
    """The camera's path from links; see `find_camera_path`."""
    count = len(links.times)
    R, zoom, focal = np.tile(np.eye(3), (count, 1, 1)), np.ones(count), np.ones(count)
    known = np.zeros(count, bool)
    scale = min(1.0, SIDE / max(links.image_size))
    lens = Lens(K.astype(np.float64), distortion, scale * float(K[0, 0]))
    shots = []
    for shot in _join_unknown(links.shots):
        rows = slice(shot.first, shot.end)
        if not _is_seen(shot):
            shots.append(ShotPath(shot.first, shot.end, "unknown", shot.lost, 0.0, 1.0, 0.0))
            continue
        turns = solve_turns(shot, links.times[rows], lens, assumed)
        known[rows] = turns.known
        wide = float(np.ptp(np.log(turns.zoom)))
        kind: ShotKind = "still" if turns.degrees < _STILL and wide < _STILL_ZOOM else "turning"
        if kind == "turning":
            middle = nearest_rotation(turns.R.mean(0))
            R[rows], zoom[rows], focal[rows] = middle.T @ turns.R, turns.zoom, turns.focal
        shots.append(
            ShotPath(shot.first, shot.end, kind, shot.lost, turns.degrees, float(np.exp(wide)), turns.error / scale)
        )
    return CameraPath(links.times, R, zoom, focal, known, tuple(shots))


def _is_seen(shot: Shot) -> bool:
    """Whether enough of the frames show a background. A single frame has no motion to tell."""
    linked = {link.second for link in shot.frames} | {link.first for link in shot.frames}
    return shot.end - shot.first == 1 or len(linked) >= _SEEN * (shot.end - shot.first)


def _join_unknown(shots: Sequence[Shot]) -> list[Shot]:
    """The shots; those without a background that follow each other without a cut are one."""
    joined: list[Shot] = []
    for shot in shots:
        if joined and shot.lost and not _is_seen(shot) and not _is_seen(joined[-1]):
            joined[-1] = replace(joined[-1], end=shot.end)
        else:
            joined.append(shot)
    return joined
