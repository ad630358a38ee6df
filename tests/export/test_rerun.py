"""Recordings, read back by rerun's own reader."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.export.rerun import write_rerun
from poselift.geometry.camera import Camera
from poselift.structures import Height
from tests.export.conftest import emptied, later, recording_of
from tests.kinematics.conftest import pose
from tests.recordings.conftest import with_hands

K = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
CAMERA = Camera(K, (640, 480), t=np.array([1.0, 2, 3]))


@pytest.fixture
def motion():
    return emptied(pose(frames=6, uncertainty=np.full((6, 28), 0.05)), 2)


def read(path):
    """The columns of all entities."""
    chunk = pytest.importorskip("rerun.chunk", reason="rerun-sdk is not installed")
    found = {}
    for part in chunk.RrdReader(str(path)).stream().to_chunks():
        batch = part.to_record_batch()
        for name in batch.schema.names:
            found.setdefault(part.entity_path, {})[name] = batch.column(name)
    return found


def test_numbers_and_times_are_those_of_the_motion(motion, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    write_rerun(tmp_path / "walk.rrd", recording_of([motion], cameras=[CAMERA]))
    found = read(tmp_path / "walk.rrd")
    joints = found["/world/person_1/joints"]
    rows = joints["Points3D:positions"].to_pylist()
    assert [len(row) for row in rows] == [28, 28, 0, 28, 28, 28]
    np.testing.assert_allclose(rows[4], motion.joints[4] + motion.root[4], atol=1e-6)
    nanoseconds = joints["time"].cast("int64").to_numpy()
    np.testing.assert_allclose(nanoseconds / 1e9, motion.timestamps, atol=1e-8)
    balls = found["/world/person_1/uncertainty"]["Ellipsoids3D:half_sizes"].to_pylist()
    np.testing.assert_allclose(balls[0], 0.05, atol=1e-6)
    bones = found["/world/person_1/skeleton"]["LineStrips3D:strips"].to_pylist()
    assert [len(row) for row in bones] == [27, 27, 0, 27, 27, 27]
    np.testing.assert_allclose(found["/world/camera"]["Transform3D:translation"].to_pylist()[0][0], [1, 2, 3])
    lens = found["/world/camera/image"]["Pinhole:image_from_camera"].to_pylist()[0][0]
    np.testing.assert_allclose(np.reshape(lens, (3, 3)).T, K)
    points = found["/world/camera/image/person_1/keypoints"]["Points2D:positions"].to_pylist()
    np.testing.assert_allclose(points[0], motion.keypoints.keypoints[0], atol=1e-4)


def test_hands_are_below_their_person(motion, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    hands = with_hands(motion)
    write_rerun(tmp_path / "walk.rrd", recording_of([hands], cameras=[CAMERA]))
    found = read(tmp_path / "walk.rrd")
    joints, bones = (found[f"/world/person_1/hands/{part}"] for part in ("joints", "skeleton"))
    assert joints["Points3D:labels"].to_pylist()[0][1] == "left_hand_thumb_cmc"
    rows = joints["Points3D:positions"].to_pylist()
    # Frame 1 has no left hand, frame 2 no body, and no frame a right hand.
    assert [len(row) for row in rows] == [21, 0, 0, 21, 21, 21]
    assert [len(row) for row in bones["LineStrips3D:strips"].to_pylist()] == [20, 0, 0, 20, 20, 20]
    wrist = (hands.joints + hands.root[:, None])[4, hands.skeleton.index("left_wrist")]
    np.testing.assert_allclose(rows[4], wrist + hands.hands.joints[4, 0], atol=1e-6)


def test_two_people_share_the_timelines_and_have_their_heights(motion, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    second = replace(later(motion, motion.timestamps[3], person=2), height=Height(1.7, 0.0, "given"))
    write_rerun(tmp_path / "walk.rrd", recording_of([motion, second]))
    found = read(tmp_path / "walk.rrd")
    frames = [found[f"/world/person_{person}/joints"]["frame"].to_pylist() for person in (1, 2)]
    assert frames == [[0, 1, 2, 3, 4, 5], [3, 4, 5, 6, 7, 8]]
    assert found["/world/person_1/joints"]["Points3D:labels"].to_pylist()[0][:2] == ["pelvis", "right_hip"]
    about = {name: column.to_pylist()[0] for name, column in found["/world/person_2"].items()}
    assert [1.7] in about.values()
    assert ["given"] in about.values()
    assert "/world/person_1" not in found


def test_without_a_camera_the_keypoints_have_a_picture_of_their_own(motion, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    write_rerun(tmp_path / "walk.rrd", recording_of([motion]))
    found = read(tmp_path / "walk.rrd")
    assert "/image/person_1/keypoints" in found
    assert "/world/camera" not in found


def test_a_camera_that_turns_and_zooms_has_an_entry_for_each_time(motion, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    lenses, places = np.stack([K, 1.2 * K, 1.4 * K]), np.array([[0.0, 1, 4], [0.1, 1, 4], [0.2, 1, 4]])
    lenses[:, 2] = 0, 0, 1
    turned = np.stack([np.eye(3), np.diag([-1.0, 1, -1]), np.eye(3)])
    camera = Camera(lenses, (640, 480), R=turned, t=places, times=np.array([0.0, 0.1, 0.2]))
    write_rerun(tmp_path / "walk.rrd", recording_of([motion], cameras=[camera]))
    found = read(tmp_path / "walk.rrd")
    pose, lens = found["/world/camera"], found["/world/camera/image"]
    np.testing.assert_allclose([row[0] for row in pose["Transform3D:translation"].to_pylist()], places, atol=1e-6)
    matrices = np.reshape([row[0] for row in pose["Transform3D:mat3x3"].to_pylist()], (3, 3, 3)).swapaxes(1, 2)
    np.testing.assert_allclose(matrices, turned)
    focals = np.reshape([row[0] for row in lens["Pinhole:image_from_camera"].to_pylist()], (3, 9))[:, 0]
    np.testing.assert_allclose(focals, [500, 600, 700])
    np.testing.assert_allclose(pose["time"].cast("int64").to_numpy() / 1e9, camera.times, atol=1e-8)
