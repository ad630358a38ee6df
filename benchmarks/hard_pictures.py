"""How detectors see people in hard pictures: dark, small, turned, hidden, cut by the edge, lying, from behind.

    python -m benchmarks.hard_pictures FOLDER [--changes NAME ...] [--models FILE ...] [--frames 50]

The folder and the distances are those of `benchmarks.two_models`: two calibrated cameras and no labels. Both videos are
changed alike, and all that is found is brought back to the original pixels. MoveNet and the joined detector find and
follow the people as `--quality balanced` does; the other models look at MoveNet's people, at every few frames. People
who are small stand in a grey picture of the original size. Legs are hidden by a grey board before each person, from the
knees down, which should leave 16 joints a frame. "They overlap" is the next part of the videos: there the woman hides a
part of the man in the second one. One person at a time is made to lie (`Laid` of benchmarks/changed_pictures.py).

Each of the two shows the back to one of the cameras; where, their triangulated shoulders and hips tell. "Seen from
behind" are a detector's joints in that camera, and "seen from in front" those in the other one. So that one picture of
a pair is judged only, the joints opposite are the means of MoveNet's and the joined detector's.

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

import numpy as np
from jaxtyping import Float

from benchmarks.changed_pictures import CHANGES, Change, Laid
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.lifted_pairs import triangulate
from benchmarks.two_models import Poses, pair_people, poses_of, read_pair, rows_of, second_model, size_of
from poselift.detection import Detector, MoveNetBlazePose
from poselift.detection.blazepose import BlazePose
from poselift.finding import build_finder
from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17
from poselift.tracking import Tracker
from poselift.video import Frame, VideoReader

_RARELY = 4
"""Frames between the detections of models that do not follow people."""
_SAME = 1 / 3
"""Most distance from the place in the original pictures, as a share of the body, to be the same person."""
_TRUNK = COCO17.indices([f"{side}_{joint}" for joint in ("shoulder", "hip") for side in ("left", "right")])


LYING = "lying, made"
FROM = {"seen from behind": True, "seen from in front": False}
"""Rows of the unchanged pictures, and whether they have the camera that sees the back."""
_MEAN = ("MoveNet", "joined")
"""Detectors whose mean joints are the other camera's there."""
_NAMES = [*CHANGES, LYING, *FROM]


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

    def change(self, camera: int, change: Change) -> tuple[list[Frame], Callable[[np.ndarray], np.ndarray]]:
        """The changed frames of a camera, and the way back to the original pixels."""
        width, height = self.sizes[camera]
        changed = []
        for frame in self.frames[camera]:
            picture = change.change(frame.image, [points for points, _ in self._bodies(camera, frame)])
            changed.append(Frame(picture, frame.timestamp, frame.index))
        return changed, lambda points: change.back(points, width, height)

    def lay_down(self, camera: int) -> Iterator[tuple[list[Frame], Callable[[np.ndarray], np.ndarray]]]:
        """The frames with each of the people lying alone, and the way back to the original pixels."""
        for who, pair in enumerate(self.known):
            laid = Laid.where_they_stood([points for points, _ in pair[camera].values()], self.sizes[camera][0])
            changed = []
            for frame in self.frames[camera]:
                bodies = [points for points, _ in self._bodies(camera, frame)]
                if len(bodies) == len(self.known):
                    others = bodies[:who] + bodies[who + 1 :]
                    changed.append(Frame(laid.change(frame.image, bodies[who], others), frame.timestamp, frame.index))
            yield changed, laid.back

    def _bodies(self, camera: int, frame: Frame) -> list[tuple[np.ndarray, np.ndarray]]:
        """The known people of a frame."""
        time = round(1000 * frame.timestamp)
        return [pair[camera][time] for pair in self.known if time in pair[camera]]

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


Found = dict[str, list[list[Poses]]]
"""The people of both cameras by detector, in pixels of the original pictures."""


def _find(name: str, clip: _Clip, detectors: MoveNetBlazePose, others: Mapping[str, BlazePose]) -> Found:
    """Whom each detector finds in changed pictures."""
    found: Found = {}
    for camera in range(2):
        for changed, back in clip.lay_down(camera) if name == LYING else [clip.change(camera, CHANGES[name])]:
            mine = {"MoveNet": follow(changed, detectors.first), "joined": follow(changed, detectors)}
            again = second_model(changed[::_RARELY], mine["MoveNet"], others)
            mine |= {model: again[model] for model in others}
            for row, people in mine.items():
                rows = found.setdefault(row, [[], []])
                rows[camera] += [
                    {time: (back(points), scores) for time, (points, scores) in each.items()} for each in people
                ]
    return found


