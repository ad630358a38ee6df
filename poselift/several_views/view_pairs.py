"""How two views stand to each other.

The rotation and place under which most of their tracks agree. Two views of one person have the same lifted poses,
turned by one rotation for the whole take. Each pair of tracks proposes a rotation and a translation between its views;
the proposal with the most support is taken.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.random import Generator

from poselift.several_views.observations import ViewTrack

SLOT = 0.25
"""Seconds in which nobody changes the number."""

POSE, _PLACE = 0.10, 0.45
"""Distances of two views' joints and roots, metres, that count 1: a lifter's error of pose, and of depth."""

_SIZE = 0.15
"""Share of a body's size that the lifter may miss: both views then place it too far away by as much, and it moves along
the line between the cameras."""

APART = 9.0
"""Sum of the squares of both counts from which two tracks are two people."""

_STRETCH = 2.0
"""Seconds of the parts of tracks that propose rotations beside whole tracks: numbers may swap."""


@dataclass(frozen=True)
class Pairing:
    """How one view's frame lies in another's.

    Attributes:
        R: rotation from the second view's camera frame to the first's.
        t: likewise, metres.
        support: tracks that agree, summed over slots and discounted by their distance.
        possible: most that could agree.
        pose: median distance of matched joints, metres; NaN without any.
    """

    R: Float[np.ndarray, "3 3"]
    t: Float[np.ndarray, "3"]
    support: float
    possible: float
    pose: float

    @property
    def share(self) -> float:
        """Support over what is possible."""
        return self.support / max(self.possible, 1e-9)


@dataclass(frozen=True)
class Slots:
    """One track in slots of time; `poses` are centred, NaN-free where `there`."""

    poses: Float[np.ndarray, "t j 3"]
    shown: Bool[np.ndarray, " t"]
    roots: Float[np.ndarray, "s 3"]
    there: Bool[np.ndarray, " s"]


def in_slots(track: ViewTrack, starts: Int[np.ndarray, " s"]) -> Slots:
    """A track in slots of time that begin at these rows."""
    shown = track.present
    centred = track.lifted - track.lifted.mean(1, keepdims=True)
    bounds = [*starts, len(shown)]
    roots, there = np.full((len(starts), 3), np.nan), np.zeros(len(starts), bool)
    for slot, (first, end) in enumerate(itertools.pairwise(bounds)):
        rows = first + np.flatnonzero(shown[first:end])
        if len(rows):
            roots[slot], there[slot] = np.median(track.root[rows], axis=0), True
    return Slots(np.where(shown[:, None, None], centred, 0.0), shown, roots, there)


def _statistics(a: Slots, b: Slots, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each slot's covariance of poses, squares, and joint count. The squares are a sum over both poses."""
    both = a.shown & b.shown
    x, y = a.poses * both[:, None, None], b.poses * both[:, None, None]
    covariance = np.add.reduceat(np.einsum("tji,tjk->tik", x, y), starts, axis=0)
    squares = np.add.reduceat((x**2).sum((1, 2)) + (y**2).sum((1, 2)), starts)
    count = np.add.reduceat(both.astype(float), starts) * x.shape[1]
    return covariance, squares, count


