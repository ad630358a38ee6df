"""Joints that the detector finds in a clip that is turned.

    python -m benchmarks.turned [VIDEO] [--angles DEG ...] [--spin DEG] [--qualities NAME ...] [--frames N] [--every N]

Each frame is turned clockwise about its middle, onto a black canvas that holds the whole picture. The reference are the
people of the upright clip as `poselift lift --quality best` tracks them, turned alike: joints with a score of 0.2 or
more, of people whose mean score is 0.5 or more. The table has the share of these joints that are found within 40 px of
a picture 1768 px wide, scaled to the picture; "left and right" is the share of the hits in which the joint is nearer
than its counterpart of the other side. `best`, `balanced`: the people as `poselift lift` tracks them, interpolated over
frames without a look; in brackets the number of people. `call`: each frame by itself, with `detect`, in every Nth
frame. The last row turns the picture all the time, by so many degrees a second, as somebody who does a cartwheel sees
it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from benchmarks.command import command_line, errors_shown, table_head, table_row
from poselift.detection import Detector, build_detector
from poselift.finding import VideoClip
from poselift.samples import demo_video
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame

_NEAR = 40 / 1768
"""Distance of a hit, as a share of the picture's longer side."""
_SEEN, _CLEAR = 0.2, 0.5
"""Least score of a joint, and least mean score of a person, of the reference."""

Angle = Callable[[float], float]
"""Degrees by which the picture is turned clockwise at a time in seconds."""
Poses = Float[np.ndarray, "n 17 2"]


@dataclass(frozen=True)
class Turn:
    """Turns pictures of one size about their middle.

    Attributes:
        size: (width, height) of the pictures.
        canvas: (width, height) of the turned ones.
    """

    size: tuple[int, int]
    canvas: tuple[int, int]

    @classmethod
    def by(cls, size: tuple[int, int], degrees: float | None) -> "Turn":
        """With the canvas for an angle; for all angles if None."""
        width, height = size
        if degrees is None:
            side = int(np.ceil(np.hypot(width, height)))
            return cls(size, (side, side))
        across, along = abs(np.cos(np.radians(degrees))), abs(np.sin(np.radians(degrees)))
        return cls(size, (round(width * across + height * along), round(width * along + height * across)))

    def matrix(self, degrees: float) -> Float[np.ndarray, "2 3"]:
        """From pixels of the picture to those of the turned picture."""
        cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        rotation = np.array([[cos, -sin], [sin, cos]])
        middle, new = (np.array(size) / 2 - 0.5 for size in (self.size, self.canvas))
        return np.column_stack([rotation, new - rotation @ middle])

    def picture(self, image: UInt8[np.ndarray, "_ _ 3"], degrees: float) -> UInt8[np.ndarray, "_ _ 3"]:
        """The turned picture; multiples of 90 degrees change no pixel."""
        if degrees % 90 == 0 and self.canvas in (self.size, self.size[::-1]):
            return np.ascontiguousarray(np.rot90(image, -round(degrees / 90)))
        return cv2.warpAffine(image, self.matrix(degrees), self.canvas, flags=cv2.INTER_LINEAR)

    def points(self, points: Float[np.ndarray, "*n 2"], degrees: float) -> Float[np.ndarray, "*n 2"]:
        """Pixels of the turned picture."""
        matrix = self.matrix(degrees)
        return points @ matrix[:, :2].T + matrix[:, 2]


def turning(start: float, spin: float) -> Angle:
    """The angle of a picture that turns by `spin` degrees a second."""
    return lambda time: start + spin * time


class TurnedClip(VideoClip):
    """The first frames of a video, turned if there is a turn."""

    def __init__(
        self,
        video: Path,
        detector: Detector,
        quality: str,
        most: int | None,
        turn: Turn | None = None,
        angle: Angle = lambda time: 0.0,
    ) -> None:
        super().__init__(video, detector, quality=quality)
        self._most, self._turn, self._angle = most, turn, angle
        self.image_size = self.image_size if turn is None else turn.canvas

    def frames(self) -> Iterator[Frame]:
        """The turned frames."""
        for frame in islice(super().frames(), self._most):
            turned = None if self._turn is None else self._turn.picture(frame.image, self._angle(frame.timestamp))
            yield frame if turned is None else replace(frame, image=turned)


def track(clip: VideoClip) -> list[Keypoints2D]:
    """The people of a clip as `poselift lift` tracks them."""
    tracker = clip.tracker()
    for detections, timestamp in clip.people():
        tracker.update(detections, timestamp)
    return [person.bridge(0.5) for person in tracker.tracks()]


def reference(people: Sequence[Keypoints2D]) -> Iterator[tuple[float, Poses]]:
    """For each time the clear poses of everybody; NaN for joints that do not count."""
    for time in sorted({float(time) for person in people for time in person.timestamps}):
        poses = []
        for person in people:
            for row in np.flatnonzero((person.timestamps == time) & (person.scores.mean(1) >= _CLEAR)):
                poses.append(np.where(person.used(_SEEN)[row][:, None], person.keypoints[row], np.nan))
        yield time, np.array(poses).reshape(-1, 17, 2)