def shows_back(
    one: Float[np.ndarray, "23 2"], other: Float[np.ndarray, "23 2"], cameras: Sequence[Camera]
) -> tuple[bool, bool]:
    """Whether each camera sees the back of a body whose joints both see, pixels."""
    joints = triangulate(one, other, cameras)[_TRUNK]
    left, right, shoulders, hips = (joints[rows].mean(0) for rows in ([0, 2], [1, 3], [0, 1], [2, 3]))
    forward = np.cross(left - right, shoulders - hips)
    first, second = (bool(forward @ (camera.t - joints.mean(0)) < 0) for camera in cameras)
    return first, second


def _seen_from(behind: bool, clip: _Clip, found: Found) -> Found:
    """Each detector's people in one camera, mean joints in the other.

    Args:
        behind: take the camera that sees the back, not the one that sees the front.
        clip: the pictures.
        found: whom each detector finds in them.
    """
    sides = [
        {time: shows_back(one[time][0], other[time][0], clip.cameras) for time in set(one) & set(other)}
        for one, other in clip.known
    ]
    means = [
        [_mean_of(pair[camera], [found[row][camera] for row in _MEAN]) for camera in range(2)] for pair in clip.known
    ]
    chosen: Found = {}
    for row, several in found.items():
        chosen[row] = [[], []]
        for pair, opposite, seen in zip(clip.known, means, sides, strict=True):
            for camera in range(2):
                who = _who(pair[camera], several[camera])
                if who is None:
                    continue
                times = {time for time, backs in seen.items() if backs[camera] == behind}
                both = opposite[:camera] + [several[camera][who]] + opposite[camera + 1 :]
                for each, kept in zip(both, chosen[row], strict=True):
                    kept.append({time: pose for time, pose in each.items() if time in times})
    return chosen


def _mean_of(known: Poses, several: Sequence[Sequence[Poses]]) -> Poses:
    """Somebody's mean joints, with the lower scores, where each detector sees them."""
    rows = [people[who] for people in several if (who := _who(known, people)) is not None]
    times = set.intersection(*(set(row) for row in rows)) if len(rows) == len(several) else set()
    return {
        time: (np.mean([row[time][0] for row in rows], axis=0), np.min([row[time][1] for row in rows], axis=0))
        for time in times
    }


def _cells(name: str, found: Found, pairs: Mapping[str, Sequence[tuple[int, int]]], clip: _Clip) -> Iterator[list[str]]:
    """The cells of each detector for some pictures, with who is who in both cameras."""
    for row, several in found.items():
        cells = next(rows_of({row: several}, pairs[row], clip.cameras)) if pairs[row] else ["", "", "", "0"]
        looks = len(clip.frames[0][:: 1 if row in ("MoveNet", "joined") else _RARELY])
        yield [name, row, str(min(len(pairs[row]), len(clip.known))), f"{int(cells[-1]) / looks:.1f}", *cells[-4:-1]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="two videos, and calibration.toml")
    parser.add_argument("--changes", nargs="+", choices=_NAMES, default=_NAMES, metavar="NAME")
    parser.add_argument("--models", nargs="*", type=Path, default=[], metavar="FILE", help="further landmark models")
    parser.add_argument("--frames", type=int, default=50, help="every second one of so many; default 50")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        both = MoveNetBlazePose()
        others = {"heavy": both.second} | {path.stem: BlazePose(path=path) for path in options.models}
        heads = ["pictures", "detector", "people", "joints a frame", "limbs %", "mean %", "over 5 %"]
        clip = cache(lambda late: _Clip.read(options.folder, late * options.frames, options.frames, both.first))
        find = cache(lambda name: _find(name, clip(_is_late(name)), both, others))
        rows = (_rows(name, clip(_is_late(name)), find) for name in options.changes)
        print_table(heads, chain.from_iterable(rows))


def _is_late(name: str) -> bool:
    return name in CHANGES and CHANGES[name].late


def _rows(name: str, clip: _Clip, find: Callable[[str], Found]) -> Iterator[list[str]]:
    """The rows of a name; `find` looks at the pictures of a change."""
    if name not in FROM:
        found = find(name)
        return _cells(name, found, {row: clip.pairs(several) for row, several in found.items()}, clip)
    found = _seen_from(FROM[name], clip, find("as they are"))
    return _cells(name, found, {row: [(i, i) for i in range(len(several[0]))] for row, several in found.items()}, clip)


if __name__ == "__main__":
    main()
