"""Clips of 2D keypoints written as the field's programs write them, from what their formats say.

A clip is a list of frames, a frame a list of `Person`; what was not found of a person is NaN with score 0.
The file is long because it has a function for each program; none of them knows of another.
"""

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass

import h5py
import numpy as np
from scipy.io import netcdf_file

from poselift.skeleton import BODY25, BODY25B, COCO17, COCO18, COCO_WHOLEBODY23, HALPE26

SPORTS2D = {
    "pelvis": "Hip",
    "neck_base": "Neck",
    "head_top": "Head",
    "nose": "Nose",
    **{
        f"{side}_{ours}": letter + theirs
        for side, letter in (("right", "R"), ("left", "L"))
        for ours, theirs in {
            "hip": "Hip",
            "knee": "Knee",
            "ankle": "Ankle",
            "big_toe": "BigToe",
            "small_toe": "SmallToe",
            "heel": "Heel",
            "shoulder": "Shoulder",
            "elbow": "Elbow",
            "wrist": "Wrist",
            "eye": "Eye",
            "ear": "Ear",
        }.items()
    },
}
"""Sports2D's names of Halpe's joints."""


@dataclass
class Person:
    points: np.ndarray
    scores: np.ndarray
    number: int | None = None
    box_score: float = 0.9

    @property
    def box(self):
        """x0, y0, x1, y1."""
        return np.concatenate([np.nanmin(self.points, 0), np.nanmax(self.points, 0)]).tolist()

    @property
    def corner(self):
        """x, y, width, height."""
        x0, y0, x1, y1 = self.box
        return [x0, y0, x1 - x0, y1 - y0]

    @property
    def triplets(self):
        """x, y, score; zeros where nothing was found."""
        return np.nan_to_num(np.column_stack([self.points, self.scores]))


def openpose(folder, clip, skeleton, size, fps):
    """One file a frame, numbers with six significant digits; -1 for a person without a number."""
    folder.mkdir()
    for index, frame in enumerate(clip):
        people = [
            {
                "person_id": [-1 if person.number is None else person.number],
                "pose_keypoints_2d": [float(f"{value:.6g}") for value in person.triplets.ravel()],
                "face_keypoints_2d": [],
                "hand_left_keypoints_2d": [],
                "hand_right_keypoints_2d": [],
                "pose_keypoints_3d": [],
            }
            for person in frame
        ]
        (folder / f"clip_{index:012d}_keypoints.json").write_text(json.dumps({"version": 1.3, "people": people}))
    return folder


def alphapose(folder, clip, skeleton, size, fps):
    """`alphapose-results.json` of a video; nothing for a frame with nobody."""
    entries = [
        {
            "image_id": f"{index}.jpg",
            "category_id": 1,
            "keypoints": person.triplets.ravel().tolist(),
            "score": person.box_score,
            "box": person.corner,
            "idx": [0.0] if person.number is None else person.number,
        }
        for index, frame in enumerate(clip)
        for person in frame
    ]
    return _json(folder, "alphapose-results.json", entries)


def alphapose_open(folder, clip, skeleton, size, fps):
    """`--format open`: COCO-17 in the order of COCO-18, the neck between the shoulders."""
    assert skeleton == COCO17
    pictures = {}
    for index, frame in enumerate(clip):
        people = []
        for person in frame:
            triplets = person.triplets
            neck = triplets[COCO17.indices(["left_shoulder", "right_shoulder"])].mean(0)
            ordered = [neck if joint == "mid_shoulders" else triplets[COCO17.index(joint)] for joint in COCO18.joints]
            people.append({"pose_keypoints_2d": np.ravel(ordered).tolist()})
        if people:
            pictures[f"{index}.jpg"] = {"version": "AlphaPose v0.3", "people": people}
    return _json(folder, "alphapose-results.json", pictures)


