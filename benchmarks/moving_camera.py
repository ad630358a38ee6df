"""A still clip turned, shaken and zoomed by a virtual camera: its world against the world of the clip itself.

    python -m benchmarks.moving_camera [VIDEO] [--moves NAME ...] [--rows ROW ...] [--quality NAME] ...

The clips are those of `benchmarks.warped_clips`, with the assumed lens and the default detector. With `--width` the
virtual camera takes smaller pictures of a larger video, of the still clip too: otherwise a zoom only blurs. Four rows
for each move: `auto` lifts the warped clip as `poselift lift --world` does; `camera alone` gives it keypoints of the
still clip, warped alike, so only the camera's path errs; `in sight` leaves out of these what the virtual camera does
not see; `still` is `--camera still`, as if nothing had turned. `turned once` turns all frames by the same angle: what
the detector alone makes of other pixels, by 0.05 degrees (a pixel) the noise of the still clip itself.

Columns, against the world of the still clip, turned by the known heading of the first frame: distance of the roots and
of all joints, and of the roots without the mean offset of each person (the path), mm; angle of the rotation between the
poses of a person over the clip, degrees; the last two again over the frames that show the whole person (`whole`), as
people leave a picture that zooms; and the camera's own largest error of rotation, degrees, and of zoom, percent.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from benchmarks.clips import track_clip
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.warped_clips import MOVES, STILL, Warp, WarpedClip, WarpedTracks
from poselift.detection import build_detector
from poselift.finding import VideoClip
from poselift.geometry import rotation_y
from poselift.geometry.camera import Camera, camera_for
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import DEFAULT_DETECTOR, LiftRequest
from poselift.lifting.run import lift_clip
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.structures import Motion, Recording
from poselift.video import VideoReader

_ROWS = ("auto", "camera alone", "in sight", "still")

_NEAR, _FEWEST = 0.6, 10
"""Largest mean distance of two people who are the same, metres, without their mean offset, and least frames of both. Of
several such the nearest one counts, with the offset: people who stand have like paths."""


def _heading(camera: Camera, R: Float[np.ndarray, "3 3"]) -> float:
    """Angle of a camera's right about the world's up, radians."""
    right = R @ np.array([1.0, 0.0, 0.0])
    return math.atan2(-right[2], right[0])


def _rotation_between(first: np.ndarray, second: np.ndarray) -> float:
    """Angle of the rotation that brings one set of vectors (n, 3) closest to another, degrees."""
    left, _, right = np.linalg.svd(first.T @ second)
    left[:, -1] *= np.linalg.det(left @ right)
    return math.degrees(math.acos(min(max((np.trace(left @ right) - 1) / 2, -1.0), 1.0)))


@dataclass(frozen=True)
class _Pair:
    """A person of both worlds, in the frames that both have, in one heading.

    Attributes:
        root: metres.
        body: joints relative to it.
        true_root: of the still clip.
        true_body: likewise.
        whole: frames in which the virtual camera sees the whole person.
    """

    root: Float[np.ndarray, "t 3"]
    body: Float[np.ndarray, "t j 3"]
    true_root: Float[np.ndarray, "t 3"]
    true_body: Float[np.ndarray, "t j 3"]
    whole: Bool[np.ndarray, " t"]

    @property
    def off(self) -> Float[np.ndarray, "t 3"]:
        """Of the roots."""
        return self.root - self.true_root

    @property
    def path(self) -> Float[np.ndarray, " t"]:
        """Distance of the roots without their mean offset."""
        return np.asarray(np.linalg.norm(self.off - self.off.mean(0), axis=-1))

    @property
    def angle(self) -> float:
        """Of the rotation between the poses, degrees."""
        return _rotation_between(self.body.reshape(-1, 3), self.true_body.reshape(-1, 3))

    def when_whole(self) -> "_Pair":
        """The frames that show the whole person."""
        rows = self.whole
        return _Pair(self.root[rows], self.body[rows], self.true_root[rows], self.true_body[rows], rows[rows])


def compare(still: Recording, found: Recording, warp: Warp) -> list[str]:
    """The columns of a row."""
    start = warp.pose(0.0)[0]
    own = found.camera.R if found.camera.R.ndim == 2 else found.camera.R[0]
    turn = rotation_y(np.array(_heading(still.camera, still.camera.R @ start) - _heading(found.camera, own)))
    pairs = []
    for motion in found.people:
        likely = [pair for other in still.people if (pair := _pair(motion, other, turn, warp)) is not None]
        nearest = min(likely, key=lambda pair: float(np.linalg.norm(pair.off, axis=-1).mean()), default=None)
        if nearest is not None and nearest.path.mean() < _NEAR:
            pairs.append(nearest)
    if not pairs:
        return ["-"] * 8
    whole = [pair.when_whole() for pair in pairs if pair.whole.any()]
    joints = [np.linalg.norm(pair.body + pair.off[:, None] - pair.true_body, axis=-1).mean(-1) for pair in pairs]
    return [
        _mm([np.linalg.norm(pair.off, axis=-1) for pair in pairs]),
        _mm([pair.path for pair in pairs]),
        _mm(joints),
        " ".join(f"{pair.angle:.2f}" for pair in pairs),
        _mm([pair.path for pair in whole]) if whole else "-",
        " ".join(f"{pair.angle:.2f}" for pair in whole),
        *_camera_errors(found.camera, warp),
    ]


def _mm(distances: Sequence[Float[np.ndarray, " _"]]) -> str:
    """The mean of all, in millimetres."""
    return f"{1000 * np.concatenate(distances).mean():.1f}"


def _pair(motion: Motion, other: Motion, turn: Float[np.ndarray, "3 3"], warp: Warp) -> _Pair | None:
    """A person in both worlds; None if they share too few frames."""
    _, ours, theirs = np.intersect1d(motion.timestamps.round(4), other.timestamps.round(4), return_indices=True)
    known = motion.posed[ours] & other.posed[theirs]
    ours, theirs = ours[known], theirs[known]
    if len(ours) < _FEWEST:
        return None
    root, body = motion.root[ours] @ turn.T, motion.joints[ours] @ turn.T
    return _Pair(root, body, other.root[theirs], other.joints[theirs], warp.shows(other.keypoints)[theirs])


def _camera_errors(camera: Camera, warp: Warp) -> list[str]:
    """The largest errors of rotation (degrees) and zoom (percent)."""
    if camera.times is None:
        return ["-", "-"]
    true = np.array([warp.pose(float(time))[0] for time in camera.times])
    zoom = np.array([warp.pose(float(time))[1] for time in camera.times])
    errors = (true[0].T @ true) @ (camera.R[0].T @ camera.R).swapaxes(-1, -2)
    angle = np.degrees(np.linalg.norm(errors - np.eye(3), axis=(-2, -1)) / math.sqrt(2)).max()
    focal = camera.K[..., 0, 0] / float(warp.camera.K[0, 0])
    return [f"{angle:.3f}", f"{100 * np.abs(focal / zoom - 1).max():.2f}"]


def _reduced(size: tuple[int, int], width: int | None) -> tuple[int, int]:
    """Width and height of pictures of another width and the same shape, in even pixels."""
    return size if width is None else (width, 2 * round(size[1] * width / size[0] / 2))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the rows of each move."""
    parser = command_line(__doc__)
    parser.add_argument("video", nargs="?", type=Path, default=demo_video(), help="default: the demo clip")
    parser.add_argument("--moves", nargs="*", choices=list(MOVES), default=list(MOVES), metavar="NAME")
    parser.add_argument("--rows", nargs="*", choices=_ROWS, default=list(_ROWS), metavar="ROW", help="default: all")
    parser.add_argument("--quality", default="balanced", help="default: balanced")
    parser.add_argument("--detector", default=DEFAULT_DETECTOR, help=f"default: {DEFAULT_DETECTOR}")
    parser.add_argument("--width", type=int, help="of the virtual pictures, pixels; default: the video's")
    parser.add_argument("--start", type=float, help="first second of the span; default: the beginning")
    parser.add_argument("--end", type=float, help="end of the span, seconds; default: the end")
    parser.add_argument("--weights", default="small", help="default: small")
    parser.add_argument("--fov", type=float, metavar="DEG", help="of the clip's lens; default: assumed")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        detector, weights = build_detector(options.detector), load_weights(options.weights)
        info = VideoReader(options.video).info
        camera = camera_for(_reduced((info.width, info.height), options.width), options.fov)

        def clip_of(warp: Warp) -> WarpedClip:
            return WarpedClip(options.video, detector, options.quality, warp, options.start, options.end)

        unmoved = Warp(STILL, camera, 1.0)
        tracks = track_clip(clip_of(unmoved))
        request = LiftRequest(world=True, fov=options.fov)
        still = lift_clip(WarpedTracks(tracks, clip_of(unmoved), unmoved), weights, replace(request, camera="still"))
    end = still.clock.span[1]

    def rows() -> Iterator[list[str]]:
        for name in options.moves:
            warp = Warp(MOVES[name], camera, end)
            alone = WarpedTracks(tracks, clip_of(warp), warp)
            clips: dict[str, tuple[VideoClip | TrackClip, LiftRequest]] = {
                "auto": (clip_of(warp), request),
                "camera alone": (alone, request),
                "in sight": (WarpedTracks(tracks, clip_of(warp), warp, cut=True), request),
                "still": (alone, replace(request, camera="still")),
            }
            for row in options.rows:
                clip, asked = clips[row]
                found = lift_clip(clip, weights, asked)
                yield [name, row, *compare(still, found, warp), str(found.camera_report["found"])]

    heads = ["move", "", "root mm", "path mm", "joints mm", "body deg"]
    heads += ["whole: path mm", "body deg", "camera deg", "zoom %", "found"]
    print_table(heads, rows())


if __name__ == "__main__":
    main()
