"""Each frame's camera pose, and what the background says of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from poselift.camera_path.background_links import Links, Shot, link_frames
from poselift.camera_path.background_picture import SIDE
from poselift.camera_path.people_boxes import PeopleBoxes
from poselift.camera_path.rotation_bundle import Lens
from poselift.camera_path.turning_camera import Turns, solve_turns
from poselift.camera_path.walking_camera import Walk, solve_walk
from poselift.geometry.rotations_over_time import nearest_rotation
from poselift.structures import Keypoints2D
from poselift.video import Frame

ShotKind = Literal["still", "turning", "moving", "unknown"]

_STILL, _STILL_ZOOM = 0.3, 0.01
"""Largest rotation, degrees, and largest change of the focal length, as a share, of a camera that stands still."""

_SEEN = 0.5
"""Least share of a shot's frames whose background is seen."""

_EXACT = 0.3
"""Median error of the background's points, reduced pixels, up to which rotation explains them. Flow errs by 0.1, and a
hand that sways by 2 cm, 6 m from the background, makes it 0.3, which costs 0.2 degrees."""

_BETTER = 0.6
"""Share of the rotation's error that a path through space must stay below to explain the background better. It has
more unknowns: a distance for each point."""

_FLOW, _ASKED = 0.15, 0.85
"""The same two numbers where somebody says that the camera moves: its path is taken where the background shows any."""

_AGREES = 0.6
"""Least share of the points within a reduced pixel of their places by a path through space."""

_FOUND = 0.8
"""Least share of the frames whose place is found."""

_WRONG = 3.0
"""Median error, reduced pixels, above which no camera explains the background: water, leaves or a crowd."""

_DOUBTFUL = 0.7
"""Median error, reduced pixels, above which a camera that only turns is doubtful: 5 cm of sway leave it, and half a
degree with it. Digital stabilisation and a rolling shutter leave errors too."""

_CHANGES = 0.5
"""Share of key frames from which on a camera that turns is doubtful wherever it leaves errors: of water, nearly each
picture has corners of its own."""

_FOLLOWS, _FEWEST_FRAMES = 0.9, 10
"""Share of the variance of a path through space that follows the speed of the rotation where the shutter rolls; and the
least number of frames that tell it. A slow sway reaches 0.8 by chance, a rolling shutter has 0.95 to 0.99."""

SWAY = 0.02
"""Largest distance from the first place, in distances of the background, of a camera that sways in a hand. Its rotation
is that of the path through space, and the sway stays in the people's places: 10 cm at 5 m."""


@dataclass(frozen=True)
class ShotPath:
    """The camera in a shot.

    Attributes:
        first: number of the shot's first frame.
        end: number of the frame after its last one.
        kind: what the camera does; "moving" where its place changes, "unknown" where too little background is seen.
        lost: whether the shot begins because the background was lost, and not by a cut.
        degrees: largest rotation between two frames.
        zoom: largest focal length over the smallest one.
        error: median distance of the background's points from their places by the path, pixels of the video.
        baseline: largest distance from the first place, in median distances of the background; 0 unless it was found.
        doubtful: whether the camera counts as turning, and rotation explains the background badly.
    """

    first: int
    end: int
    kind: ShotKind
    lost: bool
    degrees: float
    zoom: float
    error: float
    baseline: float = 0.0
    doubtful: bool = False


@dataclass(frozen=True)
class CameraPath:
    """A camera that changes, against a still view of each shot.

    Attributes:
        times: of all frames, seconds.
        R: rotation from the camera of each frame to the still view of its shot.
        zoom: focal length of each frame over that of the still view.
        place: of the camera in the still view, in median distances of the background of the shot; 0 unless it moves.
        focal: focal length of the still view over that of the camera that was given; 1 unless it was found.
        known: frames whose background was seen; the others are interpolated.
        shots: in order; together they are all frames.
    """

    times: Float[np.ndarray, " t"]
    R: Float[np.ndarray, "t 3 3"]
    zoom: Float[np.ndarray, " t"]
    place: Float[np.ndarray, "t 3"]
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
    distortion: Float[np.ndarray, " k"] | None,
    assumed: bool,
    force: Literal["turning", "moving"] | None = None,
) -> CameraPath:
    """The camera's pose and zoom in each frame, from the background.

    Args:
        frames: of the clip, in order; read once.
        tracks: the people, who are no background.
        K: intrinsics of the widest frame, pixels.
        distortion: k1, k2, p1, p2, k3, or k1 to k4 of a fisheye lens; None for none.
        assumed: whether the focal length is a guess, and may be found.
        force: what the camera does; by evidence if None.
    """
    links = link_frames(frames, PeopleBoxes(tracks))
    return solve_path(links, K, distortion, assumed, force)


def unseen_path(times: Iterable[float]) -> CameraPath:
    """The path of a camera without a visible background.

    It is unknown in all frames.

    Args:
        times: of the frames, seconds.
    """
    at = np.fromiter(times, float)
    count, one = len(at), np.ones(len(at))
    shot = ShotPath(0, count, "unknown", False, 0.0, 1.0, 0.0)
    return CameraPath(at, np.tile(np.eye(3), (count, 1, 1)), one, np.zeros((count, 3)), one, one == 0, (shot,))


