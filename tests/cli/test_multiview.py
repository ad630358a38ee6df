"""`poselift multiview` on keypoints of other programs: each calibration's format, and what it refuses or warns of."""

import base64
import csv
import gzip
import json
import pickle
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import poselift as library
from benchmarks.phone_sound import make_sound, write_phone
from poselift.recordings import read_motion
from poselift.several_views.calibration_files import read_calibration, rotation_vector, write_pose2sim
from poselift.skeleton import CMU28, COCO17, convert
from poselift.video import VideoWriter
from tests.cli.running import assert_refused, poselift
from tests.keypoints.writers import Person, poselift_npz
from tests.several_views.stage import SIZE, make_stage

NAMES = ("left", "middle", "right")
QUICK = ("--weights", "tiny", "--no-render", "--no-csv", "--quiet")


def write_view(folder, stage, view, frames=slice(None), fps=30.0, offset=0.0):
    """A view's keypoints as poselift writes them."""
    clips = []
    for motion in stage.view(view, offset=offset).people:
        keypoints = motion.keypoints
        points = convert(keypoints.keypoints, keypoints.skeleton, COCO17).values[frames]
        clips.append([Person(own, np.where(np.isfinite(own).all(-1), 0.9, 0.0), keypoints.person) for own in points])
    return poselift_npz(folder, [list(people) for people in zip(*clips, strict=True)], COCO17, SIZE, fps)


@pytest.fixture(scope="module")
def stage():
    return make_stage(seconds=2.0)


@pytest.fixture(scope="module")
def takes(stage, tmp_path_factory):
    """Keypoints of three cameras, two seconds long."""
    folder = tmp_path_factory.mktemp("takes")
    return [write_view(folder / name, stage, view) for view, name in enumerate(NAMES)]


@pytest.fixture(scope="module")
def joined_run(takes, tmp_path_factory):
    """What the command made of the three without a calibration, and what it said."""
    out = tmp_path_factory.mktemp("joined") / "out"
    options = ("--offsets", "0,0", "--formats", "trc", "--out", out, *QUICK[:-1])
    ran = poselift("multiview", "--keypoints", *takes, *options)
    assert ran.code == 0, ran.err
    return out, ran.out + ran.err


@pytest.fixture(scope="module")
def joined(joined_run):
    return joined_run[0]


def join(takes, out, *options):
    ran = poselift("multiview", "--keypoints", *takes, "--offsets", "0", "--out", out, *QUICK, *options)
    assert ran.code == 0, ran.err
    return [str(line) for line in json.loads((out / "summary.json").read_text())["warnings"]]


def turns(stage, cameras):
    """Degrees between true and found rotations against the first camera."""
    errors = []
    for true, own in zip(stage.cameras[1:], cameras[1:], strict=False):
        R = (stage.cameras[0].R.T @ true.R).T @ (cameras[0].R.T @ own.R)
        errors.append(np.degrees(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))))
    return errors


@pytest.mark.slow
def test_python_gives_what_the_command_writes(joined, takes):
    recording = library.multiview([], keypoints=takes, offsets=[0.0, 0.0], weights="tiny")
    for person, motion in enumerate(recording.people, 1):
        written = read_motion(joined / f"person_{person}.npz")
        np.testing.assert_array_equal(motion.joints, written.joints)
        np.testing.assert_array_equal(motion.root, written.root)
    cameras = read_calibration([joined / "calibration.toml"]).values()
    for own, camera in zip(recording.cameras, cameras, strict=True):
        np.testing.assert_allclose(own.K, camera.K, atol=1e-3)


@pytest.mark.slow
def test_one_motion_and_the_cameras(joined, stage):
    names = {path.name for path in joined.iterdir()}
    assert {"person_1.npz", "person_1.trc", "calibration.toml", "calibration.json", "summary.json"} <= names
    cameras = list(read_calibration([joined / "calibration.toml"]).values())
    assert [camera.name for camera in cameras] == list(NAMES)
    assert max(turns(stage, cameras)) < 4
    motion = read_motion(joined / "person_1.npz")
    assert motion.frame == "world"
    assert len(motion) == 60
    report = json.loads((joined / "calibration.json").read_text())
    assert [clock["from"] for clock in report["clocks"]] == ["first", "given", "given"]
    assert len(report["pairs"]) == 3


