"""MoveNet in 8 bits beside float32: people found, distances, and CPU time.

    python -m benchmarks.quantized [VIDEO ...] [--frames N]

Distances are shares of the longer side of the person's box in float32, of people with a box score of 0.3 or more. The
two networks run in turns on one thread. Thunder gets crops around the people whom a search finds.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, table_head, table_row
from benchmarks.quantize import inputs
from poselift.core.registry import published
from poselift.detection.session import Session
from poselift.samples import demo_video

_CLEAR, _LEAST, _SAME, _SEEN = 0.3, 0.2, 0.3, 0.2
"""Box score of people who must be found, and of people who count; largest distance of the boxes of one person; joint
score from which a joint counts."""


def pairs_of(one: np.ndarray, other: np.ndarray) -> tuple[list[tuple[np.ndarray, np.ndarray, float]], list[float], int]:
    """The people of two outputs of MultiPose: poses and size of each pair, distances of boxes, and who is missing.

    Args:
        one: MultiPose's six people in float32.
        other: in 8 bits.
    """
    clear, found = one[one[:, 55] >= _CLEAR], other[other[:, 55] >= _LEAST]
    missing, boxes, poses = 0, [], []
    for person in clear:
        size = (person[53:55] - person[51:53]).max()
        apart = np.abs(found[:, 51:55] - person[51:55]).max(1) / size
        if apart.min(initial=np.inf) > _SAME:
            missing += 1
            continue
        boxes.append(float(apart.min()))
        poses.append((person[:51].reshape(17, 3), found[apart.argmin()][:51].reshape(17, 3), size))
    return poses, boxes, missing


def row_of(name: str, images: Sequence[np.ndarray]) -> list[str]:
    """The cells of a table for a network and some of its inputs."""
    sessions = [Session(published(each).get(), "cpu", threads=1) for each in (name, f"{name}_int8")]
    boxes: list[float] = []
    joints: list[float] = []
    seconds: list[list[float]] = [[], []]
    people = missing = 0
    for image in images:
        found = []
        for session, spent in zip(sessions, seconds, strict=True):
            session.open()
            begun = time.process_time()
            found.append(session.run([image]))
            spent.append(time.process_time() - begun)
        if name == "movenet_multipose":
            poses, near, lost = pairs_of(found[0][0], found[1][0])
            boxes += near
            missing += lost
        else:
            pose, again = (each[0, 0] for each in found)
            poses, lost = [(pose, again, float(np.ptp(pose[:, :2], axis=0).max()))], 0
        people += len(poses) + lost
        for pose, again, size in poses:
            seen = pose[:, 2] > _SEEN
            joints += (np.linalg.norm((pose - again)[seen, :2], axis=-1) / size).tolist()
    times = [f"{1000 * np.median(spent):.1f}" for spent in seconds]
    box = f"{100 * np.mean(boxes):.2f}" if boxes else ""
    apart = [f"{100 * np.mean(joints):.2f}", f"{100 * np.median(joints):.2f}"] if joints else ["", ""]
    return [*times, str(people), str(missing), box, *apart]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each network and size of its pictures."""
    parser = command_line(__doc__)
    parser.add_argument("videos", nargs="*", type=Path, default=[demo_video()], help="default: the demo clip")
    parser.add_argument("--frames", type=int, default=6, help="of each video; default 6")
    options = parser.parse_args(arguments)
    given: dict[tuple[str, int], list[np.ndarray]] = {}
    for name, image in inputs(options.videos, options.frames):
        given.setdefault((name, max(image.shape)), []).append(image)
    titles = ["network, longer side", "pictures", "float32, ms", "8 bits, ms", "people", "missing", "boxes, %"]
    print(table_head([*titles, "joints, %", "median joint, %"]))
    for (name, side), images in sorted(given.items(), key=lambda item: (item[0][0], item[0][1])):
        print(table_row([f"{name}, {side}", str(len(images)), *row_of(name, images)]), flush=True)


if __name__ == "__main__":
    main()
