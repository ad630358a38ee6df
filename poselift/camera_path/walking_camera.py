"""A camera's path through space, up to scale.

It follows from points of the background, which have their own distances. Each corner of a key frame has an inverse
distance, and is seen in the frames that are linked with the key frame. All poses and distances are solved together by
Levenberg-Marquardt steps with robust weights (Triggs et al. 2000, Bundle Adjustment; inverse distances as in Engel et
al. 2018, Direct Sparse Odometry). With inverse distances of 0 it is the camera that turns on one spot.

It passes 300 lines because the first guess, the poses of single frames and the bundle work on one state.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.camera_path.background_links import Link, Shot
from poselift.camera_path.rotation_bundle import Lens, _cross, unit_rays, weigh
from poselift.geometry import axis_angle_to_matrix
from poselift.geometry.rotations_over_time import interpolate_rotations
from poselift.numerics.times import interpolate

_MOST_FRAMES = 160
"""Frames that are solved together, at most; the others are solved against the points of their key frame."""

_STEP = 6
"""Frames between two that are solved together, if there are not too many."""

_ROUNDS, _REACH = 30, 1.0
"""Steps of the bundle, and the error in reduced pixels at which a point counts a quarter."""

_FAR = np.deg2rad(15)
"""Largest angle between the rotation of an essential matrix and that of a camera that turns: with little parallax it
finds another one."""

_FEWEST = 25
"""Least number of points with a distance that a frame needs."""


@dataclass(frozen=True)
class Walk:
    """A camera's path up to scale.

    Attributes:
        R: rotation from the camera of each frame to that of the first one.
        place: of the camera in the frame of the first one, in units of the median distance of the background.
        known: frames whose pose was found.
        error: median distance of the points from their places, reduced pixels.
        turning_error: of the same points, if the camera only turned.
        share: of the points that agree within a reduced pixel.
    """

    R: Float[np.ndarray, "t 3 3"]
    place: Float[np.ndarray, "t 3"]
    known: Bool[np.ndarray, " t"]
    error: float
    turning_error: float
    share: float


@dataclass(frozen=True)
class _Sight:
    """Points of key frames, seen in other frames.

    Attributes:
        point: number of the point.
        frame: number of the frame that sees it, in the shot.
        ray: unit ray there.
    """

    point: Int[np.ndarray, " m"]
    frame: Int[np.ndarray, " m"]
    ray: Float[np.ndarray, "m 3"]

    def rows(self, rows: np.ndarray) -> "_Sight":
        """Some of them."""
        return _Sight(self.point[rows], self.frame[rows], self.ray[rows])


def solve_walk(shot: Shot, R: Float[np.ndarray, "t 3 3"], times: Float[np.ndarray, " t"], lens: Lens) -> Walk | None:
    """The path; None if too few points are seen.

    Args:
        shot: gives the links.
        R: rotation of each frame, as if the camera turned on one spot: the first guess.
        times: of the frames, seconds.
        lens: of all frames.
    """
    host, corner, sight = _gather(shot, lens)
    if len(sight.point) < 4 * _FEWEST:
        return None
    count = shot.end - shot.first
    keys = np.array(shot.keys) - shot.first
    step = max(_STEP, -(-count // _MOST_FRAMES))
    chosen = np.unique(np.concatenate([keys, np.arange(0, count, step), [count - 1]]))
    seen = np.unique(sight.frame)
    chosen = np.intersect1d(chosen, np.concatenate([keys, seen]))
    state = _start(host, corner, sight.rows(np.isin(sight.frame, chosen)), R, keys)
    if state is None:
        return None
    inside = sight.rows(np.isin(sight.frame, chosen) & state.solved[sight.frame] & (state.rho[sight.point] > 0))
    state = _bundle(state, host, corner, inside, np.flatnonzero(state.solved & np.isin(np.arange(count), chosen)), lens)
    # Every other frame by the points that are known now.
    todo = np.setdiff1d(np.arange(count), chosen)
    found = sight.rows(np.isin(sight.frame, todo) & (state.rho[sight.point] > 0))
    _resect(state, host, corner, found, todo, lens)
    used = sight.rows(state.solved[sight.frame] & (state.rho[sight.point] > 0))
    errors = _errors(state, host, corner, used, lens)
    flat = _State(R, np.zeros((count, 3)), np.zeros_like(state.rho), state.solved)
    turning = _errors(flat, host, corner, used, lens)
    rows = np.flatnonzero(state.solved)
    return Walk(
        interpolate_rotations(state.R[rows], times[rows], times),
        interpolate(state.place[rows], times[rows], times),
        state.solved,
        float(np.median(errors)),
        float(np.median(turning)),
        float((errors < _REACH).mean()),
    )


@dataclass
class _State:
    R: Float[np.ndarray, "t 3 3"]
    place: Float[np.ndarray, "t 3"]
    rho: Float[np.ndarray, " n"]
    solved: Bool[np.ndarray, " t"]


def _gather(shot: Shot, lens: Lens) -> tuple[np.ndarray, np.ndarray, _Sight]:
    """Each point's key frame, unit ray, and observations."""
    links: Sequence[Link] = [*shot.frames, *shot.loops]
    number: dict[tuple[int, int], int] = {}
    hosts: list[int] = []
    corners, points, frames, rays = [], [], [], []
    seen = set()
    for link in links:
        if (link.first, link.second) in seen:
            continue
        seen.add((link.first, link.second))
        before, after = lens.plane(link.before), lens.plane(link.after)
        zeros = np.zeros(len(before))
        before, after = unit_rays(before, zeros), unit_rays(after, zeros)
        for row in np.flatnonzero(np.isfinite(before).all(-1) & np.isfinite(after).all(-1)):
            key = (link.first, int(link.corners[row]))
            if key not in number:
                number[key] = len(hosts)
                hosts.append(link.first - shot.first)
                corners.append(before[row])
            points.append(number[key])
            frames.append(link.second - shot.first)
            rays.append(after[row])
    sight = _Sight(np.array(points, int), np.array(frames, int), np.array(rays).reshape(-1, 3))
    return np.array(hosts, int), np.array(corners).reshape(-1, 3), sight


