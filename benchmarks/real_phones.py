"""Several real cameras without their calibration, against it: cameras, people and joints.

    python -m benchmarks.real_phones ../shared/data/phones [--late 0.3] [--quality balanced] [--weights NAME]

The folder has videos that start together, and `calibration.toml` in Pose2Sim's layout. The people are detected once.
Then the views are joined with nothing given, likewise with each person alone whom all videos show, with the field of
view of the calibration, and with the calibration itself.

With `--late` the videos become phones that were started by hand: made sound (benchmarks/phone_sound.py, seed 0) is
added to each, and every video after the first one starts so many seconds later, or the first one if below 0, and has
each second picture only, at 29.97 frames a second. The two rows take the shift from sound and from movement.

Columns: `people`, those of the result that two or more videos show, and `alone`, those that one shows; `rotation`, the
largest error of a rotation between two cameras, degrees, and `said`, the standard deviation that the report says;
`baseline`, the largest error of the direction from one camera to another, degrees; `size`, the mean distance of the
cameras over the true one, less 1, per cent; `joints`, mean distance of the joints that two videos show from those
triangulated with the calibration, after one alignment with scale for the take and everybody, mm; `rays`, the median
distance of the triangulated joints from their rays, mm, which tells how good the 2D is; `clock`, the largest error of a
shift, ms.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
from jaxtyping import Float

from benchmarks.command import add_weights, command_line, errors_shown, print_table
from benchmarks.phone_sound import make_sound, write_phone
from poselift.finding import VideoClip
from poselift.geometry import umeyama
from poselift.geometry.camera import Camera
from poselift.lifting.request import DetectorRequest, LiftRequest, default_detector
from poselift.lifting.run import lift_clip
from poselift.models import Weights, load_weights
from poselift.several_views.calibration_files import match_cameras, read_calibration
from poselift.several_views.reconstruction import Reconstruction, reconstruct
from poselift.several_views.sound import read_sound, shift_by_sound
from poselift.several_views.view import LiftedView, ViewClock
from poselift.structures import Recording
from poselift.video import VideoReader

COLUMNS = (
    "given",
    "people",
    "alone",
    "rotation °",
    "said °",
    "baseline °",
    "size %",
    "joints mm",
    "rays mm",
    "clock ms",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="videos and calibration.toml")
    parser.add_argument("--late", type=float, metavar="S", help="add sound, and start the other videos so much later")
    parser.add_argument("--quality", default="balanced", help="how often the detector looks")
    add_weights(parser, "small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        videos = sorted(options.folder.glob("*.mp4"))
        names = [video.stem for video in videos]
        true, _ = match_cameras(read_calibration([options.folder / "calibration.toml"]), names)
        weights = load_weights(options.weights[0])
        title = f"{options.folder.name}, {len(videos)} cameras, `{weights.name}`, {options.quality}"
        if options.late is None:
            print_table(COLUMNS, _rows(names, _lift_videos(videos, weights, options.quality), true), title)
            return
        with tempfile.TemporaryDirectory() as folder:
            phones = start_by_hand(videos, Path(folder), options.late)
            recordings = _lift_videos(phones, weights, options.quality)
            rows = _clock_rows(names, phones, recordings, true, options.late)
            print_table(COLUMNS, rows, f"{title}, started {options.late:+g} s later")


def start_by_hand(videos: Sequence[Path], folder: Path, late: float) -> list[Path]:
    """The videos with sound, and all but the first one later or, below 0, earlier than it.

    Those have each second picture only, at 29.97 frames a second.

    Args:
        videos: that start together.
        folder: for the new videos.
        late: seconds.
    """
    written = []
    for index, video in enumerate(videos):
        start = max(late, 0.0) if index else max(-late, 0.0)
        frames = [frame for frame in VideoReader(video) if frame.timestamp >= start - 1e-4]
        end = frames[-1].timestamp
        sound = make_sound(end + 1.0, 0)[round(48000 * frames[0].timestamp) :]
        fps = Fraction(30000, 1001) if index else Fraction(round((len(frames) - 1) / (end - frames[0].timestamp)))
        images = [frame.image for frame in frames[:: 2 if index else 1]]
        written.append(folder / video.name)
        size = (images[0].shape[1], images[0].shape[0])
        write_phone(written[-1], sound, float(len(images) / fps), fps, 44100 if index else 48000, index, size, images)
    return written


def _clock_rows(
    names: Sequence[str], videos: Sequence[Path], recordings: Sequence[Recording], true: Sequence[Camera], late: float
) -> Iterator[list[str]]:
    views = _make_views(names, recordings, [recording.camera for recording in recordings])
    sounds = [read_sound(video) for video in videos]
    shifts = [None if a is None or sounds[0] is None else shift_by_sound(sounds[0], a) for a in sounds[1:]]
    heard = [ViewClock(), *(ViewClock(*shift, "sound") for shift in shifts if shift is not None)]
    for label, clocks in (("clocks by sound", heard), ("clocks by movement", None)):
        if clocks is None or len(clocks) == len(views):
            yield [label, *_measure(reconstruct(views, clocks=clocks, world=False), true, late)]


def _make_views(names: Sequence[str], recordings: Sequence[Recording], cameras: Sequence[Camera]) -> list[LiftedView]:
    return [
        LiftedView(name, recording.people, camera, recording.clock.span)
        for name, recording, camera in zip(names, recordings, cameras, strict=True)
    ]


def _lift_videos(videos: Sequence[Path], weights: Weights, quality: str) -> list[Recording]:
    detector = DetectorRequest(default_detector(quality)).build("cpu", quiet=True)
    request = LiftRequest(skeleton="cmu28", world=False)
    request = replace(request, detection=replace(request.detection, quality=quality))
    return [lift_clip(VideoClip(video, detector, None, None, quality), weights, request) for video in videos]


def _rows(names: Sequence[str], recordings: Sequence[Recording], true: Sequence[Camera]) -> Iterator[list[str]]:
    lenses = [
        ("nothing", [recording.camera for recording in recordings]),
        ("lenses", [Camera(own.K, own.image_size, distortion=own.distortion) for own in true]),
        ("cameras", list(true)),
    ]
    for label, cameras in lenses:
        views = _make_views(names, recordings, cameras)
        found = reconstruct(views, calibrated=label == "cameras", world=False)
        yield [label, *_measure(found, true)]
        if label != "nothing":
            continue
        for person in found.tracks[0]:
            if not all(own.get(person) for own in found.tracks):
                continue
            alone = [
                replace(view, people=tuple(one for one in view.people if one.keypoints.person in own[person]))
                for view, own in zip(views, found.tracks, strict=True)
            ]
            one = reconstruct(alone, world=False)
            yield [f"nothing, person {person} alone", *_measure(one, true)]


def _measure(found: Reconstruction, true: Sequence[Camera], late: float = 0.0) -> list[str]:
    """One row, without its label. All videos but the first one started that much later."""
    shown = [sum(bool(own.get(person)) for own in found.tracks) for person in found.tracks[0]]
    turned, aside, sizes = [], [], []
    for a, b in combinations(range(len(true)), 2):
        (R, t), (own_R, own_t) = (_from_first(cameras[a], cameras[b]) for cameras in (true, found.cameras))
        turned.append(np.degrees(np.arccos(np.clip((np.trace(R.T @ own_R) - 1) / 2, -1, 1))))
        cosine = t @ own_t / np.linalg.norm(t) / np.linalg.norm(own_t)
        aside.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        sizes.append(np.linalg.norm(own_t) / np.linalg.norm(t))
    joints, beside = [], []
    for motion in found.people:
        keypoints = [own[motion.keypoints.person] for own in found.keypoints]
        first = int(np.searchsorted(keypoints[0].timestamps, motion.timestamps[0] - 1e-6))
        rows = slice(first, first + len(motion))
        rays = [camera.rays(own.keypoints[rows]) for camera, own in zip(true, keypoints, strict=True)]
        points, off = triangulate(rays, true)
        places = (motion.joints + motion.root[:, None]).astype(np.float64)
        known = np.isfinite(points).all(-1) & np.isfinite(places).all(-1)
        joints.append((places[known], points[known]))
        beside.append(off[known])
    ours, theirs = (np.concatenate(side) for side in zip(*joints, strict=True))
    scale, R, t = umeyama(ours, theirs)
    apart = np.linalg.norm(scale * ours @ R.T + t - theirs, axis=-1)
    said = max(camera.angle for camera in found.report.cameras)
    return [
        str(sum(count > 1 for count in shown)),
        str(sum(count == 1 for count in shown)),
        *(f"{value:.1f}" for value in (max(turned), said, max(aside), 100 * (float(np.mean(sizes)) - 1))),
        f"{1000 * apart.mean():.0f}",
        f"{1000 * np.median(np.concatenate(beside)):.0f}",
        f"{max(abs(1000 * (clock.offset - late)) for clock in found.clocks[1:]):.1f}",
    ]


def _from_first(a: Camera, b: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and place of b in the frame of a."""
    return a.R.T @ b.R, a.R.T @ (b.t - a.t)