def hits(expected: Poses, found: Poses, near: float) -> Float[np.ndarray, "4"]:
    """Numbers of joints expected, joints found, sided joints found, and sided joints on the right side."""
    counts = np.zeros(4)
    flip = list(COCO17.flip_indices)
    sided = np.array(flip) != np.arange(17)
    for pose in expected:
        seen = np.isfinite(pose).all(-1)
        counts[0] += seen.sum()
        if not len(found):
            continue
        apart = np.nan_to_num(np.linalg.norm(found - pose, axis=-1), nan=np.inf)
        person = int((apart[:, seen] <= near).sum(1).argmax())
        hit = seen & (apart[person] <= near)
        other = np.nan_to_num(np.linalg.norm(found[person] - pose[flip], axis=-1), nan=np.inf)
        counts[1:] += hit.sum(), (hit & sided).sum(), (hit & sided & (apart[person] <= other)).sum()
    return counts


def share_tracked(
    truth: Sequence[tuple[float, Poses]], people: Sequence[Keypoints2D], turn: Turn, angle: Angle
) -> Float[np.ndarray, "4"]:
    """What `hits` counts, over a clip."""
    found = dict(_everybody(people))
    near = _NEAR * max(turn.size)
    nobody = np.zeros((0, 17, 2))
    counts = [hits(turn.points(poses, angle(time)), found.get(time, nobody), near) for time, poses in truth]
    total: np.ndarray = np.sum(counts, axis=0)
    return total


def _everybody(people: Sequence[Keypoints2D]) -> Iterator[tuple[float, Poses]]:
    for time in sorted({float(time) for person in people for time in person.timestamps}):
        yield time, np.concatenate([person.keypoints[person.timestamps == time] for person in people])


def share_called(
    truth: Sequence[tuple[float, Poses]], video: Path, detector: Detector, every: int, turn: Turn, angle: Angle
) -> Float[np.ndarray, "4"]:
    """What `hits` counts where the detector gets every Nth frame by itself."""
    poses_at = dict(truth)
    counts = [np.zeros(4)]
    for frame in islice(VideoClip(video, detector).frames(), 0, None, every):
        if frame.timestamp in poses_at:
            degrees = angle(frame.timestamp)
            (found,) = detector.detect([turn.picture(frame.image, degrees)])
            expected = turn.points(poses_at[frame.timestamp], degrees)
            counts.append(hits(expected, found.keypoints, _NEAR * max(turn.size)))
    total: np.ndarray = np.sum(counts, axis=0)
    return total


def cells(counts: Float[np.ndarray, "4"]) -> tuple[str, str]:
    """The shares of joints found and of the right side, percent."""
    found, right = 100 * counts[1] / max(counts[0], 1), 100 * counts[3] / max(counts[2], 1)
    return f"{found:.1f}", f"{right:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each angle."""
    parser = command_line(__doc__)
    parser.add_argument("video", nargs="?", type=Path, default=demo_video(), help="default: the demo clip")
    parser.add_argument("--angles", type=float, nargs="*", default=list(range(0, 360, 45)), metavar="DEG")
    parser.add_argument("--spin", type=float, default=180.0, metavar="DEG", help="degrees a second; default 180")
    parser.add_argument("--qualities", nargs="*", default=["best", "balanced"], help="default: best balanced")
    parser.add_argument("--frames", type=int, help="of the clip; default: all")
    parser.add_argument(
        "--every", type=int, default=8, metavar="N", help="calls in every Nth frame; 0: none; default 8"
    )
    options = parser.parse_args(arguments)
    titles = [*options.qualities, *(["call"] if options.every else [])]
    with errors_shown(parser):
        detector = build_detector("movenet")
        size = VideoClip(options.video, detector).image_size
        truth = list(reference(track(TurnedClip(options.video, detector, "best", options.frames))))
    print(table_head(["turned", *(f"{title}, %{extra}" for title in titles for extra in ("", " left and right"))]))
    rows = {f"{degrees:g}": (Turn.by(size, degrees), turning(degrees, 0.0)) for degrees in options.angles}
    if options.spin:
        rows[f"{options.spin:g} a second"] = Turn.by(size, None), turning(0.0, options.spin)
    for title, (turn, angle) in rows.items():
        shown = []
        for quality in options.qualities:
            people = track(TurnedClip(options.video, detector, quality, options.frames, turn, angle))
            found, right = cells(share_tracked(truth, people, turn, angle))
            shown += [f"{found} ({len(people)})", right]
        if options.every:
            shown += cells(share_called(truth, options.video, detector, options.every, turn, angle))
        print(table_row([title, *shown]), flush=True)


if __name__ == "__main__":
    main()