def solve_path(
    links: Links,
    K: Float[np.ndarray, "3 3"],
    distortion: Float[np.ndarray, " k"] | None,
    assumed: bool,
    force: Literal["turning", "moving"] | None = None,
) -> CameraPath:
    """The camera's path from links; see `find_camera_path`."""
    count = len(links.times)
    R, zoom, focal = np.tile(np.eye(3), (count, 1, 1)), np.ones(count), np.ones(count)
    place, known = np.zeros((count, 3)), np.zeros(count, bool)
    scale = min(1.0, SIDE / max(links.image_size))
    lens = Lens(K.astype(np.float64), distortion, scale * float(K[0, 0]))
    shots = []
    for shot in _join_unknown(links.shots):
        rows = slice(shot.first, shot.end)
        found = _solve_shot(shot, links.times[rows], lens, assumed, force) if _is_seen(shot) or count == 1 else None
        if found is None:
            shots.append(ShotPath(shot.first, shot.end, "unknown", shot.lost, 0.0, 1.0, 0.0))
            continue
        kind, turns, walk = found
        wide = float(np.exp(np.ptp(np.log(turns.zoom))))
        known[rows] = turns.known
        if kind != "still":
            middle = nearest_rotation(turns.R.mean(0))
            R[rows], zoom[rows], focal[rows] = middle.T @ turns.R, turns.zoom, turns.focal
            if kind == "moving" and walk is not None:
                place[rows] = walk.place @ middle
        baseline = 0.0 if walk is None else float(np.linalg.norm(walk.place, axis=-1).max())
        error = turns.error if walk is None else walk.error
        most = _EXACT if turns.keys > _CHANGES else _DOUBTFUL
        doubtful = kind == "turning" and (turns.shutter or error > most)
        shots.append(
            ShotPath(shot.first, shot.end, kind, shot.lost, turns.degrees, wide, error / scale, baseline, doubtful)
        )
    return CameraPath(links.times, R, zoom, place, focal, known, tuple(shots))


def _solve_shot(
    shot: Shot,
    times: Float[np.ndarray, " t"],
    lens: Lens,
    assumed: bool,
    force: Literal["turning", "moving"] | None,
) -> tuple[ShotKind, Turns, Walk | None] | None:
    """What the camera does in a shot, by evidence.

    None if no camera explains the background. A camera that turns on one spot is the simpler answer: a path through
    space must explain the background much better.
    """
    turns = solve_turns(shot, times, lens, assumed)
    still = turns.degrees < _STILL and float(np.ptp(np.log(turns.zoom))) < _STILL_ZOOM
    rests: ShotKind = "still" if still else "turning"
    # Where flow errs by as much, no place can be found, whoever says that it changes.
    if force == "turning" or (turns.error <= (_FLOW if force == "moving" else _EXACT) and not turns.zooms):
        return rests if turns.error <= _EXACT else "turning", turns, None
    # A walk towards a wall and a zoom look alike; one focal length is the simpler answer where it fits as well.
    plain = solve_turns(shot, times, lens, assumed=False, zooms=False) if turns.zooms else turns
    walk = solve_walk(shot, plain.R, times, lens)
    if walk is not None and _is_shutter(walk, plain.R, times):
        return "turning", replace(turns, shutter=True), None
    if walk is None or not _is_better(walk, turns, _ASKED if force == "moving" else _BETTER):
        return (rests if turns.error <= _EXACT else "turning", turns, None) if turns.error < _WRONG else None
    found = replace(plain, R=walk.R, known=walk.known, error=walk.error)
    sways = float(np.linalg.norm(walk.place, axis=-1).max()) <= SWAY
    return "turning" if sways and force is None else "moving", found, walk


def _is_better(walk: Walk, turns: Turns, share: float) -> bool:
    """Whether a path through space explains it, much better than rotation."""
    explains = walk.share >= _AGREES and float(walk.known.mean()) >= _FOUND
    return explains and walk.error < share * min(turns.error, walk.turning_error)


def _is_shutter(walk: Walk, R: Float[np.ndarray, "t 3 3"], times: Float[np.ndarray, " t"]) -> bool:
    """Whether the path is only a turning camera's rolling shutter.

    Its rows are seen one after the other, so it shears the picture by the speed of the rotation, as a camera does that
    moves aside by as much over a slanted plane. A hand's sway does not follow the speed of its rotation.
    """
    if len(times) < _FEWEST_FRAMES:
        return False
    turned = R[:-2].swapaxes(-1, -2) @ R[2:]
    axes = np.stack([turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0]], -1)
    rate = np.einsum("txy,ty->tx", R[1:-1, :, :2], axes) / (times[2:] - times[:-2])[:, None]
    rate, place = rate - rate.mean(0), walk.place[1:-1] - walk.place[1:-1].mean(0)
    follows = rate @ np.linalg.lstsq(rate, place, rcond=None)[0]
    return float((follows**2).sum()) > _FOLLOWS * float((place**2).sum())


def _is_seen(shot: Shot) -> bool:
    """Whether enough of the frames show a background."""
    linked = {link.second for link in shot.frames} | {link.first for link in shot.frames}
    return len(linked) >= _SEEN * (shot.end - shot.first)


def _join_unknown(shots: Sequence[Shot]) -> list[Shot]:
    """The shots, with neighbours without a background joined. Of water, any two pictures differ."""
    joined: list[Shot] = []
    for shot in shots:
        if joined and not _is_seen(shot) and not _is_seen(joined[-1]):
            joined[-1] = replace(joined[-1], end=shot.end)
        else:
            joined.append(shot)
    return joined