@pytest.mark.slow
def test_it_says_how_far_cameras_and_sizes_may_be_off(joined_run, stage):
    out, said = joined_run
    report = json.loads((out / "calibration.json").read_text())
    line = report["doubts"][0]
    assert line in said
    assert line in json.loads((out / "summary.json").read_text())["warnings"]
    (sized,) = re.findall(r"off by up to (\d+) %", line)
    assert int(sized) == round(report["size_within_percent"])
    cameras = list(read_calibration([out / "calibration.toml"]).values())
    assert max(turns(stage, cameras)) < report["rotations_within_degrees"] < 6
    true, own = (np.linalg.norm(pair[0].t - pair[1].t) for pair in (stage.cameras, cameras))
    assert abs(100 * np.log(own / true)) < report["size_within_percent"]


@pytest.mark.slow
def test_measure_takes_the_result_and_knows_of_the_cameras(joined, stage, tmp_path):
    ran = poselift("measure", joined, "--out", tmp_path / "out", "--reports")
    assert ran.code == 0, ran.err
    assert "| left knee flexion |" in ran.out
    assert "One camera" not in ran.out, "several cameras show the split of pelvis and trunk"
    (report, *_) = (tmp_path / "out").glob("report_*.html")
    assert "3 cameras; joints by a learned lifter" in report.read_text(encoding="utf-8")
    joints = stage.joints[0]
    with open(tmp_path / "out" / "ranges.csv", encoding="utf-8", newline="") as file:
        rows = {row["angle"]: row for row in csv.DictReader(file) if row["trial"].endswith("person_1")}
    for side in ("left", "right"):
        hip, knee, ankle = (joints[:, CMU28.index(f"{side}_{joint}")] for joint in ("hip", "knee", "ankle"))
        thigh, shank = knee - hip, ankle - knee
        lengths = np.linalg.norm(thigh, axis=-1) * np.linalg.norm(shank, axis=-1)
        flexion = np.degrees(np.arccos((thigh * shank).sum(-1) / lengths))
        assert abs(float(rows[f"{side}_knee_flexion"]["highest_deg"]) - flexion.max()) < 10


@pytest.mark.slow
def test_formats_have_the_joined_motion(takes, tmp_path):
    out = tmp_path / "out"
    warnings = join(takes[:2], out, "--formats", "bvh,mot,c3d,angles")
    assert not [line for line in warnings if "could not" in line], warnings
    names = {path.name for path in out.iterdir()}
    assert {"person_1.bvh", "person_1.mot", "person_1.c3d"} <= names


@pytest.mark.slow
def test_the_page_has_all_videos_and_a_model_has_the_joined_motion(takes, tmp_path):
    videos = [tmp_path / f"{name}.mp4" for name in NAMES[:2]]
    for video in videos:
        with VideoWriter(video, *SIZE, x264={"preset": "ultrafast"}) as writer:
            for frame in range(60):
                writer.write(np.full((SIZE[1], SIZE[0], 3), frame, np.uint8), frame / 30)
    out = tmp_path / "out"
    options = ("--keypoints", *takes[:2], "--offsets", "0.1", "--formats", "html,glb", "--out", out, *QUICK)
    ran = poselift("multiview", *videos, *options)
    assert ran.code == 0, ran.err
    assert (out / "person_1.glb").read_bytes()[:4] == b"glTF"
    ran = poselift("view", out, "--out", tmp_path / "later.html")
    assert ran.code == 0, ran.err
    offset = json.loads((out / "calibration.json").read_text())["clocks"][1]["offset_s"]
    motion = read_motion(out / "person_1.npz")
    for page in (out / "page.html", tmp_path / "later.html"):
        packed = page.read_text("utf-8").partition('id="content">')[2].partition("<")[0]
        header = json.loads(gzip.decompress(base64.b64decode(packed)).partition(b"\n")[0])
        assert [view["name"] for view in header["views"]] == ["middle"]
        assert header["views"][0]["video"]["start"] == pytest.approx(offset, abs=0.001)
        assert ["keypoints_2", [len(motion), len(motion.keypoints.skeleton), 2], 10.0] in header["arrays"]
    # What the second camera saw lies where it sees the joints.
    seen = np.load(out / "view_keypoints.npz")["view_2_person_1"]
    rows = CMU28.indices(motion.skeleton.joints)
    places = list(read_calibration([out / "calibration.toml"]).values())[1].project(
        motion.joints + motion.root[:, None]
    )
    assert np.nanmedian(np.linalg.norm(seen[:, rows, :2] - places, axis=-1)) < 15
    assert np.nanmax(seen[..., 2]) == pytest.approx(0.9, abs=0.01)


