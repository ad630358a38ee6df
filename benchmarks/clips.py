"""Clips for timing, made from the demo clip: one person, several people, and the clip itself changed.

    python -m benchmarks.clips FOLDER [--clips NAME ...]

Writes each clip as NAME.mp4. `one_720p`, `one_1080p` and `one_portrait` show the woman alone, cut out around her and
enlarged, as a camera that goes with her would; `one_720p_long` goes there and back for 20 seconds. `people_1` to
`people_6` are cut-outs side by side, each at another time. `backwards`, `mirrored`, `slowed` (half the speed) and
`both_1080p_long` (enlarged, there and back for 30 seconds) are the demo clip changed.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from benchmarks.command import command_line
from poselift.detection import build_detector
from poselift.finding import VideoClip
from poselift.samples import demo_video
from poselift.structures import Keypoints2D
from poselift.video import VideoReader, VideoWriter

Picture = tuple[np.ndarray, float]
"""A frame's RGB picture and timestamp, seconds."""

_CUT = 1.5
"""Height of a cut-out over the person's."""


def demo() -> list[Picture]:
    """The demo clip."""
    return [(frame.image, frame.timestamp) for frame in VideoReader(demo_video())]


def track_clip(clip: VideoClip) -> list[Keypoints2D]:
    """The people of a clip as `poselift lift` tracks them."""
    tracker = clip.tracker()
    for detections, timestamp in clip.people():
        tracker.update(detections, timestamp)
    return tracker.tracks()


def people() -> list[Keypoints2D]:
    """The people of the demo clip; the one who goes furthest comes first."""
    tracks = track_clip(VideoClip(demo_video(), build_detector("movenet"), quality="best"))
    return sorted(tracks, key=lambda person: -np.ptp(np.nanmean(person.keypoints[person.seen, :, 0], axis=1)))


def cut_out(pictures: Sequence[Picture], person: Keypoints2D, width: int, height: int) -> list[Picture]:
    """Somebody cut out of the frames, by a camera that goes with this person.

    Args:
        pictures: frames of the clip.
        person: in the clip.
        width: of the new pictures, pixels.
        height: likewise.
    """
    seen = person.seen
    middles = np.nanmean(person.keypoints[seen], axis=1)
    times = person.timestamps[seen]
    tall = float(np.nanmedian(np.ptp(person.keypoints[seen][..., 1], axis=1)))
    rows = pictures[0][0].shape[0]
    high = min(_CUT * tall, rows)
    # The camera moves smoothly; at the edges of the picture the border is repeated.
    result = []
    for image, time in pictures:
        if not times[0] <= time <= times[-1]:
            continue
        near = np.abs(times - time).argsort()[:15]
        x, y = middles[near].mean(0)
        scale = height / high
        y = float(np.clip(y, high / 2, rows - high / 2))
        matrix = np.array([[scale, 0, width / 2 - scale * x], [0, scale, height / 2 - scale * y]])
        cut = cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        result.append((cut, time))
    return result


def side_by_side(count: int) -> Iterator[Picture]:
    """Cut-outs of the woman side by side in 1280 x 720, each at another time of the walk."""
    rows = 1 if count < 3 else 2
    columns = -(-count // rows)
    size = 1280 // columns, 720 // rows
    parts = cut_out(demo(), people()[0], *size)
    for index, (_, time) in enumerate(parts):
        whole = np.zeros((720, 1280, 3), np.uint8)
        for number in range(count):
            row, column = divmod(number, columns)
            # There and back again, so that nobody jumps.
            place = (index + number * len(parts) // 3) % (2 * len(parts) - 2)
            part = parts[min(place, 2 * len(parts) - 2 - place)][0]
            whole[row * size[1] : (row + 1) * size[1], column * size[0] : (column + 1) * size[0]] = part
        yield whole, time


def there_and_back(pictures: Sequence[Picture], count: int) -> list[Picture]:
    """A clip forwards and backwards by turns, so that nobody jumps, up to a number of frames."""
    step = (pictures[-1][1] - pictures[0][1]) / (len(pictures) - 1)
    around = [*range(len(pictures)), *range(len(pictures) - 2, 0, -1)]
    return [(pictures[around[index % len(around)]][0], index * step) for index in range(count)]


def one(width: int, height: int) -> Callable[[], list[Picture]]:
    """Makes the clip of the woman alone."""
    return lambda: cut_out(demo(), people()[0], width, height)


CLIPS: dict[str, Callable[[], Sequence[Picture] | Iterator[Picture]]] = {
    "two_people": demo,
    "backwards": lambda: [(image, time) for (image, _), (_, time) in zip(demo()[::-1], demo(), strict=True)],
    "mirrored": lambda: [(np.ascontiguousarray(image[:, ::-1]), time) for image, time in demo()],
    "slowed": lambda: [(image, 2 * time) for image, time in demo()],
    "both_1080p_long": lambda: there_and_back([(cv2.resize(image, (1920, 1080)), time) for image, time in demo()], 900),
    "one_720p": one(1280, 720),
    "one_720p_long": lambda: there_and_back(one(1280, 720)(), 600),
    "one_1080p": one(1920, 1080),
    "one_portrait": one(1080, 1920),
    **{f"people_{count}": partial(side_by_side, count) for count in range(1, 7)},
}
"""Makers of the clips by name."""


def make_clip(name: str, folder: Path) -> Path:
    """The file of a clip, which is made if the folder lacks it."""
    path = folder / f"{name}.mp4"
    if name == "two_people":
        return demo_video()
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pictures = list(CLIPS[name]())
        with VideoWriter(path, pictures[0][0].shape[1], pictures[0][0].shape[0]) as writer:
            for image, time in pictures:
                writer.write(image, time)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the clips."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="for the clips")
    parser.add_argument("--clips", nargs="+", choices=list(CLIPS), default=list(CLIPS), help="default: all")
    options = parser.parse_args(arguments)
    for name in options.clips:
        print(make_clip(name, options.folder))


if __name__ == "__main__":
    main()