def alphapose_tracked(folder, clip, skeleton, size, fps):
    """PoseFlow's: the people of each picture."""
    pictures = {
        f"{index}.jpg": [
            {"keypoints": person.triplets.ravel().tolist(), "scores": person.box_score, "idx": person.number}
            for person in frame
        ]
        for index, frame in enumerate(clip)
    }
    return _json(folder, "alphapose-results-forvis-tracked.json", pictures)


def dwpose(folder, clip, skeleton, size, fps):
    """controlnet_aux's list of frames, with the size of the canvas."""
    frames = [
        {
            "people": [
                {"pose_keypoints_2d": person.triplets.ravel().tolist(), "face_keypoints_2d": None} for person in frame
            ],
            "canvas_width": int(size[0]),
            "canvas_height": int(size[1]),
        }
        for frame in clip
    ]
    return _json(folder, "dwpose.json", frames)


def ultralytics(folder, clip, skeleton, size, fps):
    """`Results.to_json()` of each frame."""
    folder.mkdir()
    for index, frame in enumerate(clip):
        people = []
        for person in frame:
            x, y, visible = person.triplets.T.tolist()
            box = dict(zip(("x1", "y1", "x2", "y2"), person.box, strict=True))
            found = {"name": "person", "class": 0, "confidence": person.box_score, "box": box}
            found |= {} if person.number is None else {"track_id": person.number}
            people.append({**found, "keypoints": {"x": x, "y": y, "visible": visible}})
        (folder / f"frame_{index:05d}.json").write_text(json.dumps(people))
    return folder


def mediapipe(folder, clip, skeleton, size, fps):
    """The 33 landmarks of a person as a list per frame."""
    places = {11: "left_shoulder", 12: "right_shoulder", 0: "nose", 2: "left_eye", 5: "right_eye"}
    for first, joint in (
        (7, "ear"),
        (13, "elbow"),
        (15, "wrist"),
        (23, "hip"),
        (25, "knee"),
        (27, "ankle"),
        (29, "heel"),
    ):
        places |= {first: f"left_{joint}", first + 1: f"right_{joint}"}
    places |= {31: "left_big_toe", 32: "right_big_toe"}
    frames = []
    for frame in clip:
        landmarks = [{"x": 0.0, "y": 0.0, "z": 0.0, "visibility": 0.0} for _ in range(33)]
        for place, joint in places.items() if frame else ():
            if joint not in skeleton.joints:
                continue
            x, y, score = frame[0].triplets[skeleton.index(joint)].tolist()
            landmarks[place] |= {"x": x / float(size[0]), "y": y / float(size[1]), "visibility": score}
        frames.append(landmarks if frame else None)
    return _json(folder, "landmarks.json", frames)


def _tracks(clip, skeleton):
    """Points and scores by frame and person; NaN for nobody."""
    people = sorted({person.number for frame in clip for person in frame})
    points = np.full((len(clip), len(people), len(skeleton), 2), np.nan)
    scores = np.full(points.shape[:3], np.nan)
    for index, frame in enumerate(clip):
        for person in frame:
            row = people.index(person.number)
            points[index, row], scores[index, row] = person.points, person.scores
    return [str(number) for number in people], points, scores


def sleap(folder, clip, skeleton, size, fps):
    """The analysis file: (tracks, 2, nodes, frames)."""
    people, points, scores = _tracks(clip, skeleton)
    folder.mkdir()
    with h5py.File(folder / "clip.analysis.h5", "w") as file:
        file["tracks"], file["point_scores"] = points.transpose(1, 3, 2, 0), scores.transpose(1, 2, 0)
        file["node_names"], file["track_names"] = np.array(skeleton.joints, "S"), np.array(people, "S")
        file["track_occupancy"] = np.isfinite(points).any((2, 3)).astype(np.uint8)
    return folder / "clip.analysis.h5"