@pytest.mark.slow
def test_an_earlier_result_calibrates_the_next_take(joined, takes, tmp_path):
    # Two of its three cameras, by the names of the videos.
    join(takes[::2], tmp_path / "next", "--calibration", joined / "calibration.toml", "--calibration-world")
    before, after = (read_calibration([folder / "calibration.toml"]) for folder in (joined, tmp_path / "next"))
    assert list(after) == ["left", "right"]
    for name, camera in after.items():
        np.testing.assert_allclose(camera.R, before[name].R, atol=1e-6)
        np.testing.assert_allclose(camera.t, before[name].t, atol=1e-6)
        np.testing.assert_allclose(camera.K, before[name].K)


def as_pose2sim(folder, cameras):
    write_pose2sim(folder / "Calib.toml", cameras)
    return [folder / "Calib.toml"]


def as_anipose(folder, cameras):
    """In millimetres, with the names of aniposelib."""
    text = ""
    for index, camera in enumerate(cameras):
        R, t = camera.extrinsics
        text += (
            f'[cam_{index}]\nname = "{camera.name}"\nsize = {list(SIZE)}\nmatrix = {camera.K.tolist()}\n'
            f"distortions = [0.0, 0.0, 0.0, 0.0, 0.0]\nrotation = {rotation_vector(R).tolist()}\n"
            f"translation = {(1000 * t).tolist()}\n"
        )
    (folder / "calibration.toml").write_text(text + "[metadata]\nadjusted = true\nerror = 0.3\n")
    return [folder / "calibration.toml"]


def as_qualisys(folder, cameras):
    parts = []
    for camera in cameras:
        R, t = camera.extrinsics
        turn, place = np.diag([1.0, -1.0, -1.0]) @ R, -1000 * R.T @ t
        rotation = " ".join(f'r{i + 1}{j + 1}="{float(turn[i, j])!r}"' for i in range(3) for j in range(3))
        K = 64 * camera.K.astype(float)
        parts.append(
            f'<camera serial="{camera.name}" model="Miqus Video" video_resolution="1080p">'
            f'<fov_video left="0" top="0" right="{SIZE[0] - 1}" bottom="{SIZE[1] - 1}"/>'
            f'<transform x="{place[0]}" y="{place[1]}" z="{place[2]}" {rotation}/>'
            f'<intrinsic focalLengthU="{K[0, 0]}" focalLengthV="{K[1, 1]}" centerPointU="{K[0, 2]}" '
            f'centerPointV="{K[1, 2]}" radialDistortion1="0" radialDistortion2="0" tangentalDistortion1="0" '
            'tangentalDistortion2="0"/></camera>'
        )
    (folder / "take.qca.txt").write_text(f"<calibration><cameras>{''.join(parts)}</cameras></calibration>")
    return [folder / "take.qca.txt"]


def as_opencap(folder, cameras):
    paths = []
    for camera in cameras:
        R, t = camera.extrinsics
        content = {
            "intrinsicMat": camera.K.astype(float),
            "distortion": np.zeros((1, 5)),
            "imageSize": np.array([[float(SIZE[1])], [float(SIZE[0])]]),
            "rotation": R.astype(float),
            "translation": 1000 * t.astype(float)[:, None],
            "rotation_EulerAngles": np.zeros((3, 1)),
        }
        paths.append(folder / camera.name / "cameraIntrinsicsExtrinsics.pickle")
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(pickle.dumps(content))
    return paths


def as_opencv(folder, cameras):
    def matrix(values):
        rows, columns = values.shape
        return f"!!opencv-matrix\n   rows: {rows}\n   cols: {columns}\n   dt: d\n   data: {values.reshape(-1).tolist()}"

    paths = []
    for camera in cameras:
        R, t = camera.extrinsics
        paths.append(folder / f"{camera.name}.yml")
        paths[-1].write_text(
            f"%YAML:1.0\n---\nimage_width: {SIZE[0]}\nimage_height: {SIZE[1]}\n"
            f"camera_matrix: {matrix(camera.K.astype(float))}\n"
            f"distortion_coefficients: {matrix(np.zeros((1, 5)))}\nR: {matrix(R.astype(float))}\n"
            f"T: {matrix(t.astype(float)[:, None])}\n"
        )
    return paths


