"""Points of several tracks in one array, as trackers of animals and people store them."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput, pick


def read_tracks(
    file: KeypointInput,
    program: str,
    points: Float[np.ndarray, "t p k 2"],
    scores: Float[np.ndarray, "t p k"],
    joints: Sequence[str],
    people: Sequence[str],
    times: Float[np.ndarray, " t"] | None = None,
) -> KeypointFile:
    """The keypoints of a file that has them as arrays.

    Args:
        file: the input.
        program: name of the format.
        points: pixels; NaN for undetected joints.
        scores: of each point; NaN counts as 1 where the point is there.
        joints: names of the k points.
        people: names of the p tracks.
        times: of each frame, seconds, if known.

    Raises:
        InputError: the joints are not a person's.
    """
    skeleton, places = file.by_names(list(joints))
    points = pick(points, places)
    scores = pick(scores[..., None], places)[..., 0]
    there = np.isfinite(points).all(-1)
    scores = np.where(there, np.where(np.isnan(scores), 1.0, scores), 0.0)
    frames = {
        number: [
            Observation(points[number, row], scores[number, row], name)
            for row, name in enumerate(people)
            if there[number, row].any()
        ]
        for number in range(len(points))
    }
    stamps = None if times is None else {number: float(time) for number, time in enumerate(times)}
    return KeypointFile(file.path, program, skeleton, frames, timestamps=stamps)