def movement(folder, clip, skeleton, size, fps):
    """Poses as netCDF 3, which scipy writes."""
    people, points, scores = _tracks(clip, skeleton)
    names = {"space": ["x", "y"], "keypoints": list(skeleton.joints), "individuals": people}
    folder.mkdir()
    with netcdf_file(str(folder / "poses.nc"), "w") as file:
        file.createDimension("time", len(clip))
        file.createVariable("time", "f8", ("time",))[:] = np.arange(len(clip)) / fps
        for name, words in names.items():
            file.createDimension(name, len(words))
            file.createDimension(f"{name}_letters", max(map(len, words)))
            letters = np.array([list(word.ljust(max(map(len, words)), "\0")) for word in words], "S1")
            file.createVariable(name, "c", (name, f"{name}_letters"))[:] = letters
        dims = ("time", "space", "keypoints", "individuals")
        file.createVariable("position", "f8", dims)[:] = points.transpose(0, 3, 2, 1)
        file.createVariable("confidence", "f8", (dims[0], *dims[2:]))[:] = scores.transpose(0, 2, 1)
        file.time_unit = "seconds"
    return folder / "poses.nc"


def coco_results(folder, clip, skeleton, size, fps):
    """A list of what was found."""
    entries = [
        {
            "image_id": index,
            "category_id": 1,
            "keypoints": person.triplets.ravel().tolist(),
            "score": person.box_score,
            "bbox": person.corner,
            **({} if person.number is None else {"track_id": person.number}),
        }
        for index, frame in enumerate(clip)
        for person in frame
    ]
    return _json(folder, "results.json", entries)


def coco_annotations(folder, clip, skeleton, size, fps):
    """Labels: a flag v for each joint, pictures with names and sizes, the joints' names."""
    entries = []
    for index, frame in enumerate(clip):
        for person in frame:
            triplets = person.triplets
            triplets[:, 2] = np.where(triplets[:, 2] > 0, 2, 0)
            entries.append(
                {
                    "id": len(entries) + 1,
                    "image_id": 1000 + index,
                    "category_id": 1,
                    "iscrowd": 0,
                    "num_keypoints": int((triplets[:, 2] > 0).sum()),
                    "keypoints": triplets.ravel().tolist(),
                    "bbox": person.corner,
                    **({} if person.number is None else {"track_id": person.number}),
                }
            )
    images = [
        {"id": 1000 + index, "file_name": f"clip/{index:06d}.jpg", "width": size[0], "height": size[1]}
        for index in range(len(clip))
    ]
    category = {"id": 1, "name": "person", "keypoints": list(skeleton.joints), "skeleton": []}
    return _json(folder, "annotations.json", {"images": images, "annotations": entries, "categories": [category]})


def _instances(frame):
    return [
        {
            "keypoints": person.triplets[:, :2].tolist(),
            "keypoint_scores": person.scores.tolist(),
            "bbox": [person.box],
            "bbox_score": person.box_score,
            **({} if person.number is None else {"track_id": person.number}),
        }
        for person in frame
    ]


def mmpose(folder, clip, skeleton, size, fps):
    """The inferencer's `pred_out_dir` of a video."""
    return _json(folder, "clip.json", [{"frame_id": i, "instances": _instances(f)} for i, f in enumerate(clip)])


def mmpose_demo(folder, clip, skeleton, size, fps):
    """A demo's `--save-predictions`: counts from 1 and has the joints' names."""
    meta = {"dataset_name": "x", "keypoint_id2name": {str(i): joint for i, joint in enumerate(skeleton.joints)}}
    frames = [{"frame_id": i, "instances": _instances(f)} for i, f in enumerate(clip, start=1)]
    return _json(folder, "results_clip.json", {"meta_info": meta, "instance_info": frames})


def _table(clip, skeleton):
    """DeepLabCut's columns and values."""
    people = sorted({person.number for frame in clip for person in frame})
    columns = [
        ("DLC_resnet50", f"individual{number}", joint, coord)
        for number in people
        for joint in skeleton.joints
        for coord in ("x", "y", "likelihood")
    ]
    values = np.full((len(clip), len(people), len(skeleton), 3), np.nan)
    for index, frame in enumerate(clip):
        for person in frame:
            values[index, people.index(person.number)] = np.column_stack([person.points, person.scores])
    values = values.reshape(len(clip), -1)
    return ([column[:1] + column[2:] for column in columns] if len(people) == 1 else columns), values


