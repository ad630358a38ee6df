import pickle
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.geometry import axis_angle_to_matrix
from poselift.geometry.camera import Camera
from poselift.several_views.calibration_files import match_cameras, read_calibration, rotation_vector, write_pose2sim
from poselift.several_views.one_camera import take_calibration
from tests.core.unfinished import leave_unfinished

K = np.array([[1000.0, 0, 320], [0, 1010, 240], [0, 0, 1]])
R = axis_angle_to_matrix(np.array([0.3, -1.2, 0.4]))  # world to camera
T = np.array([0.5, -0.2, 4.0])
POINT = np.array([[0.3, 0.4, 0.5]])


def pixels():
    """Where the point lies in the picture, by the calibration's own formula."""
    seen = K @ (R @ POINT[0] + T)
    return seen[:2] / seen[2]


def check(path, name, names=1):
    cameras = read_calibration([path])
    assert len(cameras) == names
    np.testing.assert_allclose(cameras[name].project(POINT)[0], pixels(), atol=1e-6)
    assert cameras[name].image_size == (640, 480)
    return cameras[name]


def test_our_own_toml_comes_back(tmp_path):
    lens = np.array([0.1, -0.05, 0.001, 0.002, 0.01])
    cameras = [
        Camera.from_extrinsics(K, (640, 480), R, T, lens, "left one"),
        Camera.from_extrinsics(K, (640, 480), axis_angle_to_matrix(np.array([0.0, np.pi, 0.0])), T, None, 'b"'),
    ]
    write_pose2sim(tmp_path / "calibration.toml", cameras)
    found = read_calibration([tmp_path / "calibration.toml"])
    assert list(found) == ["left one", 'b"']
    for own, back in zip(cameras, found.values(), strict=True):
        np.testing.assert_allclose(own.project(POINT), back.project(POINT), atol=1e-6)


def test_names_that_toml_takes_for_one_stay_apart(tmp_path):
    path = tmp_path / "calibration.toml"
    for names in (["左", "右"], ["cam 1", "cam_1"], ["metadata", "b"], ["a b", "a_b", "a_b_2"]):
        write_pose2sim(path, [Camera.from_extrinsics(K, (640, 480), R, T, None, name) for name in names])
        cameras = read_calibration([path])
        assert list(cameras) == names
        found, warnings = match_cameras(cameras, names[::-1])
        assert [camera.name for camera in found] == names[::-1]
        assert not warnings


def test_a_calibration_on_its_way_to_its_place_comes_before_an_old_one(tmp_path):
    write_pose2sim(tmp_path / "calibration.toml", [Camera.from_extrinsics(K, (640, 480), R, T, None, "new")])
    leave_unfinished(tmp_path, "calibration.toml")
    (tmp_path / "calibration.toml").write_text("[old]")
    assert list(read_calibration([tmp_path / "calibration.toml"])) == ["new"]
    assert take_calibration({"calibration": tmp_path / "calibration.toml"})["intrinsics"]


def test_anipose_in_millimetres(tmp_path):
    text = ""
    for index, move in enumerate((T, T + [9.0, 0, 0])):
        text += f"""[cam_{index}]
name = "c{index}"
size = [640, 480]
matrix = {K.tolist()}
distortions = [0.0, 0.0, 0.0, 0.0, 0.0]
rotation = {rotation_vector(R).tolist()}
translation = {(1000 * move).tolist()}
fisheye = false
"""
    (tmp_path / "a.toml").write_text(text + "[metadata]\nadjusted = false\n")
    check(tmp_path / "a.toml", "c0", names=2)


def test_opencap(tmp_path):
    folder = tmp_path / "Cam0"
    folder.mkdir()
    content = {
        "intrinsicMat": K,
        "distortion": np.zeros((1, 5)),
        "imageSize": np.array([[480.0], [640.0]]),
        "rotation": R,
        "translation": 1000 * T[:, None],
        "rotation_EulerAngles": np.zeros((3, 1)),
    }
    (folder / "cameraIntrinsicsExtrinsics.pickle").write_bytes(pickle.dumps(content))
    check(folder / "cameraIntrinsicsExtrinsics.pickle", "Cam0")
    (folder / "bad.pickle").write_bytes(b"cposix\nsystem\n(S'true'\ntR.")
    with pytest.raises(InputError, match="no calibration"):
        read_calibration([folder / "bad.pickle"])


