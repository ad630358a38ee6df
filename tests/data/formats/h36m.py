"""Human3.6M's files in each of its layouts, small and of our own motion, as the field's code would write them.

Each `write_...` makes the whole tree: seven subjects, two takes of fifteen actions, four cameras. `some` limits the
takes: the first ones, or those of these names. `frames` is the length of the first take; the others are up to two
frames longer, so that no two lengths can be mistaken. The pixels come from formulas written down here a second time,
in the form in which the dataset's own MATLAB code has them.
"""

import itertools
import pickle
from functools import cache
from pathlib import Path

import numpy as np

from poselift.data.h36m import ACTIONS
from poselift.data.h36m_cameras import _EXTRINSICS, _INTRINSICS
from poselift.data.synthetic import synthetic_corpus
from poselift.skeleton import CMU28, H36M32

TRAIN, TEST = ("S1", "S5", "S6", "S7", "S8"), ("S9", "S11")
CAMERAS = ("54138969", "55011271", "58860488", "60457274")
MOVING = (0, 1, 2, 3, 6, 7, 8, 12, 13, 14, 15, 17, 18, 19, 25, 26, 27)
"""The 17 joints of the 32, by index, as the field's code lists them."""


FEW = ("Directions", "Directions 1", "Sitting", "Photo 1", "WalkDog")
"""Takes that show what there is to see: a corrupted video, second takes and actions with two names."""
_TAKES = [f"{action}{number}" for action in ACTIONS for number in ("", " 1")]


def takes(subject, corrupted=False, some=None):
    """Names of a subject's takes. S11's Directions, whose video is corrupted, is among them only if `corrupted`."""
    names = _TAKES[1:] if subject == "S11" and not corrupted else _TAKES
    return [name for name in names if name in some] if isinstance(some, tuple) else names[:some]


def motion(frames, subject, take):
    """Thirty-two joints in the world, Z up, metres, float32: (frames or up to two more, 32, 3)."""
    number = _TAKES.index(take)
    return _person(frames + 2, number % 8 + 10 * (TRAIN + TEST).index(subject))[: frames + number % 3]


@cache
def _person(frames, seed):
    corpus = synthetic_corpus(clips=1, frames=frames, seed=seed)
    points = (corpus.joints + corpus.root[:, None]).numpy()
    points = np.stack((points[..., 0], -points[..., 2], points[..., 1]), -1)
    joints = np.empty((frames, 32, 3), np.float32)
    parents = H36M32.parent_indices
    for joint in H36M32.topological_order:
        name = H36M32.joints[joint]
        known = name in CMU28.joints
        joints[:, joint] = points[:, CMU28.index(name)] if known else joints[:, parents[joint]] + 0.05
    return joints


def camera_frame(world, subject, camera):
    """Points in the camera frame, metres: the inverse rotation by the quaternion, by its product with the vector."""
    quaternion, place = _EXTRINSICS[subject][CAMERAS.index(camera)]
    w, axis = quaternion[0], -np.array(quaternion[1:])
    moved = world.astype(np.float64) - np.array(place) / 1000
    across = np.cross(axis, moved)
    return moved + 2 * (w * across + np.cross(axis, across))


def pixels(points, camera):
    """Where points of the camera frame appear, as Human3.6M's MATLAB code has it, with p first down, then across."""
    _, f, c, k, (p2, p1) = _INTRINSICS[camera]
    x, y = points[..., 0] / points[..., 2], points[..., 1] / points[..., 2]
    r2 = x**2 + y**2
    radial = 1 + k[0] * r2 + k[1] * r2**2 + k[2] * r2**3
    tangential = p1 * y + p2 * x
    u = x * (radial + tangential) + p2 * r2
    v = y * (radial + tangential) + p1 * r2
    return np.stack((f[0] * u + c[0], f[1] * v + c[1]), -1)