def deeplabcut_csv(folder, clip, skeleton, size, fps):
    """Three or four rows of header, then a row a frame; empty where there is nothing."""
    columns, values = _table(clip, skeleton)
    levels = (
        ["scorer", "individuals", "bodyparts", "coords"] if len(columns[0]) == 4 else ["scorer", "bodyparts", "coords"]
    )
    folder.mkdir()
    path = folder / "clipDLC_resnet50.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        for level, labels in zip(levels, zip(*columns, strict=True), strict=True):
            writer.writerow([level, *labels])
        for index, row in enumerate(values):
            writer.writerow([index, *("" if np.isnan(value) else repr(float(value)) for value in row)])
    return path


def deeplabcut_h5(folder, clip, skeleton, size, fps):
    """pandas' layout "table": the columns' labels pickled with protocol 0, as PyTables pickles them."""
    columns, values = _table(clip, skeleton)
    pickled = b"(l" + b"".join(
        b"(" + b"".join(b"V%s\n" % label.encode() for label in column) + b"ta" for column in columns
    )
    folder.mkdir()
    path = folder / "clipDLC_resnet50.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("df_with_missing")
        group.attrs["pandas_type"] = np.bytes_(b"frame_table")
        rows = np.zeros(len(values), [("index", "<i8"), ("values_block_0", "<f8", (values.shape[1],))])
        rows["index"], rows["values_block_0"] = np.arange(len(values)), values
        table = group.create_dataset("table", data=rows)
        table.attrs.create("values_block_0_kind", np.bytes_(pickled + b"."))
    return path


def detectron(folder, clip, skeleton, size, fps):
    """VideoPose3D's infer_video_d2.py: objects in an npz, the first of two lists empty, four rows of joints."""
    boxes, keypoints = np.empty((len(clip), 2), object), np.empty((len(clip), 2), object)
    for index, frame in enumerate(clip):
        boxes[index, 0], keypoints[index, 0] = [], []
        boxes[index, 1] = np.array([[*person.box, person.box_score] for person in frame], np.float32) if frame else []
        keypoints[index, 1] = (
            np.array([[*p.triplets[:, :2].T, np.zeros(len(skeleton)), p.scores / 4] for p in frame], np.float32)
            if frame
            else []
        )
    folder.mkdir()
    metadata = {"w": size[0], "h": size[1]}
    np.savez(folder / "clip.mp4.npz", boxes=boxes, segments=[None] * len(clip), keypoints=keypoints, metadata=metadata)
    return folder / "clip.mp4.npz"


def videopose3d_custom(folder, clip, skeleton, size, fps):
    """VideoPose3D's data_2d_custom_*.npz: the one person, without scores."""
    points = np.array([frame[0].points if frame else np.full((len(skeleton), 2), np.nan) for frame in clip])
    metadata = {
        "layout_name": "coco",
        "num_joints": 17,
        "keypoints_symmetry": [[1, 3], [2, 4]],
        "video_metadata": {"clip.mp4": {"w": size[0], "h": size[1]}},
    }
    folder.mkdir()
    positions = {"clip.mp4": {"custom": [points.astype(np.float32)]}}
    np.savez(folder / "data_2d_custom_clip.npz", positions_2d=positions, metadata=metadata)
    return folder / "data_2d_custom_clip.npz"