def triangulate(
    rays: Sequence[Float[np.ndarray, "*n 3"]], cameras: Sequence[Camera]
) -> tuple[Float[np.ndarray, "*n 3"], Float[np.ndarray, " *n"]]:
    """Points nearest to the rays of two or more cameras, world frame, and their mean distance from the rays.

    Args:
        rays: of each camera, in its frame; NaN where it does not see a point.
        cameras: with poses.

    Returns:
        Points and distances, metres; NaN where fewer than two cameras see a point.
    """
    shape = rays[0].shape[:-1]
    total, right, count = np.zeros((*shape, 3, 3)), np.zeros((*shape, 3)), np.zeros(shape)
    across = []
    for ray, camera in zip(rays, cameras, strict=True):
        seen = np.isfinite(ray).all(-1)
        line = np.where(seen[..., None], ray, [0.0, 0.0, 1.0]) @ camera.R.T
        line = line / np.linalg.norm(line, axis=-1, keepdims=True)
        away = np.where(seen[..., None, None], np.eye(3) - line[..., :, None] * line[..., None, :], 0.0)
        total += away
        right += away @ camera.t
        count += seen
        across.append((away, camera.t, seen))
    known = count >= 2
    points = np.linalg.solve(np.where(known[..., None, None], total, np.eye(3)), right[..., None])[..., 0]
    off = sum(np.linalg.norm((away @ (points - t)[..., None])[..., 0], axis=-1) for away, t, _ in across)
    return np.where(known[..., None], points, np.nan), np.where(known, off / np.maximum(count, 1), np.nan)


if __name__ == "__main__":
    main()