@pytest.fixture(scope="module")
def cameras(stage):
    """The true cameras of the first two views; the world has Y up."""
    return [
        type(camera).from_extrinsics(camera.K, SIZE, *camera.extrinsics, None, name)
        for camera, name in zip(stage.cameras[:2], NAMES, strict=False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("write", [as_pose2sim, as_anipose, as_qualisys, as_opencap, as_opencv])
def test_calibrations_of_other_programs(write, cameras, stage, takes, tmp_path):
    folder = tmp_path / "calibration"
    folder.mkdir()
    # In another order than the videos: names decide.
    paths = write(folder, cameras[::-1])
    warnings = join(takes[:2], tmp_path / "out", "--calibration", *paths, "--calibration-world")
    assert not [line for line in warnings if "order" in line]
    motion = read_motion(tmp_path / "out" / "person_1.npz")
    names = ["left_wrist", "right_knee", "left_ankle", "right_shoulder"]
    found = (motion.joints + motion.root[:, None])[:, motion.skeleton.indices(names)]
    skeleton = stage.view(0).people[0].skeleton
    true = stage.joints[0][:, skeleton.indices(names)]
    assert np.median(np.linalg.norm(found - true, axis=-1)) < 0.04  # metres, in the world of the calibration
    for name, camera in read_calibration([tmp_path / "out" / "calibration.toml"]).items():
        true_camera = cameras[NAMES.index(name)]
        np.testing.assert_allclose(camera.t, true_camera.t, atol=1e-5)


@pytest.mark.slow
def test_lifts_take_the_bend_of_the_lens(stage, tmp_path):
    bent = np.array([-0.28, 0.09, 0.0, 0.0, 0.0])
    curved = replace(stage, cameras=[replace(camera, distortion=bent) for camera in stage.cameras[:2]])
    views = [write_view(tmp_path / name, curved, view) for view, name in enumerate(NAMES[:2])]
    named = [replace(camera, name=name) for camera, name in zip(curved.cameras, NAMES, strict=False)]
    write_pose2sim(tmp_path / "bent.toml", named)
    write_pose2sim(tmp_path / "straight.toml", [replace(camera, distortion=None) for camera in named])
    errors, apart = [], []
    for lens in ("bent", "straight"):
        out = tmp_path / f"{lens}_out"
        join(views, out, "--calibration", tmp_path / f"{lens}.toml", "--calibration-world")
        motion = read_motion(out / "person_1.npz")
        found = (motion.joints + motion.root[:, None])[:, motion.skeleton.indices(["left_knee", "right_wrist"])]
        skeleton = stage.view(0).people[0].skeleton
        true = stage.joints[0][:, skeleton.indices(["left_knee", "right_wrist"])]
        errors.append(np.median(np.linalg.norm(found - true, axis=-1)))
        apart.append(json.loads((out / "calibration.json").read_text())["pairs"][0]["poses_apart_m"])
    assert errors[0] < 0.04  # metres
    assert errors[0] < errors[1]
    assert apart[0] <= apart[1]  # the lifted poses of both views agree better


@pytest.mark.slow
def test_sound_tells_the_shift_of_videos(stage, tmp_path):
    late, sound = 0.4, make_sound(3.0, 0)
    videos = [tmp_path / "first.mp4", tmp_path / "later.mp4"]
    write_phone(videos[0], sound, 2.0, Fraction(30), 48000, 1, SIZE)
    write_phone(videos[1], sound[round(48000 * late) :], 2.0 - late, Fraction(30), 44100, 2, SIZE)
    views = [write_view(tmp_path / f"view{view}", stage, view, offset=view * late) for view in range(2)]
    ran = poselift("multiview", *videos, "--keypoints", *views, "--out", tmp_path / "out", *QUICK)
    assert ran.code == 0, ran.err
    clock = json.loads((tmp_path / "out" / "calibration.json").read_text())["clocks"][1]
    assert clock["from"] == "sound"
    assert clock["offset_s"] == pytest.approx(late, abs=0.01)


@pytest.mark.slow
def test_a_camera_that_moves_is_told(stage, tmp_path):
    ground = np.random.default_rng(0).integers(0, 255, (66, 100, 3), np.uint8).repeat(20, 0).repeat(20, 1)
    videos, takes = [tmp_path / "left.mp4", tmp_path / "moved.mp4"], []
    for view, (video, step) in enumerate(zip(videos, (0, 8), strict=True)):
        takes.append(write_view(tmp_path / f"view{view}", stage, view, slice(0, 30)))
        with VideoWriter(video, *SIZE, x264={"preset": "ultrafast"}) as writer:
            for index in range(30):
                writer.write(ground[50 : 50 + SIZE[1], step * index : step * index + SIZE[0]], index / 30)
    options = ("--keypoints", *takes, "--offsets", "0", "--out", tmp_path / "out", *QUICK)
    ran = poselift("multiview", *videos, *options)
    assert ran.code == 0, ran.err
    warnings = json.loads((tmp_path / "out" / "summary.json").read_text())["warnings"]
    told = [str(line) for line in warnings if "camera moves" in str(line)]
    assert len(told) == 1, warnings
    assert "moved: the camera moves" in told[0]


@pytest.mark.slow
def test_lenses_of_each_video(takes, tmp_path):
    join(takes[:2], tmp_path / "fov", "--fov", "60,55")
    focal = [camera.K[0, 0] for camera in read_calibration([tmp_path / "fov" / "calibration.toml"]).values()]
    across = [0.5 * SIZE[0] / np.tan(np.radians(degrees / 2)) for degrees in (60, 55)]
    np.testing.assert_allclose(focal, across, rtol=1e-3)
    join(takes[:2], tmp_path / "intrinsics", "--intrinsics", "1150,1150,639.5,479.5")
    for camera in read_calibration([tmp_path / "intrinsics" / "calibration.toml"]).values():
        np.testing.assert_allclose(camera.K, [[1150, 0, 639.5], [0, 1150, 479.5], [0, 0, 1]])


def refused(message, *arguments):
    assert_refused(message, "multiview", *arguments, *QUICK)


def test_options_that_make_no_sense(takes, tmp_path):
    two = ("--keypoints", *takes[:2], "--out", tmp_path / "out")
    refused("no video is given")
    refused("one video is given; give 2 to 8", "--keypoints", takes[0], "--out", tmp_path / "out")
    refused("1 --keypoints are given for 2 videos", "a.mp4", "b.mp4", "--keypoints", takes[0])
    refused("3 offsets are given for 2 videos", *two, "--offsets", "0,1,2")
    refused("--intrinsics has 3 numbers", *two, "--intrinsics", "1,2,3")
    refused("--fov", *two, "--fov", "60,50,40")
    refused("not a list of seconds", *two, "--offsets", "soon")
    refused("the calibration has the lenses", *two, "--fov", "60", "--calibration", "a.toml")
    refused("give --calibration FILE too", *two, "--calibration-world")
    assert not (tmp_path / "out").exists()


def test_calibrations_that_do_not_fit(takes, cameras, tmp_path):
    def given(*paths):
        return ("--keypoints", *takes[:2], "--offsets", "0", "--out", tmp_path / "out", "--calibration", *paths)

    refused("missing.toml cannot be read", *given(tmp_path / "missing.toml"))
    (tmp_path / "bad.pickle").write_bytes(b"cposix\nsystem\n(S'touch /tmp/opened'\ntR.")
    refused("bad.pickle is no calibration", *given(tmp_path / "bad.pickle"))
    write_pose2sim(tmp_path / "one.toml", cameras[:1])
    refused("1 cameras for 2 videos", *given(tmp_path / "one.toml"))
    small = [type(own).from_extrinsics(own.K, (640, 480), *own.extrinsics, None, own.name) for own in cameras]
    write_pose2sim(tmp_path / "small.toml", small)
    refused("left has pictures of 1280 x 960 pixels, its camera left", *given(tmp_path / "small.toml"))


@pytest.mark.slow
def test_videos_that_do_not_fit(takes, stage, tmp_path):
    out = ("--out", tmp_path / "out", "--offsets")
    refused("shares no time with the other videos", "--keypoints", *takes[:2], *out, "60")
    copy = write_view(tmp_path / "copy", stage, 0)
    refused("are the same view", "--keypoints", takes[0], copy, *out, "0")
    empty = poselift_npz(
        tmp_path / "empty", [[Person(np.full((17, 2), np.nan), np.zeros(17), 1)]] * 60, COCO17, SIZE, 30.0
    )
    refused("empty", "--keypoints", takes[0], empty, *out, "0")


def test_other_people_are_refused(takes, stage, tmp_path):
    # Somebody who walks the other way round.
    other = replace(stage, joints=stage.joints[:, ::-1])
    stranger = write_view(tmp_path / "stranger", other, 1)
    refused(
        "does not show the same people", "--keypoints", takes[0], stranger, "--out", tmp_path / "o", "--offsets", "0"
    )


def test_a_video_that_stops_early_is_told(takes, stage, tmp_path):
    short = write_view(tmp_path / "short", stage, 1, slice(0, 24))
    warnings = join([takes[0], short], tmp_path / "out")
    assert any("short ends at 0.77 s, 1.2 s before the others" in line for line in warnings), warnings
    assert len(read_motion(tmp_path / "out" / "person_1.npz")) == 60


def test_angles_cannot_be_drawn_without_an_overlay(takes, tmp_path):
    refused("--draw writes into the overlay, which is left out", "--keypoints", *takes, "--draw", "angles")
