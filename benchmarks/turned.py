"""Joints that the detector finds in a clip that is turned.

    python -m benchmarks.turned [VIDEO] [--angles DEG ...] [--spin DEG] [--qualities NAME ...] [--frames N] [--every N]

Each frame is turned clockwise about its middle, onto a black canvas that holds the whole picture. The reference are the
people of the upright clip as `poselift lift --quality best` tracks them, turned alike: joints with a score of 0.2 or
more, of people whose mean score is 0.5 or more. The table has the share of these joints that are found within 40 px of
a picture 1768 px wide, scaled to the picture; "left and right" is the share of the hits in which the joint is nearer
than its counterpart of the other side. `best`, `balanced`: the people as `poselift lift` tracks them, interpolated over
frames in which the detector does not run; in brackets the number of people. `call`: each frame by itself, with
`detect`, in every Nth frame. The last row turns the picture all the time, by so many degrees a second, as somebody who
does a cartwheel sees it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from benchmarks.clips import track_clip
from benchmarks.command import command_line, errors_shown, print_table
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

Poses = Float[np.ndarray, "n 17 2"]


@dataclass(frozen=True)
class Turn:
    """Turns pictures of one size about their middle.

    Attributes:
        size: (width, height) of the pictures.
        start: degrees clockwise at time 0.
        spin: degrees a second.
    """

    size: tuple[int, int]
    start: float
    spin: float = 0.0

    @property
    def canvas(self) -> tuple[int, int]:
        """(width, height) of the turned pictures; a square for all angles if they spin."""
        width, height = self.size
        if self.spin:
            side = int(np.ceil(np.hypot(width, height)))
            return side, side
        across, along = abs(np.cos(np.radians(self.start))), abs(np.sin(np.radians(self.start)))
        return round(width * across + height * along), round(width * along + height * across)

    def matrix(self, time: float) -> Float[np.ndarray, "2 3"]:
        """From pixels of the picture to those of the turned picture, at a time in seconds."""
        angle = np.radians(self.start + self.spin * time)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        middle, new = (np.array(size) / 2 - 0.5 for size in (self.size, self.canvas))
        return np.column_stack([rotation, new - rotation @ middle])

    def picture(self, frame: Frame) -> UInt8[np.ndarray, "_ _ 3"]:
        """The turned picture; multiples of 90 degrees change no pixel."""
        if self.start % 90 == 0 and not self.spin:
            return np.ascontiguousarray(np.rot90(frame.image, -round(self.start / 90)))
        return cv2.warpAffine(frame.image, self.matrix(frame.timestamp), self.canvas, flags=cv2.INTER_LINEAR)

    def points(self, points: Float[np.ndarray, "*n 2"], time: float) -> Float[np.ndarray, "*n 2"]:
        """Pixels of the turned picture."""
        matrix = self.matrix(time)
        return points @ matrix[:, :2].T + matrix[:, 2]


class TurnedClip(VideoClip):
    """The first frames of a video, turned if there is a turn."""

    def __init__(
        self, video: Path, detector: Detector, quality: str, most: int | None, turn: Turn | None = None
    ) -> None:
        super().__init__(video, detector, quality=quality)
        self._most, self._turn = most, turn
        self.image_size = self.image_size if turn is None else turn.canvas

    def frames(self) -> Iterator[Frame]:
        """The turned frames."""
        for frame in islice(super().frames(), self._most):
            yield frame if self._turn is None else replace(frame, image=self._turn.picture(frame))


def tracked(clip: VideoClip) -> list[Keypoints2D]:
    """The people of a clip, interpolated over frames in which the detector does not run."""
    return [person.bridge() for person in track_clip(clip)]


def poses_by_time(people: Sequence[Keypoints2D], clear: bool = False) -> dict[float, Poses]:
    """For each time the poses of everybody; of the clear ones only joints that count, NaN for the others."""
    poses = {}
    for time in sorted({float(time) for person in people for time in person.timestamps}):
        rows = [(person, row) for person in people for row in np.flatnonzero(person.timestamps == time)]
        if clear:
            rows = [(person, row) for person, row in rows if person.scores[row].mean() >= _CLEAR]
        shown = [
            np.where(person.used(_SEEN)[row][:, None] | (not clear), person.keypoints[row], np.nan)
            for person, row in rows
        ]
        poses[time] = np.array(shown).reshape(-1, 17, 2)
    return poses


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


def shares(truth: dict[float, Poses], found: dict[float, Poses], turn: Turn) -> tuple[str, str]:
    """The shares of joints found and of the right side, percent, at the times of the truth."""
    nobody = np.zeros((0, 17, 2))
    near = _NEAR * max(turn.size)
    total = np.zeros(4) + sum(
        hits(turn.points(poses, time), found.get(time, nobody), near) for time, poses in truth.items()
    )
    return f"{100 * total[1] / max(total[0], 1):.1f}", f"{100 * total[3] / max(total[2], 1):.1f}"


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
    with errors_shown(parser):
        detector = build_detector("movenet")
        upright = TurnedClip(options.video, detector, "best", options.frames)
        truth = poses_by_time(tracked(upright), clear=True)
    turns = {f"{degrees:g}": Turn(upright.image_size, degrees) for degrees in options.angles}
    if options.spin:
        turns[f"{options.spin:g} a second"] = Turn(upright.image_size, 0.0, options.spin)

    def cells(turn: Turn) -> Iterator[str]:
        for quality in options.qualities:
            people = tracked(TurnedClip(options.video, detector, quality, options.frames, turn))
            found, right = shares(truth, poses_by_time(people), turn)
            yield from (f"{found} ({len(people)})", right)
        if options.every:
            seen = [frame for frame in islice(upright.frames(), 0, None, options.every) if frame.timestamp in truth]
            calls = {frame.timestamp: detector.detect([turn.picture(frame)])[0].keypoints for frame in seen}
            yield from shares({time: truth[time] for time in calls}, calls, turn)

    titles = [*options.qualities, *(["call"] if options.every else [])]
    heads = ["turned", *(f"{title}, %{extra}" for title in titles for extra in ("", " left and right"))]
    print_table(heads, ([title, *cells(turn)] for title, turn in turns.items()))


if __name__ == "__main__":
    main()
