"""The hands of a person as a compressed .npz file without pickled objects.

| array | dtype, shape | meaning |
|---|---|---|
| `joints` | float32 (t, 2, 21, 3) | left, right: metres from the wrist, in the axes of the motion; NaN where unseen |
| `keypoints` | float32 (t, 2, 21, 2) | pixels; NaN likewise |
| `scores` | float32 (t, 2) | how sure each hand is, 0 to 1; 0 where none is seen |
| `timestamps` | float64 (t,) | seconds |
| `names` | str (21,) | of the joints |
| `person` | int64 () | number of the person |

A hand's place is that of the wrist in the person's own file.
"""

import os

import numpy as np

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.npz import npz_arrays
from poselift.skeleton.hand import HAND21
from poselift.structures import HandMotion

_FIELDS = ("joints", "keypoints", "scores", "timestamps", "person")


@check_annotations
def write_hands(path: str | os.PathLike[str], hands: HandMotion) -> None:
    """Writes the hands of a person as npz.

    Args:
        path: the file to write.
        hands: of one person.

    Raises:
        InputError: the file cannot be written.
    """
    arrays = {name: getattr(hands, name).astype(np.float32) for name in _FIELDS[:3]}
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(
            file,
            timestamps=hands.timestamps.astype(np.float64),
            names=np.array(HAND21.joints),
            person=np.int64(hands.person),
            **arrays,
        )


@check_annotations
def read_hands(path: str | os.PathLike[str]) -> HandMotion:
    """The hands that `write_hands` wrote.

    Raises:
        InputError: the file is missing, is no npz, or has not the arrays of hands.
    """
    arrays = npz_arrays(path)
    if missing := [name for name in _FIELDS if name not in arrays]:
        raise InputError(f"{path}: array {missing[0]!r} is missing; give a person_*_hands.npz that poselift wrote")
    joints, keypoints, scores = (arrays[name].astype(np.float64) for name in _FIELDS[:3])
    try:
        return HandMotion(keypoints, joints, scores, arrays["timestamps"], int(arrays["person"]))
    except (InputError, TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
