"""Who is who across views: tracks of several views that show the same person, by lifted pose and place over time.

Two views of one person have the same lifted poses, turned by one rotation for the whole take. So each pair of tracks
proposes a rotation and a translation between its views, and the proposal under which most tracks agree for most of the
time is taken. Then, in short slots of time, tracks that agree are one person, and persons are followed from slot to
slot by their tracks and their place. A view that swaps two numbers is outvoted by the others or, with two views, by the
place: people do not jump.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.random import Generator, default_rng

from poselift.several_views.observations import Track

_SLOT = 0.25
"""Seconds in which nobody changes the number."""

_POSE, _PLACE = 0.10, 0.45
"""Distances of two views' joints and roots, metres, that count 1: a lifter's error of pose, and of depth."""

_SIZE = 0.15
"""Share of a body's size that the lifter may miss: both views then place it too far away by as much, and it moves along
the line between the cameras."""

_APART = 9.0
"""Sum of the squares of both counts from which two tracks are two people."""

_STRETCH = 2.0
"""Seconds of the parts of tracks that propose rotations beside whole tracks: numbers may swap."""

_STEP, _PACE = 0.5, 1.5
"""Distance from slot to slot, metres, that weighs as much as one view's number; metres a second that people may go."""

_SHORTEST = 0.5
"""Seconds of the shortest appearance of a person."""


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
class People:
    """Everybody, in all views.

    Attributes:
        owners: for each view the index of each person's track at each time; -1 where the view lacks the person.
        R: rotations from each view's camera frame to that of the first view.
        t: places of the cameras in the frame of the first view, metres.
        pairings: of each pair of views (a, b), a < b.
        swaps: number of changes of a person's track in each view between neighbouring slots that show both tracks.
        apart: views that show nobody whom another view shows.
    """

    owners: list[Int[np.ndarray, "t p"]]
    R: Float[np.ndarray, "v 3 3"]
    t: Float[np.ndarray, "v 3"]
    pairings: dict[tuple[int, int], Pairing]
    swaps: list[int]
    apart: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Slots:
    """One track in slots of time; `poses` are centred, NaN-free where `there`."""

    poses: Float[np.ndarray, "t j 3"]
    shown: Bool[np.ndarray, " t"]
    roots: Float[np.ndarray, "s 3"]
    there: Bool[np.ndarray, " s"]


def find_people(
    tracks: Sequence[Sequence[Track]],
    times: Float[np.ndarray, " t"],
    known: tuple[Float[np.ndarray, "v 3 3"], Float[np.ndarray, "v 3"]] | None = None,
    seed: int = 0,
) -> People:
    """Who is who in all views, and how their cameras stand to each other.

    Args:
        tracks: of each view, at the shared times.
        times: seconds, increasing.
        known: rotations and places of the cameras in any one frame; found from the people if None.
        seed: of the parts of tracks that are tried.
    """
    random = default_rng(seed)
    views = len(tracks)
    slots = np.floor((times - times[0]) / _SLOT).astype(int)
    starts = np.searchsorted(slots, np.arange(slots[-1] + 1))
    own = [[_in_slots(track, starts) for track in view] for view in tracks]
    pairings = {}
    for a, b in itertools.combinations(range(views), 2):
        pose = None if known is None else (known[0][a].T @ known[0][b], known[0][a].T @ (known[1][b] - known[1][a]))
        pairings[a, b] = _pair(own[a], own[b], starts, random, pose)
    R, t, apart = _chain(pairings, views)
    if known is not None:
        R, t = known[0][0].T @ known[0], (known[1] - known[1][0]) @ known[0][0]
    owners = _follow(own, R, t, slots, times, apart)
    swaps = [_count_swaps(owner, slots) for owner in owners]
    return People(owners, R, t, pairings, swaps, apart)


def _in_slots(track: Track, starts: Int[np.ndarray, " s"]) -> _Slots:
    shown = track.present
    centred = track.lifted - track.lifted.mean(1, keepdims=True)
    bounds = [*starts, len(shown)]
    roots, there = np.full((len(starts), 3), np.nan), np.zeros(len(starts), bool)
    for slot, (first, end) in enumerate(itertools.pairwise(bounds)):
        rows = first + np.flatnonzero(shown[first:end])
        if len(rows):
            roots[slot], there[slot] = np.median(track.root[rows], axis=0), True
    return _Slots(np.where(shown[:, None, None], centred, 0.0), shown, roots, there)


