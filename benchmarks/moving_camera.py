"""A still clip turned, shaken and zoomed by a virtual camera: its world against the world of the clip itself.

    python -m benchmarks.moving_camera [VIDEO] [--moves NAME ...] [--rows ROW ...] [--quality NAME] ...

Each frame is warped by K_t R_t' K⁻¹ with the assumed lens, and the border is mirrored, so that the background goes
with the picture. Three rows for each move: `auto` lifts the warped clip as `poselift lift --world` does; `camera alone`
gives it the keypoints of the still clip, warped alike, so only the camera's path errs; `still` is `--camera still`, as
if nothing had turned. `turned once` turns all frames by the same angle: what the detector alone makes of other pixels,
by 0.05 degrees (a pixel) the noise of the still clip itself.

Columns, against the world of the still clip, turned by the known heading of the first frame: distance of the roots and
of all joints, and of the roots without the mean offset of each person (the path), mm; angle of the rotation between the
poses of a person over the clip, degrees; and the camera's own largest error of rotation, degrees, and of zoom, percent.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float

from benchmarks.clips import track_clip
from benchmarks.command import command_line, errors_shown, print_table
from poselift.detection import Detector, build_detector
from poselift.finding import VideoClip
from poselift.geometry import axis_angle_to_matrix, rotation_y
from poselift.geometry.camera import Camera, camera_for
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import lift_clip
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.structures import Keypoints2D, Motion, Recording
from poselift.video import Frame

_ROWS = ("auto", "camera alone", "still")

_NEAR = 0.6
"""Largest mean distance of two people who are the same, metres, without their mean offset."""


@dataclass(frozen=True)
class Move:
    """What the virtual camera does, by share of the clip, 0 to 1.

    Attributes:
        turn: tilt, pan and roll, degrees.
        zoom: focal length over that of the clip.
    """

    turn: Callable[[float], tuple[float, float, float]]
    zoom: Callable[[float], float] = lambda share: 1.0


def _pan(degrees: float) -> Callable[[float], tuple[float, float, float]]:
    return lambda share: (0.0, degrees * share, 0.0)


def _shake(share: float) -> tuple[float, float, float]:
    """A hand: one to one and a half degrees, at up to three times a second in four seconds."""
    turns = 2 * math.pi * share
    return (
        0.5 * math.sin(7 * turns) + 0.3 * math.sin(13 * turns),
        0.8 * math.sin(3 * turns) + 0.7 * math.sin(5 * turns),
        0.5 * math.sin(9 * turns),
    )


def _closer(share: float) -> float:
    return 1 + 0.4 * share


MOVES: dict[str, Move] = {
    "turned once, 0.05 degrees": Move(lambda share: (0.035, 0.05, 0.0)),
    "turned once, 5 degrees": Move(lambda share: (0.0, 5.0, 0.0)),
    "pan 5": Move(_pan(5)),
    "pan 10": Move(_pan(10)),
    "pan 25": Move(_pan(25)),
    "pan 4 to each side": Move(lambda share: (0.0, 4 * math.sin(2 * math.pi * share), 0.0)),
    "hand shake": Move(_shake),
    "roll 10 to each side": Move(lambda share: (0.0, 0.0, 10 * math.sin(2 * math.pi * share))),
    "zoom 1 to 1.4": Move(lambda share: (0.0, 0.0, 0.0), _closer),
    "pan 5, zoom": Move(_pan(5), _closer),
    "pan 10, zoom": Move(_pan(10), _closer),
    "pan 5, zoom 1.2": Move(_pan(5), lambda share: 1 + 0.2 * share),
    "pan 10, zoom 1.2": Move(_pan(10), lambda share: 1 + 0.2 * share),
    "pan 10, shake": Move(lambda share: tuple(a + b for a, b in zip(_pan(10)(share), _shake(share), strict=True))),  # type: ignore[return-value,arg-type]
}
"""The moves by name."""


@dataclass(frozen=True)
class Warp:
    """A move of a clip.

    Attributes:
        move: of the virtual camera.
        camera: the clip's lens.
        end: time of the last frame, seconds.
    """

    move: Move
    camera: Camera
    end: float

    def pose(self, time: float) -> tuple[Float[np.ndarray, "3 3"], float]:
        """Rotation from the virtual camera to the still one, and zoom."""
        share = time / self.end
        return axis_angle_to_matrix(np.radians(self.move.turn(share))), self.move.zoom(share)

    def homography(self, time: float) -> Float[np.ndarray, "3 3"]:
        """From pixels of the clip to those of the virtual camera."""
        R, zoom = self.pose(time)
        K = self.camera.K.astype(np.float64)
        return K @ np.diag([zoom, zoom, 1.0]) @ R.T @ np.linalg.inv(K)

    def picture(self, frame: Frame) -> Frame:
        """The frame as the virtual camera sees it; beyond its edge it is mirrored."""
        image = cv2.warpPerspective(
            frame.image,
            self.homography(frame.timestamp),
            self.camera.image_size,
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        return replace(frame, image=image)

    def keypoints(self, track: Keypoints2D) -> Keypoints2D:
        """A person's keypoints as the virtual camera sees them."""
        H = np.array([self.homography(float(time)) for time in track.timestamps])
        moved = np.concatenate([track.keypoints, np.ones((*track.keypoints.shape[:2], 1))], -1) @ H.swapaxes(1, 2)
        return replace(track, keypoints=moved[..., :2] / moved[..., 2:])  # NaN stays NaN where nobody looked


