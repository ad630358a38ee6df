"""A camera's rotation and zoom in a shot's frames, by links.

What a camera sees far away, or from one place, is a rotation of unit rays. All key frames are solved together: the
links of key frames that lie far apart in time keep errors from adding up. Then each frame is solved against its key
frame. Both are Gauss-Newton steps with robust weights (Triggs et al. 2000, Bundle Adjustment: A Modern Synthesis).

It passes 300 lines because both steps share the rays, their derivatives and the weights, and mean nothing apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.camera_path.background_links import Link, Shot
from poselift.geometry import axis_angle_to_matrix, pixels_to_rays

_REACHES = (4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""Error in reduced pixels at which a point counts a quarter, in each step; points further off drop out."""

_BLOCK = 500
"""Key frames that are solved together, at most."""

_SMALL = 1e-9
"""Added to the curvature along each unknown, as a share of the largest: what no link sees stays."""


@dataclass(frozen=True)
class Lens:
    """Makes rays of pixels.

    Attributes:
        K: intrinsics of the base lens, pixels.
        distortion: k1, k2, p1, p2, k3, or k1 to k4 of a fisheye lens; None for none.
        unit: reduced pixels of an angle of one radian in the picture's middle.
    """

    K: Float[np.ndarray, "3 3"]
    distortion: Float[np.ndarray, " k"] | None
    unit: float

    def plane(self, pixels: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        """Points on the base lens's plane z = 1, or NaN. NaN where the distortion has no inverse."""
        rays: np.ndarray = pixels_to_rays(pixels, self.K.astype(np.float64), self.distortion)[:, :2]
        return rays


@dataclass(frozen=True)
class Points:
    """Points of links, padded to one number for each link.

    Attributes:
        first: index of the frame of `before`.
        second: index of the frame of `after`.
        before: on the plane z = 1 of the base lens.
        after: likewise.
        used: which are points, and not padding.
    """

    first: Int[np.ndarray, " l"]
    second: Int[np.ndarray, " l"]
    before: Float[np.ndarray, "l p 2"]
    after: Float[np.ndarray, "l p 2"]
    used: Bool[np.ndarray, "l p"]

    def rows(self, rows: Bool[np.ndarray, " l"]) -> "Points":
        """The points of some links."""
        return Points(*(getattr(self, name)[rows] for name in ("first", "second", "before", "after", "used")))


def gather_points(links: Sequence[Link], index: dict[int, int], other: dict[int, int], lens: Lens) -> Points:
    """The points of links as arrays.

    Args:
        links: some.
        index: of the first frame of a link, by its number.
        other: of the second frame.
        lens: makes rays of the pixels.
    """
    most = max((len(link.before) for link in links), default=1)
    before, after = np.zeros((len(links), most, 2)), np.zeros((len(links), most, 2))
    used = np.zeros((len(links), most), bool)
    for row, link in enumerate(links):
        pairs = lens.plane(link.before), lens.plane(link.after)
        known = np.isfinite(pairs[0]).all(-1) & np.isfinite(pairs[1]).all(-1)
        count = int(known.sum())
        before[row, :count], after[row, :count], used[row, :count] = pairs[0][known], pairs[1][known], True
    first = np.array([index[link.first] for link in links], int)
    second = np.array([other[link.second] for link in links], int)
    return Points(first, second, before, after, used)


def unit_rays(plane: Float[np.ndarray, "*#n 2"], zoom: Float[np.ndarray, "*#n"]) -> Float[np.ndarray, "... 3"]:
    """Unit rays of base-lens plane points, at a log zoom."""
    rays = np.concatenate([plane, np.broadcast_to(np.exp(zoom)[..., None], (*plane.shape[:-1], 1))], -1)
    return rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def _by_zoom(rays: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 3"]:
    """Derivative of unit rays by the log zoom."""
    return rays[..., 2:] * (np.array([0.0, 0.0, 1.0]) - rays * rays[..., 2:])


def _cross(vectors: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 3 3"]:
    """Matrices of cross products."""
    out = np.zeros((*vectors.shape, 3))
    x, y, z = np.moveaxis(vectors, -1, 0)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -z, y, -x
    return out - np.swapaxes(out, -1, -2)


def weigh(errors: Float[np.ndarray, "*n"], reach: float) -> Float[np.ndarray, "*n"]:
    """Geman-McClure weights: 1 at 0, a quarter at the reach."""
    weights: np.ndarray = 1 / (1 + (errors / reach) ** 2) ** 2
    return weights


def errors_of(
    points: Points, R: Float[np.ndarray, "k 3 3"], zoom: Float[np.ndarray, " k"], lens: Lens
) -> Float[np.ndarray, "l p"]:
    """Distance of each pair of rays, reduced pixels of the base lens. It is infinite for padding."""
    ahead = [
        np.einsum("lab,lpb->lpa", R[rows], unit_rays(plane, zoom[rows][:, None]))
        for rows, plane in ((points.first, points.before), (points.second, points.after))
    ]
    return np.where(points.used, lens.unit * np.linalg.norm(ahead[0] - ahead[1], axis=-1), np.inf)


@dataclass(frozen=True)
class KeyPoses:
    """Rotations and zooms of key frames.

    Attributes:
        R: from each camera to the first one.
        zoom: logarithm of the focal length over that of the base lens.
        curvature: of half the weighted sum of squared errors in reduced pixels, by the common log zoom.
        cost: mean robust cost of a point, 0 to 1 reduced pixel squared.
        points: number of points.
        errors: of the links' points, reduced pixels of the second key frame; infinite for padding.
    """

    R: Float[np.ndarray, "k 3 3"]
    zoom: Float[np.ndarray, " k"]
    curvature: float
    cost: float
    points: int
    errors: Float[np.ndarray, "l p"]


def solve_keys(shot: Shot, lens: Lens, zooms: bool, start: KeyPoses | float = 0.0, focal: bool = False) -> KeyPoses:
    """The poses of all key frames together.

    Args:
        shot: gives the links between key frames; without any, the first guess stays.
        lens: the base lens.
        zooms: whether the focal length changes from frame to frame.
        start: first guess, whose first rotation stays; or the first frame's log zoom, and the guess goes from link to
            link.
        focal: whether the focal length of all frames is found too; else the first frame's stays.
    """
    index = {number: place for place, number in enumerate(shot.keys)}
    guessed = _guess_keys(shot.loops, index, lens, zooms, start) if isinstance(start, float) else (start.R, start.zoom)
    R, zoom = guessed
    if not shot.loops:
        return KeyPoses(R, zoom, 0.0, 0.0, 0, np.zeros((0, 0)))
    points = gather_points(shot.loops, index, index, lens)
    curvature = 0.0
    for first in range(0, len(R), _BLOCK):
        block = np.arange(first, min(first + _BLOCK, len(R)))
        inside = np.maximum(points.first, points.second)
        part = points.rows((inside >= first) & (inside < first + _BLOCK))
        for reach in _REACHES:
            R, zoom, curvature = _step(part, R, zoom, lens, reach, block, zooms, focal and first == 0)
    errors = errors_of(points, R, zoom, lens)
    cost = np.where(points.used, np.minimum(errors, 1.0) ** 2, 0.0).sum() / max(points.used.sum(), 1)
    # Rays of a long lens are close to each other: its own pixels tell how far a zoom that went astray is off.
    own = errors * np.exp(zoom[points.second])[:, None]
    return KeyPoses(R, zoom, curvature, float(cost), int(points.used.sum()), own)


def _step(
    points: Points,
    R: Float[np.ndarray, "k 3 3"],
    zoom: Float[np.ndarray, " k"],
    lens: Lens,
    reach: float,
    block: Int[np.ndarray, " b"],
    zooms: bool,
    focal: bool,
) -> tuple[np.ndarray, np.ndarray, float]:
    """A Gauss-Newton step of a block's key frames. Those before it stay."""
    count = len(block)
    matrix, right = np.zeros((count, count, 4, 4)), np.zeros((count, 4))
    if len(points.first):
        i, j = points.first, points.second
        u, v = unit_rays(points.before, zoom[i][:, None]), unit_rays(points.after, zoom[j][:, None])
        a, b = np.einsum("lxy,lpy->lpx", R[i], u), np.einsum("lxy,lpy->lpx", R[j], v)
        off = lens.unit * (a - b)
        weight = np.where(points.used, weigh(np.linalg.norm(off, axis=-1), reach), 0.0)
        by_i = lens.unit * np.concatenate([-_cross(a), np.einsum("lxy,lpy->lpx", R[i], _by_zoom(u))[..., None]], -1)
        by_j = lens.unit * np.concatenate([_cross(b), -np.einsum("lxy,lpy->lpx", R[j], _by_zoom(v))[..., None]], -1)
        row = {int(key): place for place, key in enumerate(block)}
        at = [np.array([row.get(int(key), -1) for key in keys]) for keys in (i, j)]
        sides = [(at[0], by_i), (at[1], by_j)]
        for here, slopes in sides:
            free = here >= 0
            np.add.at(right, here[free], -np.einsum("lp,lpxa,lpx->la", weight, slopes, off)[free])
            for there, others in sides:
                both = free & (there >= 0)
                products = np.einsum("lp,lpxa,lpxb->lab", weight, slopes, others)
                np.add.at(matrix, (here[both], there[both]), products[both])
    whole = matrix.transpose(0, 2, 1, 3).reshape(4 * count, 4 * count)
    unknowns = _unknowns(count, zooms, focal, fixed=bool(block[0] == 0))
    curved = unknowns.T @ whole @ unknowns
    downhill = unknowns.T @ right.reshape(-1)
    scale = max(float(np.abs(np.diag(curved)).max(initial=0.0)), 1.0)
    change = np.linalg.solve(curved + _SMALL * scale * np.eye(len(curved)), downhill) if len(curved) else downhill
    moved = (unknowns @ change).reshape(count, 4)
    R, zoom = R.copy(), zoom.copy()
    R[block] = axis_angle_to_matrix(moved[:, :3]) @ R[block]
    zoom[block] += np.clip(moved[:, 3], -0.3, 0.3)
    curvature = 0.0
    if focal:  # of the common log zoom, with all other unknowns at their best
        inverse = np.linalg.pinv(curved + _SMALL * scale * np.eye(len(curved)))
        curvature = 1 / max(float(inverse[-1, -1]), 1e-12)
    return R, zoom, curvature


def _unknowns(count: int, zooms: bool, focal: bool, fixed: bool) -> Float[np.ndarray, "n m"]:
    """What each unknown changes: rotations, single zooms, then the common zoom. A fixed first frame stays."""
    own = np.eye(4 * count).reshape(4 * count, count, 4)
    frames = slice(int(fixed), None)
    columns = [own[:, frames, :3].reshape(4 * count, -1)]
    if zooms:
        columns.append(own[:, frames, 3])
    if focal:
        columns.append(own[:, :, 3].sum(1, keepdims=True))
    return np.concatenate(columns, 1)


def guess_turn(link: Link, zoom: float, lens: Lens, zooms: bool) -> tuple[Float[np.ndarray, "3 3"], float]:
    """A link's rotation from second to first, and log zoom.

    A homography of a camera that turns and zooms is D_j R D_i⁻¹ on the plane z = 1, with D = diag(z, z, 1). So R and
    z_j follow from z_i: the third row's length is 1, that of the others z_j.

    Args:
        link: of two frames.
        zoom: log zoom of the first one.
        lens: the base lens.
        zooms: whether the focal length changes; else the second frame's is that of the first.
    """
    K = lens.K.astype(np.float64)
    turn = np.linalg.inv(K) @ link.homography @ K @ np.diag([np.exp(zoom), np.exp(zoom), 1.0])
    if zooms:
        lengths = np.linalg.norm(turn, axis=1)
        zoom = float(np.log(lengths[:2].mean() / lengths[2]))
    left, _, right = np.linalg.svd(np.diag([np.exp(-zoom), np.exp(-zoom), 1.0]) @ turn)
    nearest = left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right
    return nearest.T, zoom


def _guess_keys(
    links: Sequence[Link], index: dict[int, int], lens: Lens, zooms: bool, first: float
) -> tuple[Float[np.ndarray, "k 3 3"], Float[np.ndarray, " k"]]:
    """Key frames' first guess of rotations and zooms, by links.

    The rotations are to the first key frame, the zooms are logarithms; the first one is given.
    """
    R, zoom = np.tile(np.eye(3), (len(index), 1, 1)), np.full(len(index), first)
    known = {0}
    for link in sorted(links, key=lambda link: (index[link.second], -link.agree)):
        i, j = index[link.first], index[link.second]
        if i in known and j not in known:
            turn, zoom[j] = guess_turn(link, float(zoom[i]), lens, zooms)
            R[j] = R[i] @ turn
            known.add(j)
    return R, zoom


@dataclass(frozen=True)
class FramePoses:
    """Rotations and zooms of all frames of a shot.

    Attributes:
        R: from each camera to that of the first frame.
        zoom: logarithm of the focal length over that of the base lens.
        known: frames with a link; the others are interpolated.
        errors: of the links' points, reduced pixels of the frame; infinite for padding.
    """

    R: Float[np.ndarray, "t 3 3"]
    zoom: Float[np.ndarray, " t"]
    known: Bool[np.ndarray, " t"]
    errors: Float[np.ndarray, "l p"]


def solve_frames(shot: Shot, keys: KeyPoses, lens: Lens, zooms: bool) -> FramePoses:
    """The pose of each frame against its key frame.

    Args:
        shot: gives the links.
        keys: poses of its key frames, which stay.
        lens: the base lens.
        zooms: whether the focal length changes from frame to frame.
    """
    frames = shot.end - shot.first
    all_R, all_zoom, known = np.tile(np.eye(3), (frames, 1, 1)), np.zeros(frames), np.zeros(frames, bool)
    places = {number: place for place, number in enumerate(shot.keys)}
    links = [link for link in shot.frames if link.second not in places]
    errors = np.zeros((0, 0))
    if links:
        points = gather_points(
            links, places, {number: number - shot.first for number in range(shot.first, shot.end)}, lens
        )
        i, j = points.first, points.second
        u = np.einsum("lxy,lpy->lpx", keys.R[i], unit_rays(points.before, keys.zoom[i][:, None]))
        guesses = [guess_turn(link, float(keys.zoom[key]), lens, zooms) for link, key in zip(links, i, strict=True)]
        R, zoom = keys.R[i] @ np.array([turn for turn, _ in guesses]), np.array([each for _, each in guesses])
        size = 4 if zooms else 3
        for reach in _REACHES:
            v = unit_rays(points.after, zoom[:, None])
            b = np.einsum("lxy,lpy->lpx", R, v)
            off = lens.unit * (b - u)
            weight = np.where(points.used, weigh(np.linalg.norm(off, axis=-1), reach), 0.0)
            slopes = np.concatenate([-_cross(b), np.einsum("lxy,lpy->lpx", R, _by_zoom(v))[..., None]], -1)
            slopes = lens.unit * slopes[..., :size]
            curved = np.einsum("lp,lpxa,lpxb->lab", weight, slopes, slopes) + 1e-6 * np.eye(size)
            downhill = -np.einsum("lp,lpxa,lpx->la", weight, slopes, off)
            change = np.linalg.solve(curved, downhill[..., None])[..., 0]
            R = axis_angle_to_matrix(change[:, :3]) @ R
            if zooms:
                zoom = zoom + np.clip(change[:, 3], -0.3, 0.3)
        all_R[j], all_zoom[j], known[j] = R, zoom, True
        moved = np.einsum("lxy,lpy->lpx", R, unit_rays(points.after, zoom[:, None]))
        unit = lens.unit * np.exp(zoom)[:, None]
        errors = np.where(points.used, unit * np.linalg.norm(moved - u, axis=-1), np.inf)
    rows = np.array(shot.keys) - shot.first
    all_R[rows], all_zoom[rows], known[rows] = keys.R, keys.zoom, True
    return FramePoses(all_R, all_zoom, known, errors)