def _statistics(a: _Slots, b: _Slots, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each slot: the covariance of both poses, the sum of their squares, and the number of joints."""
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


def _count_apart(off: Float[np.ndarray, "*n 3"], between: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, " *n"]:
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


def _pair(
    a: Sequence[_Slots],
    b: Sequence[_Slots],
    starts: np.ndarray,
    random: Generator,
    known: tuple[np.ndarray, np.ndarray] | None,
) -> Pairing:
    """The rotation and translation between two views under which most tracks agree, or those that are known."""
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
        return np.where(met, apart / _POSE**2 + np.nan_to_num(_count_apart(between - t, between)), np.inf)

    def matched(R: np.ndarray, t: np.ndarray) -> tuple[float, np.ndarray]:
        """Support, and which tracks agree in each slot."""
        gains = np.maximum(1 - costs(R, t) / _APART, 0.0)
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
    stretch = max(1, round(_STRETCH / _SLOT))
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


def _chain(pairings: dict[tuple[int, int], Pairing], views: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Poses in the first view's frame along the pairs with the most support, and the views without any."""
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


def _follow(
    own: Sequence[Sequence[_Slots]],
    R: np.ndarray,
    t: np.ndarray,
    slots: np.ndarray,
    times: np.ndarray,
    apart: Sequence[int],
) -> list[Int[np.ndarray, "t p"]]:
    """The tracks of each person at each time."""
    starts = np.searchsorted(slots, np.arange(slots[-1] + 1))
    bounds = [*starts, len(slots)]
    people: list[dict[int, dict[int, int]]] = []  # for each person: slot -> view -> track
    last: list[tuple[int, np.ndarray]] = []  # slot and place
    for slot in range(len(starts)):
        rows = slice(bounds[slot], bounds[slot + 1])
        clusters = _cluster(own, R, t, slot, rows, apart)
        pairs = []
        for index, (members, place) in enumerate(clusters):
            for person, (before, was) in enumerate(last):
                gap = (slot - before) * _SLOT
                far = np.linalg.norm(place - was) / (_STEP + _PACE * max(gap - _SLOT, 0.0))
                shared = sum(people[person][before].get(view) == track for view, track in members.items())
                elsewhere = sum(
                    view in members and members[view] != track for view, track in people[person][before].items()
                )
                cost = far - shared + 0.5 * elsewhere
                if shared or far < 2:
                    pairs.append((cost, index, person))
        taken: dict[int, int] = {}
        for _, index, person in sorted(pairs):
            if index not in taken and person not in taken.values():
                taken[index] = person
        for index, (members, place) in enumerate(clusters):
            person = taken.get(index, len(people))
            if person == len(people):
                people.append({})
                last.append((slot, place))
            people[person][slot] = members
            last[person] = (slot, place)
    least = max(1, round(_SHORTEST / _SLOT))
    kept = [person for person in people if len(person) >= least] or people
    found = [np.full((len(slots), len(kept)), -1) for _ in own]
    for person, appearances in enumerate(kept):
        for slot, members in appearances.items():
            rows = slice(bounds[slot], bounds[slot + 1])
            for view, track in members.items():
                found[view][rows, person] = np.where(own[view][track].shown[rows], track, -1)
    return found


def _cluster(
    own: Sequence[Sequence[_Slots]],
    R: np.ndarray,
    t: np.ndarray,
    slot: int,
    rows: slice,
    apart: Sequence[int],
) -> list[tuple[dict[int, int], np.ndarray]]:
    """The people of one slot: their track in each view, and their mean place."""
    nodes = [
        (view, number)
        for view, tracks in enumerate(own)
        for number, track in enumerate(tracks)
        if track.there[slot] and view not in apart
    ]
    places = [R[view] @ own[view][number].roots[slot] + t[view] for view, number in nodes]
    edges = []
    for x, (view, number) in enumerate(nodes):
        for y in range(x + 1, len(nodes)):
            other, track = nodes[y]
            if other == view:
                continue
            a, b = own[view][number], own[other][track]
            both = a.shown[rows] & b.shown[rows]
            if both.any():
                turned = a.poses[rows][both] @ R[view].T - b.poses[rows][both] @ R[other].T
                pose = float((turned**2).sum(-1).mean()) / _POSE**2
                off = places[x] - places[y]
                cost = pose + float(_count_apart(off[None], (off + t[other] - t[view])[None])[0])
                if cost < _APART:
                    edges.append((cost, x, y))
    group = list(range(len(nodes)))
    for _, x, y in sorted(edges):
        if group[x] == group[y]:
            continue
        views = [[nodes[k][0] for k in range(len(nodes)) if group[k] == group[end]] for end in (x, y)]
        if not set(views[0]) & set(views[1]):
            old = group[y]
            group = [group[x] if mark == old else mark for mark in group]
    found = []
    for mark in dict.fromkeys(group):
        inside = [k for k in range(len(nodes)) if group[k] == mark]
        found.append(({nodes[k][0]: nodes[k][1] for k in inside}, np.mean([places[k] for k in inside], axis=0)))
    return found


def _count_swaps(owner: Int[np.ndarray, "t p"], slots: np.ndarray) -> int:
    """Times at which a person's track changes to one that had been somebody else's."""
    swaps = 0
    for person in range(owner.shape[1]):
        known = np.flatnonzero(owner[:, person] >= 0)
        for before, after in itertools.pairwise(known):
            new = owner[after, person]
            if new != owner[before, person] and (np.delete(owner[:after], person, 1) == new).any():
                swaps += 1
    return swaps
