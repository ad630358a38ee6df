"""Inverse kinematics: joint rotations of a body of fixed bone lengths that follows a motion.

Pelvis, thorax, head and feet are rigid and are aligned with all of their joints. The other segments point from where
the rig's joint is to where the motion's next joint is, so that errors of lengths do not add up along a limb. `limbs`
turns arms and legs about their bones, and `limits` keeps joints within what people can do: where the motion goes
beyond, the limit holds, and the residual says by how much the joints are missed. All frames are solved at once.
"""

from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.geometry import umeyama
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.directions import basis, swing, unit
from poselift.kinematics.hinges import LEFT_ARM, LEG, RIGHT_ARM, bend
from poselift.kinematics.joint_limits import BALLS
from poselift.kinematics.rig import Rig, RiggedMotion
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
    """The motion as rotations of a rig of the person's median bone lengths.

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
    body = _Body(points[known], skeleton.joints, skeleton.parent_indices, limits)
    turned = body.solve(usual_interval(motion.timestamps))

    frames, joints = len(motion), len(skeleton)
    rotations = np.full((frames, joints, 3, 3), np.nan)
    rotations[known] = turned
    root = np.where(known[:, None], points[:, 0], np.nan)
    rig = Rig(skeleton.joints, skeleton.parent_indices, body.offsets)
    residuals = np.full((frames, joints), np.nan)
    rigged = RiggedMotion(rig, root, rotations, residuals, motion.timestamps, motion.keypoints.person)
    residuals[:] = np.linalg.norm(rigged.positions() - points, axis=-1)
    return rigged


def points_y_up(motion: Motion) -> np.ndarray:
    """Positions of the joints with Y up, metres; (t, j, 3)."""
    points = (motion.joints + motion.root[:, None]).astype(np.float64)
    return points if motion.frame == "world" else points * np.array([1.0, -1.0, -1.0])


class _Body:
    """Points of the frames with a pose, and the rig that is fitted to them.

    Args:
        points: metres, Y up; (t, j, 3).
        names: of the joints.
        parents: of the joints.
        limits: whether joints keep within their ranges of motion.
    """

    def __init__(self, points: np.ndarray, names: tuple[str, ...], parents: tuple[int, ...], limits: bool) -> None:
        self.points = dict(zip(names, points.swapaxes(0, 1), strict=True))
        self.names, self.parents = names, parents
        self._limits = BALLS if limits else {}
        self.frames = self._anatomical()
        self.rest = {name: self._rest(name) for name in names}
        self.offsets = np.stack([self.rest[name] for name in names])

    def bone(self, start: str, end: str) -> np.ndarray:
        """Vectors from one joint to another."""
        return self.points[end] - self.points[start]

    def solve(self, interval: float) -> np.ndarray:
        """Rotation of each segment relative to its parent; (t, s, 3, 3)."""
        at, turned = {"pelvis": self.points["pelvis"]}, {"pelvis": self._align("pelvis")}

        def place(parent: str, *joints: str) -> None:
            for joint in joints:
                at[joint] = at[parent] + turned[parent] @ self.rest[joint]

        def aim(start: str, end: str) -> np.ndarray:
            return unit(self.points[end] - at[start])

        def hold(segment: str, base: str) -> None:
            if segment in self._limits:
                free = compose(transpose(turned[base]), turned[segment])
                held = self._limits[segment].hold(free)
                same = (held == free).all((-2, -1), keepdims=True)
                turned[segment] = np.where(same, turned[segment], compose(turned[base], held))

        place("pelvis", "left_hip", "right_hip", "spine")
        turned["thorax"] = self._align("thorax")
        hold("thorax", "pelvis")
        # The back's turn about itself is half way between pelvis and thorax.
        middle = turned["pelvis"][..., 0] + turned["thorax"][..., 0]
        turned["spine"] = compose(basis(aim("spine", "thorax"), middle), transpose(basis(_Y, _X)))
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
                    upper = ball.limit_direction(turned[base], upper, np.array(hinge.along))
                at[middle_joint] = at[top] + upper * np.linalg.norm(self.rest[middle_joint])
                lower = aim(middle_joint, end)
                turned[top], turned[middle_joint] = bend(turned[base], upper, lower, hinge, interval, ball)
                place(middle_joint, end)
            if f"{side}_ankle" in self.frames:
                turned[f"{side}_ankle"] = self._align(f"{side}_ankle")
                hold(f"{side}_ankle", f"{side}_knee")
            hand, wrist, forearm = f"{side}_hand", f"{side}_wrist", turned[f"{side}_elbow"]
            if hand in self.points:
                turned[wrist] = compose(swing(forearm @ np.array(arm.along), aim(wrist, hand)), forearm)
        local = []
        for name, parent in zip(self.names, self.parents, strict=True):
            if parent < 0:
                local.append(turned[name])
            elif name in turned:
                local.append(compose(transpose(turned[self.names[parent]]), turned[name]))
            else:  # the end of a limb
                local.append(np.broadcast_to(np.eye(3), turned["pelvis"].shape))
        return np.stack(local, 1)

    def _anatomical(self) -> dict[str, np.ndarray]:
        """Frames of the rigid segments from their own joints: x to the left, y up, z ahead."""
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
            joint: compose(basis(first, second), transpose(basis(rest_first, rest_second)))
            for joint, (first, rest_first, second, rest_second) in axes.items()
        }

    def _has(self, segment: str) -> bool:
        return set(_RIGID[segment]) <= set(self.points)

    def _rest(self, joint: str) -> np.ndarray:
        """Vector from a joint's parent to the joint in the rest pose."""
        parent = self.parents[self.names.index(joint)]
        if parent < 0:
            return np.zeros(3)
        start = self.names[parent]
        length = _median(np.linalg.norm(self.bone(start, joint), axis=-1))
        if start in self.frames:
            return unit(self._template(start, joint)) * length
        if joint in ("thorax", "head_top"):
            return _Y * length
        side = 1.0 if joint.startswith("left") else -1.0
        along = _X * side if joint.endswith(("elbow", "wrist", "hand")) else -_Y
        return along * length

    def _template(self, start: str, joint: str) -> np.ndarray:
        """Median vector from a rigid segment's joint to another of its joints, in its frame."""
        return _median(rotate(transpose(self.frames[start]), self.bone(start, joint)))

    def _align(self, segment: str) -> np.ndarray:
        """Rotation of a rigid segment that fits all of its joints best."""
        joints = _RIGID[segment]
        source = np.stack([self._template(segment, joint) for joint in joints])
        target = np.stack([self.bone(segment, joint) for joint in joints], 1)
        weights = np.tile([*joints.values()], (len(target), 2))
        # Each vector with its opposite: the segment turns about its own joint.
        source = np.tile(np.concatenate((source, -source)), (len(target), 1, 1))
        return umeyama(source, np.concatenate((target, -target), 1), weights, with_scale=False)[1]


def _median(values: np.ndarray) -> Any:
    """The median over the first axis, the lower one of two: it is the value of some frame."""
    return np.quantile(values, 0.5, axis=0, method="lower")
