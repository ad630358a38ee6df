"""People who walk in a circle under virtual cameras, without a dataset."""

from dataclasses import dataclass, replace

import numpy as np

from poselift.geometry import rotation_x, rotation_y
from poselift.geometry.camera import Camera, camera_for
from poselift.numerics.times import interpolate
from poselift.several_views.view import LiftedView
from poselift.skeleton import CMU28
from poselift.structures import Keypoints2D, Motion

SIZE = (1280, 960)
_REST = {
    "pelvis": (0, 0.95, 0),
    "hip": (0.1, 0.92, 0),
    "knee": (0.1, 0.5, 0.02),
    "ankle": (0.1, 0.08, 0),
    "spine": (0, 1.15, 0),
    "thorax": (0, 1.42, 0),
    "neck_base": (0, 1.5, 0),
    "head_top": (0, 1.7, 0),
    "shoulder": (0.18, 1.42, 0),
    "elbow": (0.2, 1.13, 0),
    "wrist": (0.2, 0.88, 0),
    "big_toe": (0.1, 0.02, 0.18),
    "heel": (0.1, 0.02, -0.05),
    "hand": (0.2, 0.78, 0),
    "nose": (0, 1.58, 0.12),
    "eye": (0.03, 1.62, 0.1),
    "ear": (0.07, 1.6, 0),
}


def walk(times, phase=0.0, centre=(0.0, 0.0), radius=0.9):
    """World places (t, 28, 3) of somebody who walks in a circle and swings arms and legs."""
    places = []
    for joint in CMU28.joints:
        side = 1 if joint.startswith("left_") else -1
        x, y, z = _REST[joint.removeprefix("left_").removeprefix("right_")]
        places.append((side * x, y, z))
    body = np.repeat(np.array(places)[None], len(times), 0)
    swing = 0.6 * np.sin(4.1 * times + phase) + 0.2 * np.sin(1.7 * times)
    for side, sign in (("left", 1), ("right", -1)):
        for top, parts in (("shoulder", ("elbow", "wrist", "hand")), ("hip", ("knee", "ankle", "big_toe", "heel"))):
            angle = sign * swing * (-1 if top == "hip" else 1.3)
            rows = CMU28.indices([f"{side}_{part}" for part in parts])
            start = body[:, [CMU28.index(f"{side}_{top}")]]
            body[:, rows] = np.einsum("tik,tjk->tji", rotation_x(angle), body[:, rows] - start) + start
    turn = 0.8 * times + phase
    body = np.einsum("tik,tjk->tji", rotation_y(turn), body)
    path = np.stack([centre[0] + radius * np.cos(turn), 0 * times, centre[1] - radius * np.sin(turn)], -1)
    return body + path[:, None]


def look_at(place, target):
    forward = (target - place) / np.linalg.norm(target - place)
    right = np.cross(forward, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward], -1)


@dataclass
class Stage:
    times: np.ndarray
    joints: np.ndarray  # people, frames, joints, 3
    cameras: list

    def view(self, index, *, offset=0.0, order=None, known=True, frames=slice(None), name=None, sizes=None):
        """One camera's view; `order` has the number of each person, `sizes` the lifted size over the true one."""
        camera, random = self.cameras[index], np.random.default_rng(index)
        own = (self.times - offset)[(self.times - offset >= 0)][frames]
        lens = replace(camera, R=np.eye(3), t=np.zeros(3)) if known else camera_for(SIZE)
        motions = []
        for person, joints in enumerate(self.joints):
            seen = interpolate(joints, self.times, own + offset)
            local = (seen - camera.t) @ camera.R
            pixels = camera.project(seen) + random.normal(0, 1.0, (*seen.shape[:2], 2))
            number = person + 1 if order is None else order[person]
            keypoints = Keypoints2D(pixels, np.full(pixels.shape[:2], 0.9), own, CMU28, SIZE, number)
            tilt = rotation_x(np.deg2rad(random.normal(0, 4)))
            size = 1.04 if sizes is None else sizes[person]
            relative = size * (local - local[:, :1]) @ tilt.T
            motions.append(
                Motion(
                    relative.astype(np.float32),
                    (size * local[:, 0]).astype(np.float32),
                    own,
                    np.zeros(len(own), bool),
                    CMU28,
                    "camera",
                    keypoints,
                    np.full(relative.shape[:2], 0.08, np.float32),
                    pelvis="spine",
                )
            )
        motions.sort(key=lambda motion: motion.keypoints.person)
        return LiftedView(name or f"view{index}", tuple(motions), lens, (float(own[0]), float(own[-1])))


def make_stage(people=1, seconds=2.0):
    times = np.arange(int(seconds * 30)) / 30
    joints = np.stack([walk(times, 2.0 * person, (1.9 * person, 0.4 * person)) for person in range(people)])
    middle = joints.reshape(-1, 3).mean(0)
    cameras = []
    for angle, height, focal in ((0.0, 1.2, 1150.0), (1.3, 1.6, 1250.0), (2.6, 0.9, 1050.0)):
        place = middle + 5.0 * np.array([np.sin(angle), 0.0, np.cos(angle)])
        place[1] = height
        K = np.array([[focal, 0, 639.5], [0, focal, 479.5], [0, 0, 1]])
        cameras.append(Camera(K, SIZE, R=look_at(place, middle), t=place))
    return Stage(times, joints, cameras)
