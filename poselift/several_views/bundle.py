"""Bundle adjustment on people: poses, bodies and cameras.

They fit the keypoints of all views.

The unknowns are the joints of each sample (one person at one time), and what all samples share: rotation, place and
focal length of the cameras, and the lengths of each body's rods. Samples do not see each other, so the normal equations
have a block for each sample and a border; the Schur complement solves the border first (Triggs, McLauchlan, Hartley and
Fitzgibbon, "Bundle adjustment: a modern synthesis", 2000). Four kinds of residuals, each divided by its standard
deviation, the first three with Cauchy weights:

- a joint from its keypoint in each view, as far as it lies beside the ray at the joint's depth;
- a rod from the length that it has in all samples, as a share of it;
- a rod from its direction in each view's lifted pose;
- shared unknowns from what is known of them: focal lengths, and the lengths of the lifter's bodies.

It passes 300 lines because the residuals and the equations that they build are read together.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from poselift.geometry.products import cross_matrix
from poselift.kinematics.whole_body import SIZE
from poselift.several_views.observations import Observations
from poselift.several_views.rods import Rods
from poselift.several_views.shared_unknowns import Known, Shared, UnknownColumns

BESIDE = 0.02
"""Error of a keypoint at the depth of its joint, metres (standard deviation)."""

_AWRY = 0.12
"""Error of a rod's direction in a lifted pose, radians (standard deviation about each axis)."""

_BUILD = 0.05
"""Standard deviation of log(true / lifted) length of a rod, beyond that of the whole body."""

_OUTLIER = 2.5
"""Standard deviations at which a residual counts half."""

_NEAREST = 0.3
"""Least depth of a joint, metres."""


@dataclass(frozen=True)
class Fit:
    """The solution.

    Attributes:
        joints: world frame, metres.
        shared: cameras and bodies.
        covariance: of the free shared unknowns (`UnknownColumns`), as if all residuals were independent.
        joint_covariance: of each joint relative to the first one, given the cameras, metres squared.
        to_shared: change of the joints with the shared unknowns.
        beside: distance of each joint from its ray at its depth, metres; NaN where unseen.
        cost: mean robust cost of a keypoint.
    """

    joints: Float[np.ndarray, "n j 3"]
    shared: Shared
    covariance: Float[np.ndarray, "g g"]
    joint_covariance: Float[np.ndarray, "n j 3 3"]
    to_shared: Float[np.ndarray, "n j 3 g"]
    beside: Float[np.ndarray, "v n j"]
    cost: float


def adjust(
    seen: Observations,
    joints: Float[np.ndarray, "n j 3"],
    shared: Shared,
    known: Known,
    rods: Rods,
    rounds: int = 25,
    lift_weight: float = 1.0,
    weights: Float[np.ndarray, " n"] | None = None,
) -> Fit:
    """The joints, cameras and bodies that fit best.

    Levenberg's and Marquardt's method finds them.

    Args:
        seen: the samples.
        joints: first guess, world frame, metres.
        shared: first guess.
        known: what is known of the shared unknowns.
        rods: of the skeleton.
        rounds: most steps.
        lift_weight: of the lifted poses, against independent errors in each frame.
        weights: of the samples; 1 each if None.
    """
    layout = UnknownColumns(known)
    weights = np.ones(len(seen.people)) if weights is None else weights
    terms = _Terms(seen, known, rods, layout, lift_weight, weights)
    damping, cost = 1e-3, np.inf
    system = terms.build(joints, shared)
    cost = system.cost
    for _ in range(rounds):
        while True:
            moved, change = system.solve(damping)
            there, after = joints + moved, layout.step(shared, change)
            trial = terms.build(there, after)
            if trial.cost <= cost or damping > 1e6:
                break
            damping *= 8
        if trial.cost > cost:
            break
        gain = cost - trial.cost
        joints, shared, system, cost, damping = there, after, trial, trial.cost, max(damping / 6, 1e-9)
        if gain < 1e-5 * cost:
            break
    return system.finish(joints, shared)


