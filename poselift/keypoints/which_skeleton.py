"""Which skeleton keypoints have, judged by what bodies look like.

Two skeletons with equal numbers of joints give the same points different names. Under the right names limbs have the
lengths of limbs, left ones those of right ones; under the wrong names a wrist is 10 cm from a hip in every frame.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile
from poselift.skeleton import BODY25, BODY25B, COCO17, H36M17, Skeleton

_RIVALS = {BODY25: (BODY25B,), COCO17: (H36M17,)}
"""Other skeletons with as many joints that programs write without names, by the usual one. PoseTrack-17 and COCO-17
differ in two joints of the head alone, which is too little to tell them apart; MPI-INF-3DHP is known by its names."""

_SIDES = {
    "eye": (0.03, 1.66, 0.09),
    "ear": (0.07, 1.64, 0.0),
    "shoulder": (0.18, 1.43, 0.0),
    "elbow": (0.26, 1.16, 0.02),
    "wrist": (0.28, 0.94, 0.1),
    "hip": (0.11, 0.92, 0.0),
    "knee": (0.12, 0.5, 0.04),
    "ankle": (0.12, 0.08, 0.0),
    "big_toe": (0.14, 0.02, 0.19),
    "small_toe": (0.19, 0.02, 0.15),
    "heel": (0.12, 0.03, -0.05),
}
_MIDDLE = {
    "nose": (0.0, 1.62, 0.12),
    "head": (0.0, 1.65, 0.02),
    "head_top": (0.0, 1.78, 0.0),
    "neck_base": (0.0, 1.5, 0.0),
    "mid_shoulders": (0.0, 1.43, 0.0),
    "thorax": (0.0, 1.43, 0.0),
    "spine": (0.0, 1.17, 0.0),
    "pelvis": (0.0, 0.94, 0.0),
}
"""Somebody who stands: the person's left, up and forward in metres. Only distances between joints matter."""

_HINGES = {"elbow": 1, "wrist": 2, "knee": 1, "ankle": 2, "big_toe": 3, "small_toe": 3, "heel": 3}
"""Joints between the trunk and these parts: each makes a distance less certain."""
_NEAR = 0.08
"""Added to all distances, in sizes of the body: shorter ones are as uncertain as this."""
_SPREAD = 0.3, 0.15
"""Standard deviation of the logarithm of a distance: within the trunk, and what each hinge adds."""
_WORST = 8.0
"""Largest loss of one distance, so that no single wrong point decides."""
_FEWEST = 4
"""Least number of joints of a person by which skeletons are told apart."""
_MOST = 300
"""People and frames that are looked at, spread over the clip."""
_NOBODY = -0.1
"""Mean likelihood below which points look like nobody under any names: people have 0.1 to 0.6 under the right ones on
all views of `bench_val.npz`, random points -0.2 at most."""
_FAR = 1e7
"""Points beyond so many pixels are not looked at."""
_EQUAL = 1e-9
_CLEAR = 0.08
"""Least mean difference between two skeletons, per distance that they judge differently."""


def choose_skeleton_by_shape(file: KeypointFile) -> KeypointFile:
    """The file, with the skeleton of which its people have the shape.

    Args:
        file: whose skeleton is known by its number of joints alone.

    Raises:
        InputError: the shapes do not tell which of two skeletons it is.
    """
    if file.skeleton not in _RIVALS:
        return file
    people = [
        np.concatenate((person.points, np.where(person.seen, person.scores, 0.0)[:, None]), 1)
        for there in file.frames.values()
        for person in there
    ]
    found, close = choose_skeleton(people, (file.skeleton, *_RIVALS[file.skeleton]))
    if found is None:
        names = " or ".join(skeleton.name for skeleton in close)
        raise InputError(
            f"{file.path}: its {len(file.skeleton)} joints may be {names}, and its people look like one as much as "
            f"like the other; say which with --keypoint-set {close[0].name}, or {close[1].name}"
        )
    return replace(file, skeleton=found)


def choose_skeleton(
    people: Sequence[Float[np.ndarray, "j 3"]], candidates: Sequence[Skeleton]
) -> tuple[Skeleton | None, tuple[Skeleton, ...]]:
    """The skeleton under whose names the people look like people.

    Each distance between two joints, relative to the size of the body, is compared with that of a standing person by
    the logarithm of a normal distribution with bounded tails. Two skeletons are compared by the distances that they
    judge differently.

    Args:
        people: x, y and score of everybody in every frame; score 0 for undetected joints.
        candidates: skeletons with this number of joints, the usual one first.

    Returns:
        The skeleton, None if undecided, and those between which it is undecided. The usual one is taken where all
        skeletons give the seen joints the same names, and where the people look like nobody.
    """
    some = [person for person in people if _seen(person).sum() >= _FEWEST and _size(person[_seen(person), :2]) > _EQUAL]
    some = some[:: -(-len(some) // _MOST)] if some else []
    ever = np.flatnonzero(np.any([_seen(person) for person in some], axis=0)) if some else np.zeros(0, int)
    usual = candidates[0]
    rivals = [other for other in candidates[1:] if any(other.joints[joint] != usual.joints[joint] for joint in ever)]
    fits = {
        skeleton: np.concatenate([np.zeros(0), *(_fit(person, skeleton) for person in some)])
        for skeleton in (usual, *rivals)
    }
    if not some or max(float(fit.mean()) for fit in fits.values()) < _NOBODY:
        return usual, ()
    best, *others = sorted(fits, key=lambda skeleton: -float(fits[skeleton].sum()))
    close = tuple(other for other in others if _lead(fits[best], fits[other]) < _CLEAR)
    return (None, (best, *close)) if close else (best, ())


def _seen(person: Float[np.ndarray, "j 3"]) -> Bool[np.ndarray, " j"]:
    return (person[:, 2] > 0) & (np.abs(person) < _FAR).all(-1)


def _lead(one: Float[np.ndarray, " n"], other: Float[np.ndarray, " n"]) -> float:
    """One skeleton's mean advantage, where the two judge differently. The mean is over those distances."""
    apart = (one - other)[np.abs(one - other) > _EQUAL]
    return float(apart.mean()) if len(apart) else 0.0


def _fit(person: Float[np.ndarray, "j 3"], skeleton: Skeleton) -> Float[np.ndarray, " pairs"]:
    """Logarithm of the likelihood of each distance between two seen joints."""
    seen = np.flatnonzero(_seen(person))
    names = [skeleton.joints[joint] for joint in seen]
    first, second = np.triu_indices(len(seen), 1)
    found, usual = (
        np.log(np.linalg.norm(places[first] - places[second], axis=-1) / _size(places) + _NEAR)
        for places in (person[seen, :2], np.array([place(name) for name in names]))
    )
    hinges = np.array([_HINGES.get(name.partition("_")[2], 0) for name in names])
    spread = _SPREAD[0] + _SPREAD[1] * (hinges[first] + hinges[second])
    fit: np.ndarray = -np.minimum(((found - usual) / spread) ** 2 / 2, _WORST) - np.log(spread)
    return fit


def _size(places: Float[np.ndarray, "n d"]) -> float:
    """Root mean square distance from the middle."""
    return float(np.sqrt(((places - places.mean(0)) ** 2).sum(-1).mean()))


def place(joint: str) -> tuple[float, float, float]:
    """A joint's place on a standing person, metres. The axes are the person's left, up and forward."""
    side, _, part = joint.partition("_")
    if side not in ("left", "right"):
        return _MIDDLE[joint]
    x, y, z = _SIDES[part]
    return (x if side == "left" else -x), y, z
