"""A lens that bends the picture: with it, people are where they are."""

import json
import math
import pickle

import cv2
import numpy as np
import pytest

import poselift
from poselift.cli.main import main
from poselift.core.errors import InputError
from poselift.geometry import Camera, axis_angle_to_matrix
from poselift.recordings import read_recording
from poselift.several_views.calibration_files import write_pose2sim
from poselift.several_views.one_camera import take_calibration, tilt_of

FISHEYE = (0.0, 0.0, 0.0, 0.0)
SIZE = (1920, 1080)


@pytest.fixture(scope="session")
def wide(shared):
    """Keypoints of somebody who walks at 4.0 m before a fisheye lens of 120 degrees."""
    return shared / "cases" / "fisheye_120.json"


@pytest.fixture(scope="session")
def calibration(tmp_path_factory):
    """The lens of `wide`, looking down by 20 degrees in a world whose Z is up, and another camera."""
    focal = 960 / np.radians(60)
    K = np.array([[focal, 0, 959.5], [0, focal, 539.5], [0, 0, 1.0]])
    turn = axis_angle_to_matrix(np.array([np.pi / 2 + np.radians(20), 0, 0]))
    path = tmp_path_factory.mktemp("lens") / "calibration.toml"
    one = Camera.from_extrinsics(K, SIZE, turn, np.array([0.0, 0, 3]), name="wide", fisheye=np.zeros(4))
    other = axis_angle_to_matrix(np.array([0, 2.0, 0])) @ turn
    write_pose2sim(path, [one, Camera.from_extrinsics(K, SIZE, other, np.ones(3), name="other")])
    return path


def depths(recording):
    return recording.people[0].root[:, 2]


@pytest.mark.slow
@pytest.mark.parametrize("lens", ["fov", "intrinsics", "calibration"])
def test_a_fisheye_lens_is_taken_out(lens, wide, calibration):
    focal = 960 / np.radians(60)
    given = {
        "fov": {"fov": 120, "fisheye": FISHEYE},
        "intrinsics": {"intrinsics": (focal, focal, 959.5, 539.5), "fisheye": FISHEYE},
        "calibration": {"calibration": f"{calibration}:wide"},
    }
    found = poselift.lift(keypoints=wide, image_size=SIZE, fps=30, **given[lens])
    assert depths(found) == pytest.approx(4.0, abs=0.15)
    assert found.camera.fov == pytest.approx(120)
    # On the true picture, the 3D lies on the keypoints.
    motion = found.people[0]
    joints = motion.skeleton.indices(["left_ankle", "right_ankle", "left_wrist", "right_wrist"])
    names = [motion.skeleton.joints[joint] for joint in joints]
    pixels = motion.keypoints.keypoints[:, motion.keypoints.skeleton.indices(names)]
    drawn = found.camera.project((motion.joints + motion.root[:, None])[:, joints].astype(float))
    assert np.nanmedian(np.linalg.norm(drawn - pixels, axis=-1)) < 8
    if lens == "fov":
        bare = poselift.lift(keypoints=wide, image_size=SIZE, fps=30, fov=120)
        assert depths(bare).max() < 3.5
        assert any("a field of view of 120 degrees" in warning for warning in bare.warnings)


@pytest.mark.slow
def test_the_command_writes_the_lens_and_takes_the_tilt(wide, calibration, tmp_path, capsys):
    given = ["lift", "--keypoints", str(wide), "--size", "1920x1080", "--fps", "30", "--no-csv"]
    given += ["--calibration", f"{calibration}:wide", "--tilt", "calibration", "--world", "--out", str(tmp_path / "a")]
    assert main(given) in (None, 0)
    camera = json.loads((tmp_path / "a" / "person_1.json").read_text())["camera"]
    assert camera["fisheye"] == [0, 0, 0, 0]
    up = np.array(camera["R"])[1]
    assert np.degrees(np.arctan2(-up[2], -up[1])) == pytest.approx(20, abs=3)
    assert (tmp_path / "a" / "overlay.mp4").stat().st_size > 10_000
    np.testing.assert_array_equal(read_recording(tmp_path / "a").camera.fisheye, np.zeros(4))


BENT = (-0.25, 0.08, 0.002, -0.001, 0.01)
K = np.array([[900.0, 0, 955], [0, 910, 545], [0, 0, 1]])


def _opencv_yaml(values, fisheye=False):
    def matrix(rows):
        rows = np.atleast_2d(rows)
        numbers = rows.reshape(-1).tolist()
        return f"!!opencv-matrix\n   rows: {rows.shape[0]}\n   cols: {rows.shape[1]}\n   dt: d\n   data: {numbers}\n"

    return (
        f"%YAML:1.0\n---\nimage_width: 1920\nimage_height: 1080\nfisheye_model: {int(fisheye)}\n"
        f"camera_matrix: {matrix(K)}distortion_coefficients: {matrix(values)}"
    ).encode()


