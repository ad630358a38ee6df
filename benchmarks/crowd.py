"""People whom the detector finds in pictures with many people.

    python -m benchmarks.crowd [--people N ...] [--heights PX ...] [--pictures N] [--size WIDTHxHEIGHT] [--out DIR]

The people are cut out of the demo clip, as rectangles with a soft edge, and pasted in rows onto one of its frames,
enlarged and blurred. All are at least as high as given from nose to ankles, at most twice as high. The table has the
share of people who are found, the number of false ones, and the share of joints within a tenth of the person's height:
by `detect` in one picture, and by `poselift lift` at the end of one second of it as a still clip.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, Int, UInt8

from benchmarks.clips import demo, people
from benchmarks.command import command_line, table_head, table_row
from poselift.detection import Detector, build_detector
from poselift.finding.finder import build_finder
from poselift.structures import Keypoints2D
from poselift.video import Frame

_FOUND = 0.1
"""Distance of a joint that is found, as a share of the person's height; half of somebody's joints make a find."""
_MARGIN = 0.12
"""Width of the border around a cut-out, as a share of the person's height."""

Picture = UInt8[np.ndarray, "h w 3"]
Poses = Float[np.ndarray, "n 17 2"]


def cut_outs(
    pictures: Sequence[tuple[Picture, float]], persons: Sequence[Keypoints2D]
) -> list[tuple[Picture, np.ndarray]]:
    """Pictures of people from head to feet, and their keypoints in them; only clear ones whose joints are all there."""
    cuts = []
    image_at = {time: image for image, time in pictures}
    for person in persons:
        for row in range(0, len(person), 4):
            points, image = person.keypoints[row], image_at[float(person.timestamps[row])]
            if not np.isfinite(points).all() or person.scores[row].mean() < 0.7:
                continue
            border = _MARGIN * np.ptp(points[:, 1])
            low = np.maximum(np.floor(points.min(0) - border), 0).astype(int)
            high = np.minimum(np.ceil(points.max(0) + border), image.shape[1::-1]).astype(int)
            cuts.append((image[low[1] : high[1], low[0] : high[0]], points - low))
    return cuts


def made_picture(
    count: int, height: float, size: tuple[int, int], cuts: Sequence[tuple[Picture, np.ndarray]], seed: int
) -> tuple[Picture, Poses]:
    """A picture of some people, and their keypoints; the arguments are those of `filling`."""
    *_, last = filling(count, height, size, cuts, seed)
    return last


def filling(
    count: int, height: float, size: tuple[int, int], cuts: Sequence[tuple[Picture, np.ndarray]], seed: int
) -> Iterator[tuple[Picture, Poses]]:
    """A picture with one person, the same with two, and so on, and the keypoints of all people in each.

    Args:
        count: of people in the last picture.
        height: of the smallest ones from nose to ankles, pixels; the largest are twice as high.
        size: (width, height) of the pictures.
        cuts: from `cut_outs`.
        seed: of the choice of people, heights and places.
    """
    rng = np.random.default_rng(seed)
    rows = max(1, round(np.sqrt(count * size[1] / size[0] / 1.5)))
    columns = -(-count // rows)
    cell = np.array([size[0] / columns, size[1] / rows])
    canvas = cv2.GaussianBlur(cv2.resize(demo()[0][0], size), (0, 0), size[0] / 60)
    poses = []
    for number in range(count):
        image, points = cuts[rng.integers(len(cuts))]
        own = np.ptp(points[:, 1])
        scale = min(rng.uniform(1, 2) * height / own, *(0.98 * cell / image.shape[1::-1]))
        if scale * own < 0.999 * height:
            raise ValueError(
                f"{count} people {height:g} px high do not fit into {size[0]} x {size[1]}; give a larger --size"
            )
        if rng.random() < 0.5:
            flip = [0, *(index + 1 if index % 2 else index - 1 for index in range(1, 17))]
            image, points = image[:, ::-1], (points * [-1, 1] + [image.shape[1] - 1, 0])[flip]
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        free = cell - small.shape[1::-1]
        place = np.array(divmod(number, columns)[::-1]) * cell + rng.uniform(0, 1, 2) * np.maximum(free, 0)
        corner = place.astype(int)
        part = canvas[corner[1] : corner[1] + small.shape[0], corner[0] : corner[0] + small.shape[1]]
        mask = np.zeros(part.shape[:2], np.float32)
        edge = max(1, round(0.03 * small.shape[0]))
        mask[edge:-edge, edge:-edge] = 1
        mask = cv2.GaussianBlur(mask, (0, 0), edge / 2)[..., None]
        part[:] = (mask * small[: part.shape[0], : part.shape[1]] + (1 - mask) * part).round()
        poses.append((points + 0.5) * scale - 0.5 + corner)
        yield canvas.copy(), np.array(poses)


def counted(expected: Poses, found: Poses) -> tuple[int, int, int]:
    """Numbers of people found, of false ones, and of joints found."""
    joints = hits(expected, found)
    there = joints > expected.shape[1] / 2
    return int(there.any(1).sum()), int((~there.any(0)).sum()), int(joints.max(1, initial=0).sum())


def hits(expected: Poses, found: Poses) -> Int[np.ndarray, "n m"]:
    """Joints of each expected person that lie where each found one has them."""
    near = _FOUND * np.ptp(expected[..., 1], axis=1)
    close = np.linalg.norm(found - expected[:, None], axis=-1) <= near[:, None, None]  # (expected, found, joint)
    return close.sum(-1)


def lifted(picture: Picture, detector: Detector) -> Poses:
    """The people at the end of a still clip of one second."""
    finder = build_finder(detector, "balanced")
    frames = [Frame(picture, index / 10, index) for index in range(11)]
    *_, (last, _) = finder.find(frames)
    return np.zeros((0, 17, 2)) if last is None else last.keypoints


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each number of people and height."""
    parser = command_line(__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[12, 20], help="in a picture; default 12 20")
    parser.add_argument("--heights", type=float, nargs="+", default=[80, 120], help="least, pixels; default 80 120")
    parser.add_argument("--pictures", type=int, default=5, help="for each row; default 5")
    parser.add_argument("--size", default="1920x1080", help="of the pictures; default 1920x1080")
    parser.add_argument("--out", type=Path, help="keeps the pictures")
    options = parser.parse_args(arguments)
    width, height = map(int, options.size.split("x"))
    cuts, detector = cut_outs(demo(), people()), build_detector("movenet")
    ways = {
        "detect": lambda picture: detector.detect([picture])[0].keypoints,
        "lift": lambda picture: lifted(picture, detector),
    }
    print(table_head(["people", "height, px", "", "found, %", "false ones", "joints, %"]))
    for count in options.people:
        for least in options.heights:
            made = [made_picture(count, least, (width, height), cuts, seed) for seed in range(options.pictures)]
            for seed, (picture, _) in enumerate(made if options.out else []):
                options.out.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(options.out / f"{count}_{least:g}_{seed}.png"), picture[..., ::-1])
            for name, way in ways.items():
                found, false, joints = np.sum([counted(poses, way(picture)) for picture, poses in made], axis=0)
                everybody = count * options.pictures
                shares = f"{100 * found / everybody:.1f}", str(false), f"{100 * joints / (17 * everybody):.1f}"
                print(table_row([str(count), f"{least:g} to {2 * least:g}", name, *shares]), flush=True)


if __name__ == "__main__":
    main()