def write_h36m(folder, frames=60, extra=3, some=None):
    """VideoPose3D's layout: poses, exact 2D and detections that are `extra` frames longer than the poses."""
    folder = Path(folder)
    random = np.random.default_rng(0)
    world = {
        subject: {take: motion(frames, subject, take) for take in takes(subject, some=some)}
        for subject in (*TRAIN, *TEST)
    }
    exact = {
        subject: {
            take: [pixels(camera_frame(points[:, MOVING], subject, camera), camera) for camera in CAMERAS]
            for take, points in clips.items()
        }
        for subject, clips in world.items()
    }

    def detected(clip):
        longer = np.concatenate((clip, np.repeat(clip[-1:], extra, 0)))
        return (longer + random.normal(0, 3, longer.shape)).astype(np.float32)

    def each(change):
        return {
            subject: {take: [change(clip) for clip in cameras] for take, cameras in clips.items()}
            for subject, clips in exact.items()
        }

    symmetry = [[4, 5, 6, 11, 12, 13], [1, 2, 3, 14, 15, 16]]
    of_gt = {"num_joints": 17, "keypoints_symmetry": symmetry}
    of_cpn = {"layout_name": "h36m", **of_gt}
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "data_3d_h36m.npz", positions_3d=world)
    write_h36m_2d(folder, "gt", each(np.float32), of_gt)
    write_h36m_2d(folder, "cpn_ft_h36m_dbb", each(detected), of_cpn)


def write_h36m_2d(folder, name, positions, metadata):
    """One file of 2D in VideoPose3D's layout."""
    np.savez(Path(folder) / f"data_2d_h36m_{name}.npz", positions_2d=positions, metadata=metadata)


def image_frame(points, camera):
    """The joints in pixels with depth in pixels, and mm a pixel, of (t, 17, 3) points in mm of the camera frame.

    Depth is scaled as a square of 2 m at the pelvis is, whose width in pixels is counted with both its ends.
    """
    (_, f, c, _, _) = _INTRINSICS[camera]
    seen = np.empty_like(points)
    seen[..., :2] = points[..., :2] / points[..., 2:] * np.array(f) + np.array(c)
    pelvis = points[:, 0]
    left = f[0] * (pelvis[:, 0] - 1000) / pelvis[:, 2] + c[0]
    right = f[0] * (pelvis[:, 0] + 1000) / pelvis[:, 2] + c[0]
    ratio = (right - left + 1) / 2000
    seen[..., 2] = ratio[:, None] * (points[..., 2] - points[:, :1, 2])
    return seen, 1 / ratio