def _toml(values, fisheye=False):
    """Pose2Sim's, Anipose's and FreeMoCap's."""
    lines = ["[cam]", 'name = "cam"', "size = [1920.0, 1080.0]", f"matrix = {K.tolist()}"]
    return "\n".join([*lines, f"distortions = {list(values)}", f"fisheye = {str(fisheye).lower()}"]).encode()


def _opencap(values):
    return pickle.dumps({"intrinsicMat": K, "distortion": np.array([values]), "imageSize": np.array([[1080], [1920]])})


def _qualisys(values):
    """Its numbers count sub-pixels: 64 a pixel."""
    k1, k2, p1, p2 = (64 * value for value in values[:4])
    turn = " ".join(f'r{row}{column}="{float(row == column)}"' for row in (1, 2, 3) for column in (1, 2, 3))
    return (
        '<calibration><cameras><camera serial="7" model="Miqus Video" video_resolution="1080p">'
        '<fov_video left="0" top="0" right="1919" bottom="1079"/>'
        f'<transform x="0" y="0" z="0" {turn}/><intrinsic focalLengthU="{64 * K[0, 0]}" focalLengthV="{64 * K[1, 1]}"'
        f' centerPointU="{64 * K[0, 2]}" centerPointV="{64 * K[1, 2]}" radialDistortion1="{k1}"'
        f' radialDistortion2="{k2}" tangentalDistortion1="{p1}" tangentalDistortion2="{p2}"/>'
        "</camera></cameras></calibration>"
    ).encode()


@pytest.mark.parametrize(
    ("name", "content", "lens"),
    [
        ("lens.yml", _opencv_yaml(BENT), {"distortion": BENT}),
        ("lens.yaml", _opencv_yaml(BENT[:4], True), {"fisheye": BENT[:4]}),
        ("lens.toml", _toml(BENT), {"distortion": BENT}),
        ("fisheye.toml", _toml(BENT[:4], True), {"fisheye": BENT[:4]}),
        ("cam.pickle", _opencap(BENT), {"distortion": BENT}),
        ("take.qca.txt", _qualisys(BENT), {"distortion": (*BENT[:4], 0.0)}),
    ],
)
def test_each_format_gives_the_lens_as_the_options_do(name, content, lens, tmp_path):
    (tmp_path / name).write_bytes(content)
    found = take_calibration({"calibration": tmp_path / name})
    assert found["intrinsics"] == pytest.approx((K[0, 0], K[1, 1], K[0, 2], K[1, 2]))
    assert found["lens_size"] == SIZE
    for model in ("distortion", "fisheye"):
        assert found[model] == (pytest.approx(lens[model]) if model in lens else None)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["options", "file"])
def test_opencvs_usual_lens_is_taken_out(how, wide, tmp_path):
    """The walker of `wide`, within the view of such a lens, as OpenCV's own function shows him."""
    found = json.loads(wide.read_text())
    rays = np.array([each["keypoints"] for each in found]).reshape(len(found), 17, 3)[..., :2] - [959.5, 539.5]
    angle = np.linalg.norm(rays, axis=-1, keepdims=True) / (960 / np.radians(60))
    plane = rays / np.linalg.norm(rays, axis=-1, keepdims=True) * np.tan(angle)
    shown = np.abs(plane[..., 0]).max(1) < 0.9
    points = np.concatenate([plane, np.ones_like(angle)], -1)[shown].reshape(-1, 3)
    pixels, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), K, np.array(BENT))
    rows = [
        {"image_id": frame, "category_id": 1, "keypoints": [v for x, y in body for v in (x, y, 0.9)], "score": 1.0}
        for frame, body in enumerate(pixels.reshape(-1, 17, 2).tolist())
    ]
    (tmp_path / "coco.json").write_text(json.dumps(rows))
    (tmp_path / "lens.yml").write_bytes(_opencv_yaml(BENT))
    given = {"intrinsics": (900, 910, 955, 545), "distortion": BENT}
    found = poselift.lift(
        keypoints=tmp_path / "coco.json",
        image_size=SIZE,
        fps=30,
        **(given if how == "options" else {"calibration": tmp_path / "lens.yml"}),
    )
    assert shown.sum() > 40
    assert depths(found) == pytest.approx(4.0, abs=0.2)
    bare = poselift.lift(keypoints=tmp_path / "coco.json", image_size=SIZE, fps=30, intrinsics=given["intrinsics"])
    assert np.abs(depths(bare) - 4).max() > 0.4
    motion = found.people[0]
    ankle, wanted = motion.skeleton.index("left_ankle"), motion.keypoints.skeleton.index("left_ankle")
    drawn = found.camera.project((motion.joints + motion.root[:, None])[:, [ankle]].astype(float))[:, 0]
    assert np.nanmedian(np.linalg.norm(drawn - motion.keypoints.keypoints[:, wanted], axis=-1)) < 8