def _start(host: np.ndarray, corner: np.ndarray, sight: _Sight, R: np.ndarray, keys: np.ndarray) -> _State | None:
    """First guess: widest parallax from the first key frame, then all.

    It begins with the first key frame and the frame with most parallax, and goes on frame by frame.
    """
    count = len(R)
    state = _State(R.copy(), np.zeros((count, 3)), np.zeros(len(host)), np.zeros(count, bool))
    first = int(keys[0])
    own = sight.rows(host[sight.point] == first)
    best, most = -1, 0.0
    for frame in np.unique(own.frame):
        rows = own.frame == frame
        if rows.sum() >= 2 * _FEWEST:
            turned = own.ray[rows] @ R[frame].T
            off = np.linalg.norm(turned - corner[own.point[rows]] @ R[first].T, axis=-1)
            parallax = float(np.median(off)) * np.sqrt(rows.sum())
            if parallax > most:
                best, most = int(frame), parallax
    if best < 0:
        return None
    rows = own.rows(own.frame == best)
    state.solved[[first, best]] = True
    found = _from_essential(corner[rows.point], rows.ray)
    if found is not None and _angle(R[first] @ found[0] @ R[best].T) < _FAR:
        state.R[best] = R[first] @ found[0]
        state.place[best] = R[first] @ found[1]
    else:  # too little parallax for that: all points at one distance
        state.rho[np.unique(rows.point)] = 1.0
        state.solved[best] = False
        _resect(state, host, corner, rows, [best], None)
        state.solved[best] = True
    _triangulate(state, host, corner, sight, first)
    for place, key in enumerate(keys.tolist()):
        if place:
            if not state.solved[key]:
                _resect(
                    state, host, corner, sight.rows((sight.frame == key) & (state.rho[sight.point] > 0)), [key], None
                )
            if not state.solved[key]:
                continue
            later = [each for each in keys[place + 1 :].tolist() if not state.solved[each]][:2]
            for each in later:
                rows = sight.rows((sight.frame == each) & (state.rho[sight.point] > 0))
                _resect(state, host, corner, rows, [each], None)
            _triangulate(state, host, corner, sight, key)
        linked = np.unique(sight.frame[host[sight.point] == key])
        todo = [frame for frame in linked.tolist() if not state.solved[frame]]
        _resect(state, host, corner, sight.rows(np.isin(sight.frame, todo) & (state.rho[sight.point] > 0)), todo, None)
        _triangulate(state, host, corner, sight, key)
    return state


