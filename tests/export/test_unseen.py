"""What no keypoint shows is marked or left out in every format, by one rule: `Motion.in_sight`."""

import csv
import dataclasses
import json

import numpy as np
import pytest
from scipy.io import netcdf_file

from poselift.export.export_formats import FORMATS
from poselift.export.unseen import unseen_spans
from poselift.recordings import read_sidecar, write_motion
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from tests.export.conftest import read_trc, recording_of
from tests.kinematics.conftest import pose, turn

pytestmark = pytest.mark.many_calls

FRAMES, LEAVES = 60, 40
HIDDEN = LEAVES + 7
"""First frame from which the ankle counts as out of sight: it is seen in less than 30 % of a second around."""


@pytest.fixture
def motion():
    """A person of 28 joints, of whom a detector without feet shows 17, and the left ankle up to a frame."""
    walk = pose({"left_knee": turn("x", np.linspace(0, 90, FRAMES))}, FRAMES, uncertainty=np.full((FRAMES, 28), 0.05))
    rows = [walk.skeleton.index(joint) for joint in COCO17.joints]
    scores = np.ones((FRAMES, 17))
    scores[LEAVES:, COCO17.index("left_ankle")] = 0
    keypoints = Keypoints2D(walk.keypoints.keypoints[:, rows], scores, walk.timestamps, COCO17, (640, 480))
    return dataclasses.replace(walk, keypoints=keypoints)


def written(name, motion, tmp_path):
    form = FORMATS[name]
    if form.package is not None:
        pytest.importorskip(form.package[0])
    path = tmp_path / f"person_1{form.ending}"
    return path, form.write(path, recording_of([motion]))


def csv_column(path, joint):
    with open(path, encoding="utf-8", newline="") as file:
        return [row[f"{joint}_seen"] == "1" for row in csv.DictReader(file)]


def parquet_column(path, joint):
    return pytest.importorskip("pyarrow.parquet").read_table(path)[f"{joint}_seen"].to_pylist()


def netcdf_variable(path, joint):
    with netcdf_file(path, mmap=False) as file:
        names = [bytes(row).rstrip(b"\0").decode() for row in file.variables["keypoints"][:]]
        assert file.variables["seen"].dimensions == ("time", "keypoints", "individuals")
        return file.variables["seen"][:, names.index(joint), 0].astype(bool).tolist()


def trc_marker(path, joint):
    names, _, points = read_trc(path)
    if joint == "left_big_toe":  # never seen
        assert joint not in names
        return [False] * FRAMES
    return np.isfinite(points[:, names.index(joint), 0]).tolist()


def c3d_point(path, joint):
    file = pytest.importorskip("ezc3d").c3d(str(path))
    names = file["parameters"]["POINT"]["LABELS"]["value"]
    if joint not in names:
        return [False] * FRAMES
    return np.isfinite(file["data"]["points"][0, names.index(joint)]).tolist()


def angle(path, joint):
    name = {"left_big_toe": "left_ankle_dorsiflexion", "left_ankle": "left_knee_flexion"}.get(
        joint, "right_knee_flexion"
    )
    with open(path, encoding="utf-8", newline="") as file:
        return [row[f"{name}_deg"] != "" for row in csv.DictReader(file)]


def gltf_extras(path, joint):
    file = pytest.importorskip("pygltflib").GLTF2().load_binary(str(path))
    spans = next(node.extras for node in file.nodes if node.name == "person_1")["unseen_s"].get(joint, [])
    times = np.arange(FRAMES) / 30
    return [not any(first - 1e-3 <= time <= last + 1e-3 for first, last in spans) for time in times]


READERS = {
    "csv": csv_column,
    "parquet": parquet_column,
    "netcdf": netcdf_variable,
    "trc": trc_marker,
    "c3d": c3d_point,
    "glb": gltf_extras,
    "vrma": gltf_extras,
}
WARNED = {"bvh": "left_big_toe", "mot": "left_ankle at times"}
"""Formats without room for a mark, and what their warning names."""


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"rerun", "opensim", "angles"}))
def test_each_format_marks_what_no_keypoint_shows(name, motion, tmp_path):
    path, warning = written(name, motion, tmp_path)
    if name in WARNED:
        assert WARNED[name] in warning
        assert ("left_big_toe" in warning) == (name == "bvh")  # MOT leaves those out that are never seen
        return
    assert warning is None
    assert READERS[name](path, "left_big_toe") == [False] * FRAMES
    assert READERS[name](path, "left_ankle") == [frame < HIDDEN for frame in range(FRAMES)]
    assert all(READERS[name](path, "right_wrist"))


def test_a_motion_file_leaves_out_what_a_hidden_joint_decides(motion, tmp_path):
    scores = motion.keypoints.scores.copy()
    scores[:, COCO17.index("left_wrist")] = 0
    hidden = dataclasses.replace(motion, keypoints=dataclasses.replace(motion.keypoints, scores=scores))
    columns = written("mot", hidden, tmp_path)[0].read_text().split("endheader\n")[1].splitlines()[0].split("\t")
    assert "arm_flex_l" in columns
    assert "elbow_flex_l" not in columns


@pytest.mark.slow
def test_a_folder_for_opensim_has_the_marks_of_its_files(motion, tmp_path):
    path, _ = written("opensim", motion, tmp_path)
    shown, angles = [frame < HIDDEN for frame in range(FRAMES)], path / "person_1.angles.csv"
    assert trc_marker(path / "person_1.trc", "left_ankle") == angle(angles, "left_ankle") == shown
    assert not any(angle(angles, "left_big_toe"))
    assert all(angle(angles, "right_wrist"))


def test_recordings_are_dark_where_no_keypoint_shows_a_joint(motion, tmp_path):
    path, _ = written("rerun", motion, tmp_path)
    chunks = pytest.importorskip("rerun.chunk").RrdReader(str(path)).stream().to_chunks()
    batches = [part.to_record_batch() for part in chunks if part.entity_path == "/world/person_1/joints"]
    (colors,) = (batch.column("Points3D:colors") for batch in batches if "Points3D:colors" in batch.schema.names)
    bright = np.array(colors.to_pylist()) == 0xFFFFFFFF
    np.testing.assert_array_equal(bright, motion.in_sight())


def test_the_sidecar_says_when_joints_are_not_seen(motion, tmp_path):
    write_motion(tmp_path / "a.npz", motion)
    spans = read_sidecar(tmp_path / "a.json")["unseen_s"]
    assert spans == json.loads(json.dumps(unseen_spans(motion)))
    last = round((FRAMES - 1) / 30, 4)
    assert spans["left_ankle"] == [[round(HIDDEN / 30, 4), last]]
    assert spans["left_big_toe"] == [[0.0, last]]
    assert "right_wrist" not in spans


def test_nothing_is_said_where_all_is_seen(tmp_path):
    seen = pose(frames=4)
    assert unseen_spans(seen) == {}
    assert written("bvh", seen, tmp_path)[1] is None
