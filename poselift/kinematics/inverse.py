"""Inverse kinematics: joint rotations that follow a motion.

The body has fixed bone lengths. Pelvis, thorax, head and feet are rigid and are aligned with all of their joints. The
other segments point from where the rig's joint is to where the motion's next joint is, so that errors of lengths do not
add up along a limb. `limbs` turns arms and legs about their bones, and `limits` keeps joints within what people can do:
where the motion goes beyond, the limit holds, and the residual says by how much the joints are missed. All frames are
solved at once.
"""

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.core.errors import InputError
from poselift.geometry import umeyama
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.directions import basis, swing, unit
from poselift.kinematics.hinges import LEFT_ARM, LEG, RIGHT_ARM, bend
from poselift.kinematics.joint_limits import BALLS
from poselift.kinematics.rig import Rig, RiggedMotion
from poselift.numerics.times import median_interval
from poselift.skeleton import H36M17
from poselift.structures import Motion

_X, _Y, _Z = np.eye(3)

_RIGID = {
    "pelvis": {"left_hip": 1.0, "right_hip": 1.0, "spine": 0.1},
    "thorax": {"neck_base": 1.0, "spine": 1.0, "left_shoulder": 0.3, "right_shoulder": 0.3},
    "neck_base": dict.fromkeys(("head_top", "nose", "left_eye", "right_eye", "left_ear", "right_ear"), 1.0),
    "left_ankle": {"left_big_toe": 1.0, "left_heel": 1.0},
    "right_ankle": {"right_big_toe": 1.0, "right_heel": 1.0},
}
"""Joints with which each rigid segment is aligned, and their weights. The back bends above the pelvis, and shoulders
rise with the arms: these count less."""


def solve(motion: Motion, *, limits: bool = True) -> RiggedMotion:
    """The motion as rotations of the person's median rig.

    Args:
        motion: of h36m17, or of cmu28 with feet, hands and face. The camera frame is turned by 180 degrees about x,
            which makes Y up for a level camera.
        limits: whether joints keep within their ranges of motion.

    Raises:
        InputError: the skeleton lacks joints of h36m17, or no frame has a pose.
    """
    skeleton = motion.skeleton
    missing = [joint for joint in H36M17.joints if joint not in skeleton.joints]
    if missing or skeleton.joints[0] != "pelvis":
        lacks = ", ".join(missing) or "the pelvis as its first joint"
        raise InputError(f"{skeleton.name} lacks {lacks}; joint rotations need the skeleton h36m17 or cmu28")
    points = points_y_up(motion)
    known = motion.posed
    if not known.any():
        raise InputError(f"person {motion.keypoints.person} has no frame with a pose; choose another person")
    body = FittedRig(points[known], skeleton.joints, skeleton.parent_indices, limits)
    turned = body.solve(median_interval(motion.timestamps))

    frames, joints = len(motion), len(skeleton)
    rotations = np.full((frames, joints, 3, 3), np.nan)
    rotations[known] = turned
    root = np.where(known[:, None], points[:, 0], np.nan)
    rig = Rig(skeleton.joints, skeleton.parent_indices, body.offsets)
    residuals = np.full((frames, joints), np.nan)
    rigged = RiggedMotion(rig, root, rotations, residuals, motion.timestamps, motion.keypoints.person)
    residuals[:] = np.linalg.norm(rigged.positions() - points, axis=-1)
    return rigged


def points_y_up(motion: Motion, joints: Float[np.ndarray, "t j 3"] | None = None) -> np.ndarray:
    """Positions of the joints with Y up, metres; (t, j, 3).

    Args:
        motion: of one person.
        joints: others than those of the motion, relative to the root, metres.
    """
    points = ((motion.joints if joints is None else joints) + motion.root[:, None]).astype(np.float64)
    return points if motion.frame == "world" else points * np.array([1.0, -1.0, -1.0])