def _rotation(covariance: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3 3"]:
    """The rotation R from b to a that maximises tr(R' C)."""
    U, _, V = np.linalg.svd(covariance)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V


def count_apart(off: Float[np.ndarray, "*n 3"], between: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, " *n"]:
    """Square of the distance of two views' roots, in standard deviations.

    Args:
        off: from one root to the other, metres.
        between: from one camera to the other as these roots have it, metres.
    """
    length = np.linalg.norm(between, axis=-1)
    along = (off * between).sum(-1) / np.maximum(length, 1e-6)
    across2 = np.maximum((off**2).sum(-1) - along**2, 0.0)
    counted: np.ndarray = across2 / _PLACE**2 + along**2 / (_PLACE**2 + (_SIZE * length) ** 2)
    return counted


def pair_views(
    a: Sequence[Slots],
    b: Sequence[Slots],
    starts: np.ndarray,
    random: Generator,
    known: tuple[np.ndarray, np.ndarray] | None,
) -> Pairing:
    """Rotation and translation between two views, found or known. Most tracks agree under the ones that are found."""
    none = Pairing(np.eye(3), np.zeros(3), 0.0, 0.0, np.nan)
    if not a or not b:
        return none
    numbers = {(i, j): _statistics(x, y, starts) for i, x in enumerate(a) for j, y in enumerate(b)}
    roots_a, roots_b = np.stack([x.roots for x in a]), np.stack([y.roots for y in b])
    covariance, squares, count = (
        np.stack([np.stack([numbers[i, j][part] for j in range(len(b))]) for i in range(len(a))]) for part in range(3)
    )
    met = count > 0  # (a, b, s)
    possible = float(np.minimum(met.any(1).sum(0), met.any(0).sum(0)).sum())
    if not met.any():
        return none

    def costs(R: np.ndarray, t: np.ndarray) -> np.ndarray:
        apart = np.maximum(squares - 2 * np.einsum("abskl,kl->abs", covariance, R), 0.0) / np.maximum(count, 1.0)
        between = roots_a[:, None] - (roots_b @ R.T)[None]
        return np.where(met, apart / POSE**2 + np.nan_to_num(count_apart(between - t, between)), np.inf)

    def matched(R: np.ndarray, t: np.ndarray) -> tuple[float, np.ndarray]:
        """Support, and which tracks agree in each slot."""
        gains = np.maximum(1 - costs(R, t) / APART, 0.0)
        left, chosen, support = gains.copy(), np.zeros(gains.shape, bool), 0.0
        slot = np.arange(gains.shape[2])
        for _ in range(min(len(a), len(b))):
            flat = left.reshape(-1, left.shape[2])
            best = flat.argmax(0)
            won = flat[best, slot] > 0
            support += float(flat[best, slot].sum())
            i, j = np.divmod(best, len(b))
            chosen[i[won], j[won], slot[won]] = True
            left[i, :, slot] = 0.0
            left[:, j, slot] = 0.0
        return support, chosen

    def propose(chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        R = _rotation((covariance * chosen[..., None, None]).sum((0, 1, 2)))
        i, j, slot = np.nonzero(chosen)
        return R, np.median(roots_a[i, slot] - roots_b[j, slot] @ R.T, axis=0)

    tries = [] if known is None else [known]
    stretch = max(1, round(_STRETCH / SLOT))
    for i, j in numbers if known is None else ():
        common = np.flatnonzero(met[i, j])
        if not len(common):
            continue
        parts = [common]
        if len(common) > 2 * stretch:
            firsts = random.integers(0, len(common) - stretch, 6)
            parts += [common[first : first + stretch] for first in firsts]
        for part in parts:
            chosen = np.zeros(met.shape, bool)
            chosen[i, j, part] = True
            tries.append(propose(chosen))
    best = max(tries, key=lambda pose: matched(*pose)[0])
    for _ in range(4 if known is None else 0):
        _, chosen = matched(*best)
        if not chosen.any():
            break
        best = propose(chosen)
    support, chosen = matched(*best)
    apart = np.maximum(squares - 2 * np.einsum("abskl,kl->abs", covariance, best[0]), 0.0) / np.maximum(count, 1.0)
    pose = float(np.sqrt(np.median(apart[chosen]))) if chosen.any() else np.nan
    return Pairing(*best, support, possible, pose)


def chain_views(pairings: dict[tuple[int, int], Pairing], views: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Poses along the best supported pairs, and unreached views. The frame is that of the first view."""
    R, t = np.tile(np.eye(3), (views, 1, 1)), np.zeros((views, 3))
    known, left, apart = [0], set(range(1, views)), []
    while left:
        view, near = max(((v, k) for v in left for k in known), key=lambda pair: pairings[min(pair), max(pair)].support)
        pairing = pairings[min(view, near), max(view, near)]
        left.remove(view)
        if pairing.support <= 0:
            apart.append(view)
            continue
        turn, move = pairing.R, pairing.t
        if view < near:
            turn, move = turn.T, -turn.T @ move
        R[view], t[view] = R[near] @ turn, R[near] @ move + t[near]
        known.append(view)
    return R, t, apart
