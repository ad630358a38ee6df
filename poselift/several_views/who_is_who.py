"""Who is who across views, by lifted pose and place.

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
from jaxtyping import Float, Int
from numpy.random import default_rng

from poselift.several_views.observations import ViewTrack
from poselift.several_views.view_pairs import (
    APART,
    POSE,
    SLOT,
    Pairing,
    Slots,
    chain_views,
    count_apart,
    in_slots,
    pair_views,
)

_STEP, _PACE = 0.5, 1.5
"""Distance from slot to slot, metres, that weighs as much as one view's number; metres a second that people may go."""

_SHORTEST = 0.5
"""Seconds of the shortest appearance of a person."""


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


def find_people(
    tracks: Sequence[Sequence[ViewTrack]],
    times: Float[np.ndarray, " t"],
    known: tuple[Float[np.ndarray, "v 3 3"], Float[np.ndarray, "v 3"]] | None = None,
) -> People:
    """Who is who in all views, and the cameras' relations.

    Args:
        tracks: of each view, at the shared times.
        times: seconds, increasing.
        known: rotations and places of the cameras in any one frame; found from the people if None.
    """
    random = default_rng(0)  # of the parts of tracks that are tried
    views = len(tracks)
    slots = np.floor((times - times[0]) / SLOT).astype(int)
    starts = np.searchsorted(slots, np.arange(slots[-1] + 1))
    own = [[in_slots(track, starts) for track in view] for view in tracks]
    pairings = {}
    for a, b in itertools.combinations(range(views), 2):
        pose = None if known is None else (known[0][a].T @ known[0][b], known[0][a].T @ (known[1][b] - known[1][a]))
        pairings[a, b] = pair_views(own[a], own[b], starts, random, pose)
    R, t, apart = chain_views(pairings, views)
    if known is not None:
        R, t = known[0][0].T @ known[0], (known[1] - known[1][0]) @ known[0][0]
    owners = _follow(own, R, t, slots, apart)
    swaps = [_count_swaps(owner) for owner in owners]
    return People(owners, R, t, pairings, swaps, apart)


def _follow(
    own: Sequence[Sequence[Slots]],
    R: np.ndarray,
    t: np.ndarray,
    slots: np.ndarray,
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
                gap = (slot - before) * SLOT
                far = np.linalg.norm(place - was) / (_STEP + _PACE * max(gap - SLOT, 0.0))
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
    least = max(1, round(_SHORTEST / SLOT))
    kept = [person for person in people if len(person) >= least] or people
    found = [np.full((len(slots), len(kept)), -1) for _ in own]
    for person, appearances in enumerate(kept):
        for slot, members in appearances.items():
            rows = slice(bounds[slot], bounds[slot + 1])
            for view, track in members.items():
                found[view][rows, person] = np.where(own[view][track].shown[rows], track, -1)
    return found


def _cluster(
    own: Sequence[Sequence[Slots]],
    R: np.ndarray,
    t: np.ndarray,
    slot: int,
    rows: slice,
    apart: Sequence[int],
) -> list[tuple[dict[int, int], np.ndarray]]:
    """A slot's people: each view's track, and their mean place."""
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
                pose = float((turned**2).sum(-1).mean()) / POSE**2
                off = places[x] - places[y]
                cost = pose + float(count_apart(off[None], (off + t[other] - t[view])[None])[0])
                if cost < APART:
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


def _count_swaps(owner: Int[np.ndarray, "t p"]) -> int:
    """Times at which a person takes over another's track."""
    swaps = 0
    for person in range(owner.shape[1]):
        known = np.flatnonzero(owner[:, person] >= 0)
        for before, after in itertools.pairwise(known):
            new = owner[after, person]
            if new != owner[before, person] and (np.delete(owner[:after], person, 1) == new).any():
                swaps += 1
    return swaps