class FittedRig:
    """Points of frames with a pose, and the rig fitted to them.

    Args:
        points: metres, Y up; (t, j, 3).
        names: of the joints.
        parents: of the joints.
        limits: whether joints keep within their ranges of motion.
    """

    def __init__(
        self, points: Float[AnyArray, "t j 3"], names: tuple[str, ...], parents: tuple[int, ...], limits: bool = True
    ) -> None:
        self.points = {name: points[:, row] for row, name in enumerate(names)}
        self.names, self.parents = names, parents
        self._limits = BALLS if limits else {}
        self._xp, self._like = array_namespace(points), points
        self.frames = self._anatomical()
        self.rest = {name: self._rest(name) for name in names}
        self.offsets = self._xp.stack([self.rest[name] for name in names])

    def bone(self, start: str, end: str) -> Float[AnyArray, "t 3"]:
        """Vectors from one joint to another."""
        return self.points[end] - self.points[start]

    def solve(self, interval: float | Float[AnyArray, ""]) -> Float[AnyArray, "t s 3 3"]:
        """Rotation of each segment relative to its parent.

        Args:
            interval: seconds between frames.
        """
        xp = self._xp
        at, turned = {"pelvis": self.points["pelvis"]}, {"pelvis": self._align("pelvis")}

        def place(parent: str, *joints: str) -> None:
            for joint in joints:
                at[joint] = at[parent] + rotate(turned[parent], self.rest[joint])

        def aim(start: str, end: str) -> Float[AnyArray, "t 3"]:
            return unit(self.points[end] - at[start])

        def hold(segment: str, base: str) -> None:
            if segment in self._limits:
                free = compose(transpose(turned[base]), turned[segment])
                held = self._limits[segment].hold(free)
                same = xp.all(held == free, axis=(-2, -1))[:, None, None]
                turned[segment] = xp.where(same, turned[segment], compose(turned[base], held))

        place("pelvis", "left_hip", "right_hip", "spine")
        turned["thorax"] = self._align("thorax")
        hold("thorax", "pelvis")
        # The back's turn about itself is half way between pelvis and thorax.
        middle = turned["pelvis"][..., 0] + turned["thorax"][..., 0]
        turned["spine"] = compose(basis(aim("spine", "thorax"), middle), transpose(self._rest_basis(_Y, _X)))
        hold("spine", "pelvis")
        place("spine", "thorax")
        place("thorax", "neck_base", "left_shoulder", "right_shoulder")
        if "neck_base" in self.frames:
            turned["neck_base"] = self._align("neck_base")
        else:
            up = turned["thorax"][..., 1]
            turned["neck_base"] = compose(swing(up, aim("neck_base", "head_top")), turned["thorax"])
        hold("neck_base", "thorax")
        for side, arm in (("left", LEFT_ARM), ("right", RIGHT_ARM)):
            for base, limb, hinge in (("pelvis", "hip knee ankle", LEG), ("thorax", "shoulder elbow wrist", arm)):
                top, middle_joint, end = (f"{side}_{joint}" for joint in limb.split())
                upper, ball = aim(top, middle_joint), self._limits.get(top)
                if ball is not None:
                    upper = ball.limit_direction(turned[base], upper, constant(hinge.along, upper))
                at[middle_joint] = at[top] + upper * xp.linalg.vector_norm(self.rest[middle_joint])
                lower = aim(middle_joint, end)
                turned[top], turned[middle_joint] = bend(turned[base], upper, lower, hinge, interval, ball)
                place(middle_joint, end)
            if f"{side}_ankle" in self.frames:
                turned[f"{side}_ankle"] = self._align(f"{side}_ankle")
                hold(f"{side}_ankle", f"{side}_knee")
            hand, wrist, forearm = f"{side}_hand", f"{side}_wrist", turned[f"{side}_elbow"]
            if hand in self.points:
                turned[wrist] = compose(swing(rotate(forearm, constant(arm.along, forearm)), aim(wrist, hand)), forearm)
        local = []
        for name, parent in zip(self.names, self.parents, strict=True):
            if parent < 0:
                local.append(turned[name])
            elif name in turned:
                local.append(compose(transpose(turned[self.names[parent]]), turned[name]))
            else:  # the end of a limb
                local.append(xp.broadcast_to(constant(np.eye(3), turned["pelvis"]), turned["pelvis"].shape))
        return xp.stack(local, axis=1)

    def _anatomical(self) -> dict[str, AnyArray]:
        """Frames of rigid segments: x left, y up, z ahead. Their own joints give them."""
        bone, axes = self.bone, {}
        axes["pelvis"] = bone("right_hip", "left_hip"), _X, bone("pelvis", "spine"), _Y
        axes["thorax"] = bone("spine", "neck_base"), _Y, bone("right_shoulder", "left_shoulder"), _X
        if self._has("neck_base"):
            axes["neck_base"] = bone("neck_base", "head_top"), _Y, bone("right_ear", "left_ear"), _X
        for side in ("left", "right"):
            ankle, heel, toe = (f"{side}_{joint}" for joint in ("ankle", "heel", "big_toe"))
            if self._has(ankle):
                axes[ankle] = bone(heel, toe), _Z, bone(heel, ankle), _Y
        return {
            joint: compose(basis(first, second), transpose(self._rest_basis(rest_first, rest_second)))
            for joint, (first, rest_first, second, rest_second) in axes.items()
        }

    def _has(self, segment: str) -> bool:
        return set(_RIGID[segment]) <= set(self.points)

    def _rest_basis(self, first: np.ndarray, second: np.ndarray) -> Float[AnyArray, "3 3"]:
        return constant(basis(first, second), self._like)

    def _rest(self, joint: str) -> Float[AnyArray, "3"]:
        """Vector from a joint's parent to the joint in the rest pose."""
        parent = self.parents[self.names.index(joint)]
        if parent < 0:
            return constant(np.zeros(3), self._like)
        start = self.names[parent]
        length = _median(self._xp.linalg.vector_norm(self.bone(start, joint), axis=-1))
        if start in self.frames:
            return unit(self._template(start, joint)) * length
        side = 1.0 if joint.startswith("left") else -1.0
        level = joint.endswith(("elbow", "wrist", "hand"))
        along = _Y if joint in ("thorax", "head_top") else _X * side if level else -_Y
        return constant(along, self._like) * length

    def _template(self, start: str, joint: str) -> Float[AnyArray, "3"]:
        """Median vector between two joints of a rigid segment, in its frame."""
        return _median(rotate(transpose(self.frames[start]), self.bone(start, joint)))

    def _align(self, segment: str) -> Float[AnyArray, "t 3 3"]:
        """Rotation of a rigid segment that fits all of its joints best."""
        xp, joints = self._xp, _RIGID[segment]
        source = xp.stack([self._template(segment, joint) for joint in joints])
        target = xp.stack([self.bone(segment, joint) for joint in joints], axis=1)
        weights = xp.broadcast_to(constant([*joints.values()] * 2, self._like), (target.shape[0], 2 * len(joints)))
        # Each vector with its opposite: the segment turns about its own joint.
        source = xp.concat((source, -source))
        source = xp.broadcast_to(source, (target.shape[0], *source.shape))
        return umeyama(source, xp.concat((target, -target), axis=1), weights, with_scale=False)[1]


def _median(values: Float[AnyArray, "t *c"]) -> Float[AnyArray, "*c"]:
    """The lower median over the first axis. It is the value of some frame."""
    if isinstance(values, np.ndarray):
        return np.sort(values, axis=0)[(len(values) - 1) // 2]
    # Of any number of frames, in a graph.
    last = values.isfinite().sum(0, keepdim=True) - 1
    return values.sort(0).values.gather(0, last // 2)[0]