def _from_essential(
    before: Float[np.ndarray, "n 3"], after: Float[np.ndarray, "n 3"]
) -> tuple[Float[np.ndarray, "3 3"], Float[np.ndarray, "3"]] | None:
    """The second camera's rotation and place at distance 1 (Nister 2004). The frame is that of the first camera."""
    flat = [(rays[:, :2] / rays[:, 2:]).astype(np.float64) for rays in (before, after)]
    E, _ = cv2.findEssentialMat(flat[0], flat[1], np.eye(3), cv2.USAC_MAGSAC, 0.999, 2e-3)
    if E is None or E.shape != (3, 3):
        return None
    _, turn, shift, _ = cv2.recoverPose(np.asarray(E), flat[0], flat[1], np.eye(3))  # after = turn before + shift
    return turn.T, -turn.T @ shift[:, 0]


def _angle(R: Float[np.ndarray, "3 3"]) -> float:
    """Angle of a rotation, radians."""
    return float(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1)))


def _triangulate(state: _State, host: np.ndarray, corner: np.ndarray, sight: _Sight, key: int) -> None:
    """Inverse distances of a key frame's points, from solved frames."""
    rows = sight.rows((host[sight.point] == key) & state.solved[sight.frame])
    base = state.place[key] - state.place[rows.frame]
    seen = np.einsum("mxy,my->mx", state.R[rows.frame], rows.ray)
    ahead = np.einsum("xy,my->mx", state.R[key], corner[rows.point])
    # ahead + rho base is along seen: (ahead + rho base) x seen = 0.
    a, b = np.cross(ahead, seen), np.cross(base, seen)
    top, bottom = np.zeros(len(host)), np.zeros(len(host))
    np.add.at(top, rows.point, -(a * b).sum(-1))
    np.add.at(bottom, rows.point, (b * b).sum(-1))
    points = np.unique(rows.point)
    known = points[bottom[points] > 1e-10]
    state.rho[known] = np.maximum(top[known] / bottom[known], 1e-3)


def _resect(
    state: _State,
    host: np.ndarray,
    corner: np.ndarray,
    sight: _Sight,
    frames: Sequence[int] | np.ndarray,
    lens: Lens | None,
) -> None:
    """Poses of frames against points whose distances are known."""
    unit = 400.0 if lens is None else lens.unit
    for frame in frames:
        rows = sight.rows(sight.frame == frame)
        if len(rows.point) < _FEWEST:
            continue
        hosts = host[rows.point]
        R = state.R[frame].copy()
        near = np.flatnonzero(state.solved)
        place = state.place[near[np.abs(near - frame).argmin()]].copy()
        ahead = np.einsum("mxy,my->mx", state.R[hosts], corner[rows.point])
        rho = state.rho[rows.point][:, None]
        for reach in (16.0, 16.0, 8.0, 8.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0):
            a = ahead + rho * (state.place[hosts] - place)
            length = np.linalg.norm(a, axis=-1, keepdims=True)
            way = a / length
            b = rows.ray @ R.T
            off = unit * (way - b)
            weight = weigh(np.linalg.norm(off, axis=-1), reach)
            along = (np.eye(3) - way[:, :, None] * way[:, None]) / length[..., None]
            slopes = unit * np.concatenate([_cross(b), -rho[..., None] * along], -1)
            curved = np.einsum("m,mxa,mxb->ab", weight, slopes, slopes)
            downhill = -np.einsum("m,mxa,mx->a", weight, slopes, off)
            change = np.linalg.solve(curved + 1e-6 * np.trace(curved) * np.eye(6), downhill)
            R, place = axis_angle_to_matrix(change[None, :3])[0] @ R, place + change[3:]
        if weigh(np.linalg.norm(off, axis=-1), 1.0).sum() >= 0.3 * len(off):
            state.R[frame], state.place[frame], state.solved[frame] = R, place, True


def _errors(state: _State, host: np.ndarray, corner: np.ndarray, sight: _Sight, lens: Lens) -> np.ndarray:
    """Distances of the points from their places, reduced pixels."""
    hosts = host[sight.point]
    a = np.einsum("mxy,my->mx", state.R[hosts], corner[sight.point])
    a = a + state.rho[sight.point][:, None] * (state.place[hosts] - state.place[sight.frame])
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    b = np.einsum("mxy,my->mx", state.R[sight.frame], sight.ray)
    errors: np.ndarray = lens.unit * np.linalg.norm(a - b, axis=-1)
    return errors