@dataclass
class _System:
    """Normal equations around one point."""

    own: np.ndarray
    border: np.ndarray
    corner: Float[np.ndarray, "g g"]
    own_right: np.ndarray
    right: Float[np.ndarray, " g"]
    cost: float
    beside: Float[np.ndarray, "v n j"]
    seen_cost: float

    def solve(self, damping: float) -> tuple[Float[np.ndarray, "n j 3"], Float[np.ndarray, " g"]]:
        """Changes of the joints and of the shared unknowns."""
        own = self.own.copy()
        rows = np.arange(own.shape[1])
        own[:, rows, rows] *= 1 + damping
        solved = np.linalg.solve(own, np.concatenate([self.border, self.own_right[..., None]], -1))
        to_shared, alone = solved[..., :-1], solved[..., -1]
        change = np.zeros(len(self.right))
        if len(change):
            flat = self.border.reshape(-1, len(change))
            schur = self.corner - flat.T @ to_shared.reshape(flat.shape)
            schur[np.diag_indices_from(schur)] += damping * np.diag(self.corner) + 1e-9
            change = np.linalg.solve(schur, self.right - flat.T @ alone.reshape(-1))
        return (alone - to_shared @ change).reshape(len(own), -1, 3), change

    def finish(self, joints: Float[np.ndarray, "n j 3"], shared: Shared) -> Fit:
        """The solution with its covariances."""
        count, j = joints.shape[:2]
        inverse = np.linalg.inv(self.own)
        pairs = inverse.reshape(count, j, 3, j, 3)
        own = pairs[:, np.arange(j), :, np.arange(j)].swapaxes(0, 1)
        cross = pairs[:, :, :, 0].swapaxes(2, 3) if j else pairs[:, :, 0]
        relative = own + own[:, :1] - cross - cross.swapaxes(2, 3)
        to_shared = -inverse @ self.border
        flat = self.border.reshape(count * 3 * j, -1) if self.border.size else np.zeros((count * 3 * j, 0))
        schur = self.corner + flat.T @ to_shared.reshape(flat.shape)
        covariance = np.linalg.pinv(schur, hermitian=True) if len(schur) else schur
        per_joint = to_shared.reshape(count, j, 3, to_shared.shape[-1])
        return Fit(joints, shared, covariance, relative, per_joint, self.beside, self.seen_cost)