class WarpedClip(VideoClip):
    """A video as a virtual camera sees it."""

    def __init__(self, video: Path, detector: Detector, quality: str, warp: Warp) -> None:
        super().__init__(video, detector, quality=quality)
        self._warp = warp

    def frames(self) -> Iterator[Frame]:
        """The warped frames."""
        return map(self._warp.picture, super().frames())


class WarpedTracks(TrackClip):
    """The people of the still clip, with the warped pictures."""

    def __init__(self, tracks: Sequence[Keypoints2D], video: Path, warp: Warp) -> None:
        super().__init__([warp.keypoints(track) for track in tracks], video)
        self._warp = warp

    def frames(self) -> Iterator[Frame]:
        """The warped frames."""
        return map(self._warp.picture, super().frames())


def _heading(camera: Camera, R: Float[np.ndarray, "3 3"]) -> float:
    """Angle of a camera's right about the world's up, radians."""
    right = R @ np.array([1.0, 0.0, 0.0])
    return math.atan2(-right[2], right[0])


def _rotation_between(first: np.ndarray, second: np.ndarray) -> float:
    """Angle of the rotation that brings one set of vectors (n, 3) closest to another, degrees."""
    left, _, right = np.linalg.svd(first.T @ second)
    left[:, -1] *= np.linalg.det(left @ right)
    return math.degrees(math.acos(min(max((np.trace(left @ right) - 1) / 2, -1.0), 1.0)))


def compare(still: Recording, found: Recording, warp: Warp) -> list[str]:
    """The columns of a row."""
    start = warp.pose(0.0)[0]
    own = found.camera.R if found.camera.R.ndim == 2 else found.camera.R[0]
    turn = rotation_y(np.array(_heading(still.camera, still.camera.R @ start) - _heading(found.camera, own)))
    roots, paths, joints, angles = [], [], [], []
    for motion in found.people:
        best = None
        for other in still.people:
            _, ours, theirs = np.intersect1d(motion.timestamps.round(4), other.timestamps.round(4), return_indices=True)
            if len(ours) < 10:
                continue
            pair = _pair(motion, ours, other, theirs, turn)
            off = np.nanmean(np.linalg.norm(pair[0] - pair[0].mean(0) - pair[2] + pair[2].mean(0), axis=-1))
            if off < _NEAR and (best is None or off < best[0]):
                best = (off, pair)
        if best is None:
            continue
        root, body, true_root, true_body = best[1]
        apart = root - true_root
        roots.append(np.linalg.norm(apart, axis=-1))
        paths.append(np.linalg.norm(apart - apart.mean(0), axis=-1))
        joints.append(np.linalg.norm(body + root[:, None] - true_body - true_root[:, None], axis=-1).mean(-1))
        angles.append(_rotation_between(body.reshape(-1, 3), true_body.reshape(-1, 3)))
    if not roots:
        return ["-"] * 6
    columns = [f"{1000 * np.concatenate(values).mean():.1f}" for values in (roots, paths, joints)]
    return [*columns, " ".join(f"{angle:.2f}" for angle in angles), *_camera_errors(found.camera, warp)]


def _pair(
    motion: Motion, ours: np.ndarray, other: Motion, theirs: np.ndarray, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Roots and root-relative joints of the frames that both have, in one heading."""
    known = motion.posed[ours] & other.posed[theirs]
    ours, theirs = ours[known], theirs[known]
    return motion.root[ours] @ turn.T, motion.joints[ours] @ turn.T, other.root[theirs], other.joints[theirs]


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints three rows for each move."""
    parser = command_line(__doc__)
    parser.add_argument("video", nargs="?", type=Path, default=demo_video(), help="default: the demo clip")
    parser.add_argument("--moves", nargs="*", choices=list(MOVES), default=list(MOVES), metavar="NAME")
    parser.add_argument("--rows", nargs="*", choices=_ROWS, default=list(_ROWS), metavar="ROW", help="default: all")
    parser.add_argument("--quality", default="balanced", help="default: balanced")
    parser.add_argument("--weights", default="small", help="default: small")
    parser.add_argument("--fov", type=float, metavar="DEG", help="of the clip's lens; default: assumed")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        detector, weights = build_detector("movenet"), load_weights(options.weights)
        plain = VideoClip(options.video, detector, quality=options.quality)
        tracks = track_clip(plain)
        request = LiftRequest(world=True, fov=options.fov)
        still = lift_clip(TrackClip(tracks, options.video), weights, replace(request, camera="still"))
    camera = camera_for(plain.image_size, options.fov)
    end = still.clock.span[1]

    def rows() -> Iterator[list[str]]:
        for name in options.moves:
            warp = Warp(MOVES[name], camera, end)
            alone = WarpedTracks(tracks, options.video, warp)
            clips: dict[str, tuple[VideoClip | TrackClip, LiftRequest]] = {
                "auto": (WarpedClip(options.video, detector, options.quality, warp), request),
                "camera alone": (alone, request),
                "still": (alone, replace(request, camera="still")),
            }
            for row in options.rows:
                clip, asked = clips[row]
                found = lift_clip(clip, weights, asked)
                yield [name, row, *compare(still, found, warp), str(found.camera_report["found"])]

    heads = ["move", "", "root mm", "path mm", "joints mm", "body deg", "camera deg", "zoom %", "found"]
    print_table(heads, rows())


if __name__ == "__main__":
    main()
