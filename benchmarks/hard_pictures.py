"""How detectors see people in hard pictures: dark, blurred, small, turned, hidden, and cut by the picture's edge.

    python -m benchmarks.hard_pictures FOLDER [--changes NAME ...] [--models FILE ...] [--frames 50]

The folder and the distances are those of `benchmarks.two_models`: two calibrated cameras and no labels. Both videos are
changed alike, and all that is found is brought back to the original pixels. MoveNet and the joined detector find and
follow the people as `--quality balanced` does; the other models look at MoveNet's people, at every few frames. People
who are small stand in a grey picture of the original size. Legs are hidden by a grey board before each person, from the
knees down, which should leave 16 joints a frame. "They overlap" is the next part of the videos: there the woman hides a
part of the man in the second one. Each of the two shows the back to one of the cameras.

Columns: people whom both cameras follow where MoveNet sees them in the original pictures; joints of limbs that both see
with a score of 0.2 or more, for each frame in which the detector runs, of both people, so 24 at most; then of their
distances the median and the mean in per cent of the body (each at most 20 %), and the share that is farther than a
twentieth of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.two_models import Poses, pair_people, poses_of, read_pair, rows_of, second_model, size_of
from poselift.detection import Detector, MoveNetBlazePose
from poselift.detection.blazepose import BlazePose
from poselift.finding import build_finder
from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17
from poselift.tracking import Tracker
from poselift.video import Frame, VideoReader

_TALL = 600.0
"""Mean height of the people in the videos, pixels."""
_RARELY = 4
"""Frames between the detections of models that do not follow people."""
_SAME = 1 / 3
"""Most distance from the place in the original pictures, as a share of the body, to be the same person."""
_GREY = (114, 114, 114)
_BOARD = 0.05
"""Margin of a board about the joints that it hides, as a share of the body."""
_LEGS = COCO17.indices([f"{side}_{joint}" for side in ("left", "right") for joint in ("knee", "ankle")])


def _leave(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return picture


def _darken(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return (picture * 0.06).round().astype(np.uint8)


def _blur(picture: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.015 * _TALL), np.uint8)


def _hide_legs(picture: UInt8[np.ndarray, "h w 3"], points: Float[np.ndarray, "23 2"]) -> UInt8[np.ndarray, "h w 3"]:
    """The picture with a board before knees and shanks."""
    legs = points[_LEGS]
    if not np.isfinite(legs).any():
        return picture
    margin = _BOARD * size_of(points)
    low = (np.nanmin(legs, 0) - margin).round().astype(int).clip(0)
    high = (np.nanmax(legs, 0) + 2 * margin).round().astype(int).clip(0)
    covered = picture.copy()
    covered[low[1] : high[1], low[0] : high[0]] = _GREY
    return covered


@dataclass(frozen=True)
class Change:
    """What happens to a picture: first its colours change, then it is moved.

    Attributes:
        colours: of the picture.
        scale: new over old size, about the middle of the picture.
        turns: quarter turns anticlockwise.
        kept: share of the rows that stay, from above.
        legs_hidden: whether a board is before the shanks of people.
        late: whether the frames are those after the usual ones.
    """

    colours: Callable[[UInt8[np.ndarray, "h w 3"]], UInt8[np.ndarray, "h w 3"]] = _leave
    scale: float = 1.0
    turns: int = 0
    kept: float = 1.0
    legs_hidden: bool = False
    late: bool = False

    def change(
        self, picture: UInt8[np.ndarray, "h w 3"], people: Sequence[Float[np.ndarray, "23 2"]] = ()
    ) -> UInt8[np.ndarray, "a b 3"]:
        """The changed picture.

        Args:
            picture: RGB.
            people: the joints of those whose legs may be hidden, pixels.
        """
        height, width = picture.shape[:2]
        changed = self.colours(picture)[: round(self.kept * height)]
        for points in people if self.legs_hidden else ():
            changed = _hide_legs(changed, points)
        if self.scale < 1:
            small = cv2.resize(changed, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA)
            x, y = self._corner(width, height)
            changed = np.full_like(picture, _GREY)
            changed[y : y + small.shape[0], x : x + small.shape[1]] = small
        return np.ascontiguousarray(np.rot90(changed, self.turns))

    def back(self, points: Float[np.ndarray, "j 2"], width: int, height: int) -> Float[np.ndarray, "j 2"]:
        """Pixels of the original picture, which has this size, from those of the changed one."""
        size = np.array([width, round(self.kept * height)])
        for turn in range(self.turns):
            # Before this turn the picture was as wide as it now is high.
            across = size[0] if (self.turns - turn) % 2 else size[1]
            points = np.stack([across - 1 - points[:, 1], points[:, 0]], -1)
        if self.scale < 1:
            points = (points - self._corner(width, height) + 0.5) / self.scale - 0.5
        return points

    def _corner(self, width: int, height: int) -> tuple[int, int]:
        return round((1 - self.scale) * width / 2), round((1 - self.scale) * height / 2)


CHANGES = {
    "as they are": Change(),
    "dark, 6 % of the light": Change(_darken),
    "blurred, 1.5 % of the body": Change(_blur),
    "150 px tall": Change(scale=150 / _TALL),
    "100 px tall": Change(scale=100 / _TALL),
    "60 px tall": Change(scale=60 / _TALL),
    "turned by 90 degrees": Change(turns=1),
    "upside down": Change(turns=2),
    "cut below the hips": Change(kept=0.45),
    "legs hidden": Change(legs_hidden=True),
    "they overlap": Change(late=True),
}


def follow(frames: Sequence[Frame], detector: Detector) -> list[Poses]:
    """The people of some frames."""
    height, width = frames[0].image.shape[:2]
    tracker = Tracker((width, height))
    for found, time in build_finder(detector, "balanced").find(frames):
        tracker.update(found, time)
    return [poses_of(person) for person in tracker.tracks()]


@dataclass(frozen=True)
class _Clip:
    """The frames of both videos, the sizes of their pictures, their cameras, and who is seen by both of them."""

    frames: list[list[Frame]]
    sizes: list[tuple[int, int]]
    cameras: list[Camera]
    known: list[tuple[Poses, Poses]]

    @classmethod
    def read(cls, folder: Path, first: int, count: int, detector: Detector) -> "_Clip":
        """Every second one of some frames of the videos in a folder."""
        videos, cameras = read_pair(folder)
        frames = [list(islice(VideoReader(path), first, first + count, 2)) for path in videos]
        people = [follow(each, detector) for each in frames]
        known = [(people[0][one], people[1][other]) for one, other in pair_people(people, cameras)]
        return cls(frames, [each[0].image.shape[1::-1] for each in frames], cameras, known)

    def pairs(self, several: Sequence[Sequence[Poses]]) -> list[tuple[int, int]]:
        """Who of the first camera is who of the second: those who are where the known people are."""
        found = [[_who(each, people) for each, people in zip(pair, several, strict=True)] for pair in self.known]
        return [(one, other) for one, other in found if one is not None and other is not None]


def _who(known: Poses, people: Sequence[Poses]) -> int | None:
    """Who is nearest to somebody, joint by joint, and not farther away than a third of the body."""

    def away(poses: Poses) -> float:
        both = sorted(set(known) & set(poses))
        shares = [np.linalg.norm(known[time][0] - poses[time][0], axis=-1) / size_of(known[time][0]) for time in both]
        near = [float(np.nanmedian(each)) for each in shares if np.isfinite(each).any()]
        return float(np.median(near)) if near else np.inf

    distances = [away(poses) for poses in people]
    return int(np.argmin(distances)) if distances and min(distances) < _SAME else None


def _cells(name: str, clip: _Clip, detectors: MoveNetBlazePose, others: Mapping[str, BlazePose]) -> Iterator[list[str]]:
    """The cells of each detector for a change."""
    change = CHANGES[name]
    found: dict[str, list[list[Poses]]] = {}
    for camera, (frames, (width, height)) in enumerate(zip(clip.frames, clip.sizes, strict=True)):
        changed = []
        for frame in frames:
            time = round(1000 * frame.timestamp)
            bodies = [poses[camera][time][0] for poses in clip.known if time in poses[camera]]
            changed.append(Frame(change.change(frame.image, bodies), frame.timestamp, frame.index))
        mine = {"MoveNet": follow(changed, detectors.first), "joined": follow(changed, detectors)}
        again = second_model(changed[::_RARELY], mine["MoveNet"], others)
        mine |= {model: again[model] for model in others}
        for row, people in mine.items():
            back = [
                {time: (change.back(points, width, height), scores) for time, (points, scores) in poses.items()}
                for poses in people
            ]
            found.setdefault(row, []).append(back)
    for row, several in found.items():
        pairs = clip.pairs(several)
        cells = next(rows_of({row: several}, pairs, clip.cameras)) if pairs else ["", "", "", "0"]
        looks = len(clip.frames[0][:: _RARELY if row in others else 1])
        yield [name, row, str(len(pairs)), f"{int(cells[-1]) / looks:.1f}", *cells[-4:-1]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="two videos, and calibration.toml")
    parser.add_argument("--changes", nargs="+", choices=CHANGES, default=list(CHANGES), metavar="NAME")
    parser.add_argument("--models", nargs="*", type=Path, default=[], metavar="FILE", help="further landmark models")
    parser.add_argument("--frames", type=int, default=50, help="every second one of so many; default 50")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        both = MoveNetBlazePose()
        others = {"heavy": both.second} | {path.stem: BlazePose(path=path) for path in options.models}
        heads = ["pictures", "detector", "people", "joints a frame", "limbs %", "mean %", "over 5 %"]
        clip = cache(lambda late: _Clip.read(options.folder, late * options.frames, options.frames, both.first))
        rows = (_cells(name, clip(CHANGES[name].late), both, others) for name in options.changes)
        print_table(heads, chain.from_iterable(rows))


if __name__ == "__main__":
    main()
