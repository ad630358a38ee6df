"""JTA's annotations: a list of rows of ten numbers a sequence."""

import json
from pathlib import Path

import numpy as np

from tests.data.formats.people import look_from, moving_person, pixels_of

JOINTS = (
    *("head_top", "head", "neck"),
    *("right_clavicle", "right_shoulder", "right_elbow", "right_wrist"),
    *("left_clavicle", "left_shoulder", "left_elbow", "left_wrist"),
    *("spine4", "spine3", "spine2", "spine", "spine1"),
    *("right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle"),
)
"""What of a person has which joint type; the dataset's spine0 to spine4 go down."""

K = np.array([[1158.0, 0, 960.0], [0, 1158.0, 540.0], [0, 0, 1]])
AWAY = range(8, 10)
"""Frames, from 0, in which person 4 is not there."""


def write_jta(
    folder: Path, sequences: dict[str, int] | None = None, seed: int = 0
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Writes sequences and gives for each "split/seq_n/person" the (T, 22, 3) points in metres and (T, 22, 2) pixels.

    Pixels are whole numbers. Person 4 is away in the frames `AWAY`. The left ankle of person 9 is occluded in the
    first frame and self-occluded in the second, and all of person 9 is occluded in the last.

    Args:
        folder: where `annotations` shall be.
        sequences: for each "split/seq_n" its number of frames.
        seed: of the motion.
    """
    if sequences is None:
        sequences = {f"{split}/seq_{number}": 20 for number, split in enumerate(("train", "val", "test"))}
    truth = {}
    R = look_from(np.array([1.0, 3.0, 9.0]), np.array([0, 1.0, 0]))
    for name, frames in sequences.items():
        seen = {}
        for person in (4, 9):
            seed += 1
            world = moving_person(JOINTS, frames, seed, fps=30) + [0.3 * person - 2, 0, 0]
            points = (world - [1.0, 3.0, 9.0]) @ R.T
            seen[person] = points, np.rint(pixels_of(points, K))
            truth[f"{name}/{person}"] = seen[person]
        rows = []
        for frame in range(frames):
            for person, (points, pixels) in seen.items():
                if person == 4 and frame in AWAY:
                    continue
                for kind in range(22):
                    occluded = person == 9 and (frame == frames - 1 or (frame == 0 and kind == 21))
                    by_itself = person == 9 and frame == 1 and kind == 21
                    where = [*map(int, pixels[frame, kind]), *map(float, points[frame, kind])]
                    rows.append([frame + 1, person, kind, *where, int(occluded), int(by_itself)])
        path = folder / "annotations" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows))
    return truth
