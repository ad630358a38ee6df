"""Checks before people go into a file."""

from collections import Counter
from collections.abc import Sequence

from poselift.core.errors import InputError
from poselift.structures import Motion


def check_people(motions: Sequence[Motion]) -> None:
    """Checks that motions have poses and fit into one file.

    Raises:
        InputError: there is nobody, somebody has no frame with a pose, two have the same number, or their frames or
            skeletons differ.
    """
    if not motions:
        raise InputError("there is no motion to write; give at least one person")
    for motion in motions:
        if not motion.posed.any():
            raise InputError(f"person {motion.keypoints.person} has no frame with a pose; choose another person")
    counts = Counter(motion.keypoints.person for motion in motions)
    if twice := [person for person, count in counts.items() if count > 1]:
        raise InputError(f"two motions are of person {twice[0]}; give each person of one clip once")
    for what, names in (
        ("in the frames", {motion.frame for motion in motions}),
        ("of the skeletons", {motion.skeleton.name for motion in motions}),
    ):
        if len(names) > 1:
            raise InputError(f"the motions are {what} {' and '.join(sorted(names))}; lift all in one run")