class _Terms:
    """Builds the normal equations.

    Args:
        seen: the samples.
        known: what is known beforehand.
        rods: of the skeleton.
        layout: columns of the shared unknowns.
        lift_weight: of the lifted poses.
        weights: of the samples.
    """

    def __init__(
        self,
        seen: Observations,
        known: Known,
        rods: Rods,
        layout: UnknownColumns,
        lift_weight: float,
        weights: Float[np.ndarray, " n"],
    ) -> None:
        self.seen, self.known, self.rods, self.layout, self.lift_weight = seen, known, rods, layout, lift_weight
        self.visible = np.isfinite(seen.plane).all(-1) & (seen.scores > 0)
        self.plane = np.where(self.visible[..., None], seen.plane, 0.0)
        self.present = seen.present
        self.weights = weights
        vectors = rods.vectors(seen.lifted)
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        self.directions = np.where(self.present[:, :, None, None], vectors / np.maximum(lengths, 1e-6), 0.0)
        self.rows = [np.flatnonzero(seen.people == person) for person in range(layout.people)]
        # Residuals are shares of lengths: with metres, a smaller world would fit better.
        self.stiff = np.exp(known.lengths) / rods.spread
        depth = np.where(self.present, seen.roots[..., 2], np.nan)
        median = np.array([np.median(own[np.isfinite(own)]) if np.isfinite(own).any() else 1.0 for own in depth])
        self.depth = np.maximum(np.where(np.isfinite(depth), depth, median[:, None]), _NEAREST)

    def build(self, joints: Float[np.ndarray, "n j 3"], shared: Shared) -> _System:
        """The equations around these unknowns."""
        count, j = joints.shape[:2]
        own = np.zeros((count, j, 3, j, 3))
        border = np.zeros((count, j, 3, self.layout.count))
        corner = np.zeros((self.layout.count,) * 2)
        own_right, right = np.zeros((count, j, 3)), np.zeros(self.layout.count)
        # A very small pull keeps joints solvable that nothing shows.
        index = np.arange(j)
        own[:, index, :, index, :] += 1e-6 * np.eye(3)
        system = _System(own, border, corner, own_right, right, 0.0, np.full(self.visible.shape, np.nan), 0.0)
        for view in range(len(self.plane)):
            self._add_keypoints(system, view, joints, shared)
        self._add_rods(system, joints, shared)
        self._add_known(system, shared)
        x = 3 * j
        return replace(
            system,
            own=own.reshape(count, x, x),
            border=border.reshape(count, x, self.layout.count),
            own_right=own_right.reshape(count, x),
        )

    def _add_keypoints(self, system: _System, view: int, joints: np.ndarray, shared: Shared) -> None:
        R, t, zoom = shared.R[view], shared.t[view], np.exp(shared.zoom[view])
        places = (joints - t) @ R
        depth = np.maximum(places[..., 2], _NEAREST)
        flat = zoom * places[..., :2] / depth[..., None]
        scale = np.broadcast_to(self.depth[view][:, None] / BESIDE, depth.shape)
        # Keypoints that are late show where the joint was; its flow takes them on.
        off = (flat - self.plane[view] - shared.late[view] * self.seen.flow[view]) * scale[..., None]
        size2 = (off**2).sum(-1)
        weights = np.where(self.visible[view], self.seen.scores[view], 0.0) * self.weights[:, None]
        robust = weights / (1 + size2 / _OUTLIER**2)
        cost = float((weights * _OUTLIER**2 * np.log1p(size2 / _OUTLIER**2)).sum())
        system.cost += cost
        system.seen_cost += cost / max(weights.sum(), 1e-9) / len(self.plane)
        system.beside[view] = np.where(self.visible[view], np.sqrt(size2) * BESIDE, np.nan)
        front = places[..., 2] > _NEAREST
        slope = np.zeros((*depth.shape, 2, 3))
        slope[..., 0, 0] = slope[..., 1, 1] = zoom / depth
        slope[..., :, 2] = np.where(front[..., None], -flat / depth[..., None], 0.0)
        slope *= scale[..., None, None]
        to_joint = slope @ R.T
        weighted = robust[..., None, None] * to_joint
        j = np.arange(joints.shape[1])
        system.own[:, j, :, j, :] += (weighted.swapaxes(-1, -2) @ to_joint).swapaxes(0, 1)
        system.own_right -= (weighted * off[..., None]).sum(-2)
        pose, zooming = self.layout.pose(view), self.layout.zoom(view)
        columns: list[int] = []
        parts: list[np.ndarray] = []
        if pose is not None:
            turned = slope @ cross_matrix(places)
            parts += [turned, -to_joint]
            columns += range(pose.start, pose.stop)
        if zooming is not None:
            parts.append((flat * scale[..., None])[..., None])
            columns.append(zooming)
        shifting = self.layout.late(view)
        if shifting is not None:
            parts.append((-self.seen.flow[view] * scale[..., None])[..., None])
            columns.append(shifting)
        if columns:
            to_camera = np.concatenate(parts, -1)
            system.border[..., columns] += weighted.swapaxes(-1, -2) @ to_camera
            heavy = (robust[..., None, None] * to_camera).reshape(-1, len(columns))
            system.corner[np.ix_(columns, columns)] += heavy.T @ to_camera.reshape(heavy.shape)
            system.right[columns] -= heavy.T @ off.reshape(-1)

    def _add_rods(self, system: _System, joints: np.ndarray, shared: Shared) -> None:
        vectors = self.rods.vectors(joints)
        lengths = np.maximum(np.linalg.norm(vectors, axis=-1), 1e-4)
        unit = vectors / lengths[..., None]
        stiff = self.stiff[self.seen.people]
        off = (np.log(lengths) - shared.lengths[self.seen.people]) * stiff
        weights = self.weights[:, None]
        robust = weights / (1 + off**2 / _OUTLIER**2)
        system.cost += float((weights * _OUTLIER**2 * np.log1p(off**2 / _OUTLIER**2)).sum())
        heavy = (robust * stiff / lengths)[..., None] * unit  # residual's slope along the rod, weighted
        along = robust * (stiff / lengths) ** 2
        turning, force = self._add_directions(system, unit, lengths, shared)
        own = turning[..., None, None] * np.eye(3) + (along - turning)[..., None, None] * (
            unit[..., :, None] * unit[..., None, :]
        )
        pull = force - heavy * off[..., None]
        for rod, (a, b) in enumerate(zip(self.rods.starts, self.rods.ends, strict=True)):
            system.own[:, a, :, a, :] += own[:, rod]
            system.own[:, b, :, b, :] += own[:, rod]
            system.own[:, a, :, b, :] -= own[:, rod]
            system.own[:, b, :, a, :] -= own[:, rod]
            system.own_right[:, b] += pull[:, rod]
            system.own_right[:, a] -= pull[:, rod]
        for person in range(self.layout.people if self.layout.bodies else 0):
            rows, first = self.rows[person], self.layout.body(person).start
            stiffness = self.stiff[person]
            for rod, (a, b) in enumerate(zip(self.rods.starts, self.rods.ends, strict=True)):
                tie = stiffness[rod] * heavy[rows, rod]
                system.border[rows, b, :, first + rod] -= tie
                system.border[rows, a, :, first + rod] += tie
            columns = np.arange(first, first + len(self.rods))
            system.corner[columns, columns] += stiffness**2 * robust[rows].sum(0)
            system.right[columns] += stiffness * (robust[rows] * off[rows]).sum(0)

    def _add_directions(
        self,
        system: _System,
        unit: Float[np.ndarray, "n b 3"],
        lengths: Float[np.ndarray, "n b"],
        shared: Shared,
    ) -> tuple[Float[np.ndarray, "n b"], Float[np.ndarray, "n b 3"]]:
        """The equations' terms of the rods' lifted directions. Their stiffness against turns, and their pull."""
        stiff = np.minimum(1 / _AWRY, self.stiff)[self.seen.people]
        total, force = np.zeros(lengths.shape), np.zeros(unit.shape)
        if self.lift_weight == 0:
            return total, force
        for view in range(len(self.plane)):
            turned = self.directions[view] @ shared.R[view].T
            off = (unit - turned) * stiff[..., None]
            size2 = (off**2).sum(-1)
            weights = self.lift_weight * (self.present[view] * self.weights)[:, None]
            robust = weights / (1 + size2 / _OUTLIER**2)
            system.cost += float((weights * _OUTLIER**2 * np.log1p(size2 / _OUTLIER**2)).sum())
            total += robust
            # What lies across the rod: the part of the turned direction along it turns nothing.
            across = turned - (turned * unit).sum(-1, keepdims=True) * unit
            force += robust[..., None] * across
            pose = self.layout.pose(view)
            if pose is not None:
                self._tie_to_turn(
                    system, slice(pose.start, pose.start + 3), view, unit, lengths, stiff, robust, off, shared
                )
        return total * (stiff / lengths) ** 2, force * (stiff**2 / lengths)[..., None]

    def _tie_to_turn(
        self,
        system: _System,
        turn: slice,
        view: int,
        unit: np.ndarray,
        lengths: np.ndarray,
        stiff: np.ndarray,
        robust: np.ndarray,
        off: np.ndarray,
        shared: Shared,
    ) -> None:
        """Adds how a camera's turn changes its lifted rods. R exp(turn) l = R l - R [l]x turn."""
        to_turn = stiff[..., None, None] * (shared.R[view] @ cross_matrix(self.directions[view]))
        weighted = robust[..., None, None] * to_turn
        across = weighted - unit[..., :, None] * (unit[..., None, :] @ weighted)
        tie = (stiff / lengths)[..., None, None] * across
        for rod, (a, b) in enumerate(zip(self.rods.starts, self.rods.ends, strict=True)):
            system.border[:, b, :, turn] += tie[:, rod]
            system.border[:, a, :, turn] -= tie[:, rod]
        flat = to_turn.reshape(-1, 3)
        system.corner[turn, turn] += weighted.reshape(-1, 3).T @ flat
        system.right[turn] -= weighted.reshape(-1, 3).T @ off.reshape(-1)

    def _add_known(self, system: _System, shared: Shared) -> None:
        for view in self.layout.zooming:
            column, weight = self.layout.zoom(view), 1 / self.known.zoom[view] ** 2
            system.corner[column, column] += weight
            system.right[column] -= weight * shared.zoom[view]
            system.cost += float(weight * shared.zoom[view] ** 2)
        for view in self.layout.shifting:
            column, weight = self.layout.late(view), 1 / self.known.late[view] ** 2
            system.corner[column, column] += weight
            system.right[column] -= weight * shared.late[view]
            system.cost += float(weight * shared.late[view] ** 2)
        for person in range(self.layout.people if self.layout.bodies else 0):
            self._add_body(system, person, shared.lengths[person] - self.known.lengths[person])

    def _add_body(self, system: _System, person: int, off: Float[np.ndarray, " b"]) -> None:
        """Adds what is known of a body: size and rods' lengths. A rod's length is relative to the size."""
        columns, rods = self.layout.body(person), self.layout.rods
        mean, variance = float(off.mean()), self.known.size[person] ** 2 + _BUILD**2 / rods
        count, cost = 1.0, mean**2 / variance
        if mean < 0 and self.known.size[person] >= SIZE:
            # Children are lifted as adults, but nobody is a giant: a small body costs as a Cauchy error does.
            count, cost = 1 / (1 + cost), float(np.log1p(cost))
        beside = (np.eye(rods) - 1 / rods) / _BUILD**2
        system.corner[columns, columns] += beside + count / (variance * rods**2)
        system.right[columns] -= beside @ off + count * mean / (variance * rods)
        system.cost += float(off @ beside @ off) + cost
