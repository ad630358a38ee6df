"""MultiPose in 8 bits beside float32: people found, distances, and CPU time.

    python -m benchmarks.quantized [VIDEO ...] [--frames N]

Distances are shares of the longer side of the person's box in float32, of people with a box score of 0.3 or more. The
two networks run in turns on one thread.
"""

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, table_head, table_row
from poselift.core.registry import published
from poselift.detection.crop import Crop
from poselift.detection.session import open_session
from poselift.samples import demo_video
from poselift.video import VideoReader

_CLEAR, _LEAST, _SAME, _SEEN = 0.3, 0.2, 0.3, 0.2
"""Box score of people who must be found, and of people who count; largest distance of the boxes of one person; joint
score from which a joint counts."""


def pictures(videos: Sequence[Path], frames: int) -> list[np.ndarray]:
    """Some frames of each video, 0 to 255."""
    made = []
    for video in videos:
        reader = VideoReader(video)
        total = round((reader.info.duration or 1.0) * (reader.info.fps or 30.0))
        made += [frame.image for frame in islice(reader, 0, None, max(1, total // frames))]
    return made


def compared(one: np.ndarray, other: np.ndarray) -> tuple[int, int, list[float], list[float]]:
    """Numbers of clear people and of those who are missing, distances of their boxes, and of their joints.

    Args:
        one: MultiPose's six people in float32.
        other: in 8 bits.
    """
    clear, found = one[one[:, 55] >= _CLEAR], other[other[:, 55] >= _LEAST]
    missing, boxes, joints = 0, [], []
    for person in clear:
        size = (person[53:55] - person[51:53]).max()
        apart = np.abs(found[:, 51:55] - person[51:55]).max(1) / size
        if apart.min(initial=np.inf) > _SAME:
            missing += 1
            continue
        same = found[apart.argmin()]
        boxes.append(float(apart.min()))
        pose, again = person[:51].reshape(17, 3), same[:51].reshape(17, 3)
        joints += (np.linalg.norm((pose - again)[:, :2], axis=-1)[pose[:, 2] > _SEEN] / size).tolist()
    return len(clear), missing, boxes, joints


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each size of the picture."""
    parser = command_line(__doc__)
    parser.add_argument("videos", nargs="*", type=Path, default=[demo_video()], help="default: the demo clip")
    parser.add_argument("--frames", type=int, default=6, help="of each video; default 6")
    options = parser.parse_args(arguments)
    names = ("movenet_multipose", "movenet_multipose_int8")
    sessions = [open_session(published(name).get(), "cpu", threads=1) for name in names]
    images = pictures(options.videos, options.frames)
    titles = ["longer side, px", "pictures", "float32, ms", "8 bits, ms", "people", "missing", "boxes, %", "joints, %"]
    print(table_head([*titles, "median joint, %"]))
    for side in (256, 512, 768):
        counts, boxes, joints = np.zeros(2, int), [], []
        seconds: list[list[float]] = [[], []]
        for image in images:
            given = {"input": Crop.whole(image, (side, side), multiple=32).image[None].astype(np.int32)}
            found = []
            for session, spent in zip(sessions, seconds, strict=True):
                begun = time.process_time()
                found.append(session.run(None, given)[0][0])
                spent.append(time.process_time() - begun)
            clear, missing, near, moved = compared(*found)
            counts += clear, missing
            boxes += near
            joints += moved
        times = [f"{1000 * np.median(spent):.1f}" for spent in seconds]
        shares = [f"{100 * np.mean(boxes):.2f}", f"{100 * np.mean(joints):.2f}", f"{100 * np.median(joints):.2f}"]
        print(table_row([str(side), str(len(images)), *times, *map(str, counts), *shares]), flush=True)


if __name__ == "__main__":
    main()