def _bundle(
    state: _State, host: np.ndarray, corner: np.ndarray, sight: _Sight, frames: np.ndarray, lens: Lens
) -> _State:
    """All poses and distances together; the first frame stays."""
    row = np.full(len(state.R), -1)
    row[frames] = np.arange(len(frames))
    count, damping = len(frames), 1e-3
    reach = 3.0
    for turn in range(_ROUNDS):
        reach = max(_REACH, reach * 0.8)
        hosts = host[sight.point]
        ahead = np.einsum("mxy,my->mx", state.R[hosts], corner[sight.point])
        rho = state.rho[sight.point][:, None]
        base = state.place[hosts] - state.place[sight.frame]
        a = ahead + rho * base
        length = np.linalg.norm(a, axis=-1, keepdims=True)
        way = a / length
        b = np.einsum("mxy,my->mx", state.R[sight.frame], sight.ray)
        off = lens.unit * (way - b)
        error = np.linalg.norm(off, axis=-1)
        weight = weigh(error, reach)
        along = lens.unit * (np.eye(3) - way[:, :, None] * way[:, None]) / length[..., None]
        by_host = np.concatenate([-along @ _cross(ahead), rho[..., None] * along], -1)
        by_frame = np.concatenate([lens.unit * _cross(b), -rho[..., None] * along], -1)
        by_rho = np.einsum("mxy,my->mx", along, base)
        blocks, right = np.zeros((count, count, 6, 6)), np.zeros((count, 6))
        sides = ((row[hosts], by_host), (row[sight.frame], by_frame))
        for here, slopes in sides:
            np.add.at(right, here, -np.einsum("m,mxa,mx->ma", weight, slopes, off))
            for there, others in sides:
                np.add.at(blocks, (here, there), np.einsum("m,mxa,mxb->mab", weight, slopes, others))
        matrix = blocks.transpose(0, 2, 1, 3).reshape(6 * count, 6 * count)
        own, down = np.zeros(len(host)), np.zeros(len(host))
        np.add.at(own, sight.point, weight * (by_rho**2).sum(-1))
        np.add.at(down, sight.point, -weight * (by_rho * off).sum(-1))
        points = np.unique(sight.point)
        index = np.full(len(host), -1)
        index[points] = np.arange(len(points))
        mixed = np.zeros((len(points), count, 6))
        for here, slopes in sides:
            np.add.at(mixed, (index[sight.point], here), weight[:, None] * np.einsum("mx,mxa->ma", by_rho, slopes))
        crossed = mixed.reshape(len(points), -1)
        held = own[points] * (1 + damping) + 1e-6
        small = matrix + damping * np.diag(np.diag(matrix)) - crossed.T @ (crossed / held[:, None])
        side = right.reshape(-1) - crossed.T @ (down[points] / held)
        free = slice(6, None)
        change = np.zeros(6 * count)
        scale = np.abs(np.diag(small)).max()
        change[free] = np.linalg.solve(small[free, free] + 1e-10 * scale * np.eye(6 * count - 6), side[free])
        moved = change.reshape(count, 6)
        closer = (down[points] - crossed @ change) / held
        new = _State(state.R.copy(), state.place.copy(), state.rho.copy(), state.solved)
        new.R[frames] = axis_angle_to_matrix(moved[:, :3]) @ new.R[frames]
        new.place[frames] += moved[:, 3:]
        new.rho[points] = np.maximum(new.rho[points] + closer, 1e-4)
        before = _cost(error, reach)
        after = _cost(_errors(new, host, corner, sight, lens), reach)
        if after <= before:
            state, damping = new, max(damping / 5, 1e-6)
            if turn > 8 and before - after < 1e-5 * before:
                break
        else:
            damping = min(damping * 8, 1e3)
    # The unit of length is the median distance.
    unit = float(np.median(state.rho[np.unique(sight.point)]))
    return _State(state.R, (state.place - state.place[frames[0]]) * unit, state.rho / unit, state.solved)


def _cost(errors: np.ndarray, reach: float) -> float:
    """The robust cost."""
    squared = (errors / reach) ** 2
    return float((squared / (1 + squared)).sum())