def trc(folder, clip, skeleton, size, fps):
    """Sports2D's folder: a file a person, counted from 0, y down, units that say m; gaps are empty cells."""
    folder.mkdir()
    names = [SPORTS2D[joint] for joint in skeleton.joints]
    for number in sorted({person.number for frame in clip for person in frame}):
        path = folder / f"clip_Sports2D_px_person{number - 1:02d}.trc"
        lines = [
            f"PathFileType\t4\t(X/Y/Z)\t{path}",
            "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
            f"{fps}\t{fps}\t{len(clip)}\t{len(names)}\tm\t{fps}\t0\t{len(clip)}",
            "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t\t",
            "\t\t" + "\t".join(f"X{i + 1}\tY{i + 1}\tZ{i + 1}" for i in range(len(names))),
        ]
        for index, frame in enumerate(clip):
            points = next((p.points for p in frame if p.number == number), np.full((len(names), 2), np.nan))
            cells = [
                c for x, y in points for c in (("", "", "") if np.isnan(x) else (repr(float(x)), repr(float(y)), "0.0"))
            ]
            lines.append("\t".join([str(index), repr(index / fps), *cells]))
        path.write_text("\n".join(lines) + "\n")
    return folder


def poselift_npz(folder, clip, skeleton, size, fps):
    """What the documentation of `poselift lift` says: an npz and a JSON a person."""
    folder.mkdir()
    joints = {
        "name": skeleton.name,
        "joints": skeleton.joints,
        "parents": dict(zip(skeleton.joints, skeleton.parents, strict=True)),
    }
    for number in sorted({person.number for frame in clip for person in frame}):
        there = [next((p for p in frame if p.number == number), None) for frame in clip]
        empty = Person(np.full((len(skeleton), 2), np.nan), np.zeros(len(skeleton)))
        np.savez(
            folder / f"person_{number}.npz",
            joints=np.zeros((len(clip), len(skeleton), 3), np.float32),
            root=np.zeros((len(clip), 3), np.float32),
            timestamps=np.arange(len(clip)) / fps,
            keypoints=np.array([(p or empty).points for p in there], np.float32),
            keypoint_scores=np.array([(p or empty).scores for p in there], np.float32),
            interpolated=np.zeros(len(clip), bool),
        )
        about = {
            "format": "poselift motion",
            "format_version": 1,
            "person": number,
            "skeleton": joints,
            "keypoints": {**joints, "image_size": size},
            "axes": {"frame": "camera"},
        }
        (folder / f"person_{number}.json").write_text(json.dumps(about))
    return folder


def _json(folder, name, content):
    folder.mkdir()
    (folder / name).write_text(json.dumps(content))
    return folder / name


@dataclass(frozen=True)
class Format:
    """How a format is written, in which joint sets, and whether it has scores, who is who, times, more than one."""

    write: Callable
    skeletons: tuple
    scores: bool = True
    people: bool = True
    times: bool = False
    crowd: bool = True


FORMATS = {
    "openpose": Format(openpose, (BODY25, BODY25B, COCO18, HALPE26, COCO17)),
    "alphapose": Format(alphapose, (COCO17, HALPE26)),
    "alphapose_open": Format(alphapose_open, (COCO17,), people=False),
    "alphapose_tracked": Format(alphapose_tracked, (COCO17, HALPE26)),
    "dwpose": Format(dwpose, (COCO18,), people=False),
    "ultralytics": Format(ultralytics, (COCO17,)),
    "mediapipe": Format(mediapipe, (COCO_WHOLEBODY23,), people=False, crowd=False),
    "sleap": Format(sleap, (COCO17, HALPE26)),
    "movement": Format(movement, (COCO17,), times=True),
    "coco_results": Format(coco_results, (COCO17,)),
    "coco_annotations": Format(coco_annotations, (COCO17, HALPE26), scores=False),
    "mmpose": Format(mmpose, (COCO17, HALPE26)),
    "mmpose_demo": Format(mmpose_demo, (COCO17,)),
    "deeplabcut_csv": Format(deeplabcut_csv, (COCO17,)),
    "deeplabcut_h5": Format(deeplabcut_h5, (HALPE26,)),
    "detectron": Format(detectron, (COCO17,), people=False),
    "videopose3d_custom": Format(videopose3d_custom, (COCO17,), scores=False, crowd=False),
    "trc": Format(trc, (HALPE26,), scores=False, times=True),
    "poselift": Format(poselift_npz, (COCO17, HALPE26), times=True),
}
"""Every format that is read, by a name of it."""