def write_h36m_motionbert(folder, frames=40, some=None):
    """MotionBERT's layout; S11's Directions is in it."""
    random = np.random.default_rng(0)
    data = {}
    for split, subjects in (("train", TRAIN), ("test", TEST)):
        columns = {key: [] for key in ("joint_2d", "confidence", "joint3d_image", "camera_name", "source")}
        columns |= {key: [] for key in ("action", "2.5d_factor", "joints_2.5d_image")} if split == "test" else {}
        for subject in subjects:
            for take in takes(subject, True, some):
                number = _TAKES.index(take)
                world = motion(frames, subject, take)[:, MOVING]
                for index, camera in enumerate(CAMERAS):
                    points = 1000 * camera_frame(world, subject, camera)
                    image, factor = image_frame(points, camera)
                    source = f"s_{int(subject[1:]):02d}_act_{number // 2 + 2:02d}_subact_{number % 2 + 1:02d}"
                    count = len(points)
                    rows = {
                        "joint_2d": pixels(points, camera) + random.normal(0, 3, (count, 17, 2)),
                        "confidence": random.uniform(0.3, 1, (count, 17)),
                        "joint3d_image": image,
                        "camera_name": [camera] * count,
                        "source": [f"{source}_ca_{index + 1:02d}"] * count,
                        "action": [ACTIONS[number // 2]] * count,
                        "2.5d_factor": factor,
                        "joints_2.5d_image": image * factor[:, None, None],
                    }
                    for key, column in columns.items():
                        column.append(rows[key])
        data[split] = {
            key: list(itertools.chain(*column))
            if isinstance(column[0], list)
            else np.concatenate(column).astype(np.float32)
            for key, column in columns.items()
        }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "h36m_sh_conf_cam_source_final.pkl").open("wb") as file:
        pickle.dump(data, file)


def write_h36m_mmpose(folder, frames=40, fps=50, some=None):
    """MMPose's layout, at 50 fps with detections of a CPN."""
    random = np.random.default_rng(0)
    annotations, detections = Path(folder) / "annotation_body3d", Path(folder) / "joint_2d_det_files"
    (annotations / f"fps{fps}").mkdir(parents=True, exist_ok=True)
    detections.mkdir(exist_ok=True)
    for split, subjects in (("train", TRAIN), ("test", TEST)):
        names, part, points = [], [], []
        for subject in subjects:
            for take in takes(subject, True, some):
                world = motion(frames, subject, take)[:: 50 // fps, MOVING]
                raw = take.replace("Photo", "TakingPhoto").replace("WalkDog", "WalkingDog").replace(" ", "_")
                for camera in CAMERAS:
                    stem = f"{subject}_{raw}.{camera}"
                    names += [f"{subject}/{stem}/{stem}_{1 + frame * 50 // fps:06d}.jpg" for frame in range(len(world))]
                    points.append(camera_frame(world, subject, camera))
                    part.append(pixels(points[-1], camera))
        part, points = np.concatenate(part), np.concatenate(points)
        seen = np.ones((*part.shape[:2], 1))
        low, high = part.min(1), part.max(1)
        np.savez(
            annotations / f"fps{fps}" / f"h36m_{split}.npz",
            imgname=np.array(names),
            center=(low + high) / 2,
            scale=1.2 * (high - low).max(1) / 200,
            part=np.concatenate((part, seen), -1),
            S=np.concatenate((points, seen), -1),
        )
        if fps != 50:
            continue
        found = np.concatenate((part + random.normal(0, 3, part.shape), 0.9 * seen), -1)
        np.save(detections / f"cpn_ft_h36m_dbb_{split}.npy", found.astype(np.float32))
    cameras = {
        (subject, camera): _mmpose_camera(subject, index, camera)
        for subject in (*TRAIN, *TEST)
        for index, camera in enumerate(CAMERAS)
    }
    with (annotations / "cameras.pkl").open("wb") as file:
        pickle.dump(cameras, file)


def _mmpose_camera(subject, index, camera):
    (width, height), f, c, k, p = _INTRINSICS[camera]
    place = np.array(_EXTRINSICS[subject][index][1]) / 1000
    # The columns of R are the camera's axes in the world.
    axes = [camera_frame(place + np.eye(3)[axis], subject, camera) for axis in range(3)]
    return {
        "R": np.array(axes),
        "T": place[:, None],
        "f": np.array(f)[:, None],
        "c": np.array(c)[:, None],
        "k": np.array(k)[:, None],
        "p": np.array(p[::-1])[:, None],
        "w": width,
        "h": height,
        "name": f"camera{index + 1}",
        "id": camera,
    }


def write_h36m_cdf(folder, frames=4):
    """The official download; half of the subjects call two actions by other names, as in the dataset."""
    from cdflib import cdfwrite

    for number, subject in enumerate((*TRAIN, *TEST)):
        place = Path(folder) / subject / "MyPoseFeatures" / "D3_Positions"
        place.mkdir(parents=True, exist_ok=True)
        for take in takes(subject, corrupted=True):
            name = take
            if number % 2:
                name = take.replace("Photo", "TakingPhoto").replace("WalkDog", "WalkingDog")
            pose = 1000 * motion(frames, subject, take).reshape(1, -1, 96).astype(np.float64)
            file = cdfwrite.CDF(place / f"{name}.cdf", delete=True)
            file.write_var(
                {
                    "Variable": "Pose",
                    "Data_Type": 45,  # CDF_DOUBLE
                    "Num_Elements": 1,
                    "Rec_Vary": True,
                    "Dim_Sizes": list(pose.shape[1:]),
                },
                var_data=pose,
            )
            file.close()