def test_intrinsics_alone_are_enough_for_one_camera_but_not_for_its_tilt(wide, tmp_path):
    """As OpenCV's calibration sample writes them."""
    focal = 960 / math.radians(60)
    numbers = [focal, 0, 959.5, 0, focal, 539.5, 0, 0, 1]
    path = tmp_path / "camera.yml"
    path.write_text(
        "%YAML:1.0\n---\nimage_width: 1920\nimage_height: 1080\nfisheye_model: 1\n"
        f"camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: {numbers}\n"
        "distortion_coefficients: !!opencv-matrix\n   rows: 4\n   cols: 1\n   dt: d\n   data: [0., 0., 0., 0.]\n"
    )
    found = poselift.lift(keypoints=wide, image_size=SIZE, fps=30, calibration=path)
    assert depths(found) == pytest.approx(4.0, abs=0.15)
    with pytest.raises(InputError, match=r"camera\.yml: camera camera lacks R, T; intrinsics alone"):
        poselift.lift(keypoints=wide, image_size=SIZE, fps=30, calibration=path, tilt="calibration", world=True)


def _looking(pitch, heading, name):
    """A camera in a world whose Z is up, that looks down by the pitch."""
    level = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    down = axis_angle_to_matrix(np.array([np.radians(pitch), 0, 0]))
    R = down @ level @ axis_angle_to_matrix(np.array([0, 0, np.radians(heading)]))
    return Camera.from_extrinsics(np.diag([900.0, 900, 1]), SIZE, R, np.array([0.0, 0, 3]), name=name)


@pytest.mark.parametrize("pitch", [0, 10, 40, 60, 80])
@pytest.mark.parametrize("headings", [(0,), (0, 90, 180), (30, 200)])
def test_the_tilt_of_a_calibration_is_that_of_any_camera(pitch, headings):
    cameras = [_looking(pitch + heading / 20, heading, f"c{heading}") for heading in headings]
    for camera, heading in zip(cameras, headings, strict=True):
        assert tilt_of(camera, cameras) == pytest.approx(pitch + heading / 20)


def test_a_calibration_whose_world_is_its_first_camera_has_no_tilt(wide, tmp_path, capsys):
    path = tmp_path / "relative.toml"
    second = axis_angle_to_matrix(np.array([0.1, 0.8, 0]))
    first = Camera(np.diag([900.0, 900, 1]), SIZE, name="one")
    write_pose2sim(path, [first, Camera(first.K, SIZE, R=second, t=np.ones(3), name="two")])
    given = ["lift", "--keypoints", str(wide), "--size", "1920x1080", "--fps", "30", "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as stopped:
        main([*given, "--calibration", f"{path}:two", "--tilt", "calibration", "--world"])
    assert stopped.value.code == 2
    assert "axes of its camera one" in capsys.readouterr().err


def test_a_calibration_of_other_pictures_or_without_the_camera_is_refused(wide, calibration):
    with pytest.raises(InputError, match="1920 x 1080 and 3840 x 2160 pixels"):
        poselift.lift(keypoints=wide, image_size=(3840, 2160), fps=30, calibration=f"{calibration}:wide")
    with pytest.raises(InputError, match="the cameras wide, other; give one of them"):
        poselift.lift(keypoints=wide, image_size=SIZE, calibration=calibration)
    with pytest.raises(InputError, match="the calibration has the lens"):
        poselift.lift(keypoints=wide, image_size=SIZE, calibration=calibration, fov=60)
    with pytest.raises(InputError, match="needs the file"):
        poselift.lift(keypoints=wide, image_size=SIZE, tilt="calibration", world=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--distortion 1,2,3", "k1, k2, p1, p2 and perhaps k3"),
        ("--distortion 1,2,3,nan", "finite numbers"),
        ("--distortion 1,2,a,4", "not the numbers of a lens"),
        ("--fisheye 1,2,3", "not the numbers of a fisheye lens"),
        ("--fisheye 0,0,0,0", "give --fov or --intrinsics too"),
        ("--fisheye 0,0,0,0 --fov 175", "give 5 to 170"),
        ("--fisheye 0,0,0,0 --fov 100 --distortion 0,0,0,0", "both given"),
        ("--fisheye=-9,0,0,0 --fov 120", "of no lens"),
    ],
)
def test_a_lens_that_is_none_is_one_line(given, said, tmp_path, capsys):
    keypoints = tmp_path / "k.json"
    body = [value for joint in range(17) for value in (500 + 9 * joint, 300 + 20 * joint, 0.9)]
    rows = [{"image_id": f"{frame}.jpg", "category_id": 1, "keypoints": body, "score": 2.0} for frame in range(5)]
    keypoints.write_text(json.dumps(rows))
    with pytest.raises(SystemExit) as stopped:
        main(["lift", "--keypoints", str(keypoints), "--size", "1920x1080", "--fps", "30", *given.split()])
    assert stopped.value.code == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert said in error