def test_qualisys(tmp_path):
    turn = np.diag([1.0, -1.0, -1.0]) @ R
    place = -1000 * R.T @ T
    rotation = (
        " ".join(f'r{i + 1}{j + 1}="{turn[i, j]!r}"' for i in range(3) for j in range(3))
        .replace("np.float64(", "")
        .replace(")", "")
    )
    (tmp_path / "take.qca.txt").write_text(
        f"""<calibration><cameras><camera serial="77" model="Miqus Video" video_resolution="1080p">
<fov_video left="0" top="0" right="639" bottom="479"/>
<transform x="{place[0]}" y="{place[1]}" z="{place[2]}" {rotation}/>
<intrinsic focalLengthU="{64 * K[0, 0]}" focalLengthV="{64 * K[1, 1]}"
 centerPointU="{64 * 320}" centerPointV="{64 * 240}"
 radialDistortion1="0" radialDistortion2="0" tangentalDistortion1="0" tangentalDistortion2="0"/>
</camera></cameras></calibration>"""
    )
    check(tmp_path / "take.qca.txt", "77")


def test_opencv(tmp_path):
    def matrix(values):
        rows, columns = values.shape
        data = values.reshape(-1).tolist()
        return f"!!opencv-matrix\n   rows: {rows}\n   cols: {columns}\n   dt: d\n   data: {data}"

    (tmp_path / "front.yml").write_text(
        f"%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: {matrix(K)}\n"
        f"distortion_coefficients: {matrix(np.zeros((1, 5)))}\nR: {matrix(R)}\nT: {matrix(T[:, None])}\n"
    )
    check(tmp_path / "front.yml", "front")
    (tmp_path / "lens.yml").write_text(
        f"%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: {matrix(K)}\n"
    )
    (tmp_path / "wide.yml").write_text(
        f"%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: {matrix(K)}\nfisheye_model: 1\n"
        f"distortion_coefficients: {matrix(np.array([[0.1, 0.2, 0.3, 0.4]]))}\n"
        f"R: {matrix(R)}\nT: {matrix(T[:, None])}\n"
    )
    wide = read_calibration([tmp_path / "wide.yml"])["wide"]
    assert wide.distortion is None
    assert wide.fisheye.tolist() == [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(InputError, match="lacks R, T; intrinsics alone"):
        read_calibration([tmp_path / "lens.yml"])
    alone = read_calibration([tmp_path / "lens.yml"], placed=False)["lens"]
    assert (alone.image_size, alone.K.tolist()) == ((640, 480), K.tolist())
    (tmp_path / "half.yml").write_text(f"%YAML:1.0\n---\ncamera_matrix: {matrix(K)}\n")
    with pytest.raises(InputError, match=r"lacks image_width, image_height$"):
        read_calibration([tmp_path / "half.yml"], placed=False)


@pytest.mark.parametrize("name", ["lens.toml", "cameraIntrinsics.pickle"])
def test_other_formats_without_places(tmp_path, name):
    path, rows = tmp_path / name, K.tolist()
    if path.suffix == ".toml":
        path.write_text(f"[cam]\nname = 'cam'\nsize = [640.0, 480.0]\nmatrix = {rows}\ndistortions = [0.1, 0, 0, 0]\n")
    else:
        inside = {"intrinsicMat": K, "distortion": np.array([[0.1, 0, 0, 0, 0]]), "imageSize": np.array([[480], [640]])}
        path.write_bytes(pickle.dumps(inside))
    (camera,) = read_calibration([path], placed=False).values()
    assert (camera.image_size, camera.K.tolist(), camera.distortion[0]) == ((640, 480), rows, 0.1)
    with pytest.raises(InputError, match="lacks its rotation or translation"):
        read_calibration([path])


@pytest.mark.parametrize("name", ["a.toml", "a.yml", "a.txt", "a.pickle"])
def test_damaged_files_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"[cam]\nmatrix = 3\n<camera")
    with pytest.raises(InputError, match=name):
        read_calibration([tmp_path / name])


def test_cameras_and_videos(tmp_path):
    cameras = {name: Camera.from_extrinsics(K, (640, 480), R, T, None, name) for name in ("cam_01", "cam_02")}
    found, warnings = match_cameras(cameras, ["take_cam02", "take_cam01"])
    assert [camera.name for camera in found] == ["cam_02", "cam_01"]
    assert not warnings
    found, warnings = match_cameras(cameras, ["a", "b"])
    assert [camera.name for camera in found] == ["cam_01", "cam_02"]
    assert "by their order" in warnings[0]
    # A name that another one begins with.
    more = {name: replace(cameras["cam_01"], name=name) for name in ("cam_10", "cam_1")}
    found, warnings = match_cameras(more, ["cam1", "cam10"])
    assert [camera.name for camera in found] == ["cam_1", "cam_10"]
    assert not warnings
    # One name is enough for two.
    found, warnings = match_cameras(cameras, ["again", "take_cam01"])
    assert [camera.name for camera in found] == ["cam_02", "cam_01"]
    assert "again is cam_02, take_cam01 is cam_01" in warnings[0]
    # Of two that have the same name, nobody knows which one it is.
    found, _ = match_cameras(cameras, ["new_cam02", "old_cam02"])
    assert [camera.name for camera in found] == ["cam_01", "cam_02"]
    with pytest.raises(InputError, match="2 cameras for 3 videos"):
        match_cameras(cameras, ["a", "b", "c"])
