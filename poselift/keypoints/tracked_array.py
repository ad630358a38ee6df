"""Points of several tracks in arrays, as animal trackers store them. Trackers of people have the same layout."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.data.hdf5_file import Array
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput, pick


def order_axes(file: KeypointInput, name: str, array: Array, wanted: Sequence[str]) -> np.ndarray:
    """The array with its axes in order, by their names' beginnings.

    Raises:
        InputError: it has other axes, or no numbers.
    """
    axes, values = array
    order = [next((at for at, axis in enumerate(axes) if axis.startswith(kind)), -1) for kind in wanted]
    if values.dtype.kind not in "fiu":
        raise file.fail(f"{name!r} is {values.dtype}, not numbers; export it again")
    if values.ndim != len(wanted) or -1 in order:
        raise file.fail(
            f"{name!r} has the shape {values.shape} and the axes {', '.join(axes)}, expected {', '.join(wanted)}; "
            "export it again"
        )
    return values.transpose(order).astype(float)


def read_tracks(
    file: KeypointInput,
    program: str,
    points: Float[np.ndarray, "t p k 2"],
    scores: np.ndarray | None,
    joints: Sequence[str],
    people: Sequence[str],
    *,
    numbers: Sequence[int] | None = None,
    times: np.ndarray | None = None,
) -> KeypointFile:
    """The keypoints of a file that has them as arrays.

    Args:
        file: the input.
        program: name of the format.
        points: pixels; NaN for undetected joints.
        scores: of each point, (t, p, k); NaN counts as 1 where the point is there, and so does None.
        joints: names of the k points.
        people: names of the p tracks.
        numbers: of the frames; from 0 if None.
        times: of each frame, seconds, if known.

    Raises:
        InputError: the joints are not a person's, or the arrays differ in shape.
    """
    scores = np.full(points.shape[:3], np.nan) if scores is None else scores
    shape = (len(points), len(people), len(joints))
    if points.shape != (*shape, 2) or scores.shape != shape:
        raise file.fail(
            f"its points have the shape {points.shape} and its scores {scores.shape}, but it names {len(people)} "
            f"people and {len(joints)} joints; export it again"
        )
    skeleton, places = file.by_names(list(joints))
    points, scores = pick(points, places), pick(scores[..., None], places)[..., 0]
    there = np.isfinite(points).all(-1)
    scores = np.where(there, np.where(np.isnan(scores), 1.0, scores), 0.0)
    numbers = range(len(points)) if numbers is None else numbers
    frames = {
        number: [
            Observation(points[frame, row], scores[frame, row], name)
            for row, name in enumerate(people)
            if there[frame, row].any()
        ]
        for frame, number in enumerate(numbers)
    }
    stamps = None if times is None else dict(zip(numbers, map(float, times), strict=True))
    return KeypointFile(file.path, program, skeleton, frames, timestamps=stamps)
