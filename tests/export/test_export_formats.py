import dataclasses
import json
import shutil
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.io import netcdf_file

from poselift.core.errors import InputError
from poselift.export import write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import write_c3d
from poselift.export.export_formats import FORMATS
from poselift.export.export_options import ExportOptions
from poselift.export.markers import place_markers
from poselift.export.netcdf import write_netcdf
from poselift.export.parquet import write_parquet
from poselift.export.table import make_columns
from poselift.export.trc_markers import write_trc
from poselift.kinematics import measure_gait, solve
from poselift.skeleton import COCO17, H36M17
from poselift.skeleton.hand import HAND21
from poselift.structures import Height
from tests.core.full_disk import full_disk
from tests.export.conftest import emptied, later, read_bvh, read_trc, recording_of
from tests.kinematics.conftest import pose, turn
from tests.kinematics.test_fingers import with_made_hands
from tests.kinematics.walker import walker
from tests.recordings.conftest import with_hands

pytestmark = pytest.mark.many_calls


def test_markers_at_uneven_times_are_even_and_keep_gaps(motion):
    found = place_markers([motion])
    assert found.resampled
    assert np.allclose(np.diff(found.times), 1 / found.rate)
    expected = 1000 * (motion.joints[0] + motion.root[0]) * [1, -1, -1]
    np.testing.assert_allclose(found.positions[0], expected, rtol=1e-5)
    assert np.isnan(found.positions).any()


def test_trc_has_millimetres_and_nan_in_gaps(tmp_path):
    walk = emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20), [4])
    write_trc(tmp_path / "a.trc", recording_of([walk]))
    lines = (tmp_path / "a.trc").read_text().splitlines()
    assert lines[0].split("\t") == ["PathFileType", "4", "(X/Y/Z)", "a.trc"]
    assert lines[2].split("\t")[:5] == ["30", "30", "20", "28", "mm"]
    names, _, points = read_trc(tmp_path / "a.trc")
    assert names == list(walk.skeleton.joints)
    assert np.isnan(points[4]).all()
    np.testing.assert_allclose(points[7], 1000 * walk.joints[7], atol=1e-3)


def test_c3d_reads_back_with_the_uncertainty_as_residual(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    radii = np.full((20, 28), 0.05, np.float32)
    walk = emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20, uncertainty=radii), [4])
    write_c3d(tmp_path / "a.c3d", recording_of([walk]))
    file = ezc3d.c3d(str(tmp_path / "a.c3d"))
    assert file["parameters"]["POINT"]["LABELS"]["value"] == list(walk.skeleton.joints)
    assert file["parameters"]["POINT"]["RATE"]["value"][0] == pytest.approx(30)
    assert file["parameters"]["POINT"]["Y_SCREEN"]["value"] == ["+Y"]
    write_c3d(tmp_path / "z.c3d", recording_of([walk]), ExportOptions(up="z"))
    turned = ezc3d.c3d(str(tmp_path / "z.c3d"))["parameters"]["POINT"]
    assert (turned["X_SCREEN"]["value"], turned["Y_SCREEN"]["value"]) == (["+X"], ["+Z"])
    points = file["data"]["points"][:3].transpose(2, 1, 0)
    np.testing.assert_allclose(points[7], 1000 * walk.joints[7], atol=1e-3)
    assert np.isnan(points[4]).all()
    residuals = file["data"]["meta_points"]["residuals"][0]
    assert (residuals[:, 4] == -1).all()
    np.testing.assert_allclose(residuals[:, 5], 50, atol=0.5)


def test_c3d_has_the_events_of_a_walk_in_parameters_of_255(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    walk = walker(seconds=90.0)
    write_c3d(tmp_path / "a.c3d", recording_of([walk], start=-2.0))
    group = ezc3d.c3d(str(tmp_path / "a.c3d"))["parameters"]["EVENT"]
    found = {name: entry["value"] for name, entry in group.items() if "value" in entry}
    events = measure_gait(walk).events
    assert 255 < len(events) == found["USED"][0]
    names = [pair for end in ("", "2") for pair in zip(found[f"CONTEXTS{end}"], found[f"LABELS{end}"], strict=True)]
    wanted = {"strike": "Foot Strike", "toe-off": "Foot Off"}
    assert names == [(("Left", "Right")[foot], wanted[name]) for _, foot, name in events]
    minutes, seconds = np.concatenate([found["TIMES"], found["TIMES2"]], 1)
    np.testing.assert_allclose(60 * minutes + seconds, [2 + time for time, _, _ in events], atol=1e-4)


@pytest.mark.parametrize(("names_of", "middle", "absent"), [("openpose", "CHip", "Head"), ("pose2sim", "Hip", "CHip")])
def test_markers_have_the_names_of_other_programs(tmp_path, names_of, middle, absent):
    walk = pose(frames=4)
    write_trc(tmp_path / "a.trc", recording_of([walk]), ExportOptions(markers=names_of))
    names, _, _ = read_trc(tmp_path / "a.trc")
    assert {"RKnee", "LBigToe", "Neck", middle} <= set(names)
    assert absent not in names
    found = place_markers([walk], names_of=names_of)
    hips = 1000 * (walk.joints + walk.root[:, None])[:, walk.skeleton.indices(["left_hip", "right_hip"])].mean(1)
    np.testing.assert_allclose(found.positions[:, found.names.index(middle)], hips, atol=1e-3)
    moved = place_markers([dataclasses.replace(walk, root=walk.root + [1, 0, 0])], names_of=names_of)
    np.testing.assert_allclose(
        moved.positions - found.positions, np.full(found.positions.shape, [1000, 0, 0]), atol=0.1
    )
    assert "RHeel" not in place_markers([pose(frames=4, skeleton=H36M17)], names_of=names_of).names


@pytest.mark.slow
@pytest.mark.parametrize("room", [100, 30_000])
def test_no_format_takes_a_full_disk_for_success(room, tmp_path):
    walk = pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20)
    for name, form in FORMATS.items():
        if form.package is not None and find_spec(form.package[0]) is None:
            continue
        out = tmp_path / f"a{form.ending}"
        form.write(out, recording_of([walk]))
        sizes = [path.stat().st_size for path in ([out] if out.is_file() else out.iterdir())]
        if max(sizes) > room:
            if out.is_dir():
                shutil.rmtree(out)
            else:
                out.unlink()
            with full_disk(room), pytest.raises(InputError, match="free some space"):
                form.write(out, recording_of([walk]))
            assert not out.exists(), name


def test_heights_are_in_c3d_parquet_and_glb(tmp_path):
    ezc3d, parquet = pytest.importorskip("ezc3d"), pytest.importorskip("pyarrow.parquet")
    gltf = pytest.importorskip("pygltflib")
    people = [
        dataclasses.replace(pose(), height=Height(1.81, 0.0, "given")),
        dataclasses.replace(later(pose(), 0, person=2), height=Height(1.65, 0.1, "estimated")),
    ]
    for name in ("c3d", "parquet", "glb"):
        FORMATS[name].write(tmp_path / f"a.{name}", recording_of(people))
    subjects = ezc3d.c3d(str(tmp_path / "a.c3d"))["parameters"]["SUBJECTS"]
    assert subjects["NAMES"]["value"] == ["person_1", "person_2"]
    np.testing.assert_allclose(subjects["HEIGHTS"]["value"], [1.81, 1.65], atol=1e-6)
    assert subjects["HEIGHT_ORIGINS"]["value"] == ["given", "estimated"]
    heights = json.loads(parquet.read_table(tmp_path / "a.parquet").schema.metadata[b"heights"])
    assert heights["2"] == {"metres": 1.65, "spread": 0.1, "origin": "estimated"}
    nodes = {node.name: node.extras for node in gltf.GLTF2().load(str(tmp_path / "a.glb")).nodes}
    assert nodes["person_1"] == {"height_m": 1.81, "height_origin": "given"}


def test_netcdf_has_heights(tmp_path):
    people = [dataclasses.replace(pose(), height=Height(1.81, 0.0, "given")), later(pose(), 0, person=2)]
    write_netcdf(tmp_path / "a.nc", recording_of(people))
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        height = file.variables["height"]
        assert height.dimensions == ("individuals",)
        np.testing.assert_allclose(height[:], [1.81, np.nan], atol=1e-6)
        assert (height.units, height.origin) == (b"m", b"given, unknown")


def test_bvh_puts_joints_where_the_rig_has_them_and_angles_are_continuous(tmp_path):
    knee, spin = turn("x", np.linspace(0, 100, 90)), turn("y", np.linspace(0, 700, 90))
    motion = pose({"left_knee": knee, "left_shoulder": turn("z", np.linspace(0, 175, 90)), "pelvis": spin}, 90)
    rigged = solve(motion)
    write_bvh(tmp_path / "a.bvh", recording_of([motion]))
    names, interval, places, angles = read_bvh(tmp_path / "a.bvh")
    assert interval == pytest.approx(1 / 30)
    order = [rigged.rig.names.index(name) for name in names]
    assert sorted(order) == list(range(28))
    np.testing.assert_allclose(places / 100, rigged.positions()[:, order], atol=1e-4)
    root = angles[:, names.index("pelvis")]
    assert np.abs(np.diff(root, axis=0)).max() < 20


def test_mot_has_the_columns_of_its_header(tmp_path):
    write_angles_mot(
        tmp_path / "a.mot", recording_of([emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20), [4])])
    )
    head, table = (tmp_path / "a.mot").read_text().split("endheader\n")
    lines = table.splitlines()
    assert "nRows=19" in head
    assert f"nColumns={len(lines[0].split())}" in head
    values = dict(zip(lines[0].split(), map(float, lines[-1].split()), strict=True))
    assert values["knee_angle_l"] == pytest.approx(90, abs=0.5)
    assert values["knee_angle_r"] == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize("name", FORMATS)
def test_a_single_frame_is_written(name, tmp_path):
    form = FORMATS[name]
    if form.package is not None:
        pytest.importorskip(form.package[0])
    form.write(tmp_path / f"a{form.ending}", recording_of([pose(frames=1)]))
    assert (tmp_path / f"a{form.ending}").stat().st_size > 0


@pytest.mark.parametrize(
    ("motions", "message"),
    [
        ([], "no motion to write"),
        ([emptied(pose(), slice(None))], "no frame with a pose"),
        ([pose(), pose()], "two motions are of person 1"),
        ([pose(), later(pose(frame="camera"), 0, person=2)], "camera and world"),
        ([pose(), later(pose(skeleton=H36M17), 0, person=2)], "cmu28 and h36m17"),
    ],
    ids=["nobody", "all NaN", "same person", "other frame", "other skeleton"],
)
def test_what_cannot_be_one_file_is_refused_and_leaves_none(motions, message, tmp_path):
    with pytest.raises(InputError, match=message):
        FORMATS["trc"].write(tmp_path / "a.trc", recording_of(motions))
    assert list(tmp_path.iterdir()) == []


def test_markers_of_several_people_share_the_times_of_all():
    knee = turn("x", np.linspace(0, 90, 20))
    first = pose({"left_knee": knee}, 20)
    found = place_markers([first, later(first, 0.5, person=2)])
    assert (found.names[0], found.names[28]) == ("person_1_pelvis", "person_2_pelvis")
    assert not found.resampled
    assert found.positions.shape == (35, 56, 3)
    ankles = [found.names.index(f"person_{person}_left_ankle") for person in (1, 2)]
    np.testing.assert_array_equal(found.positions[:20, ankles[0]], found.positions[15:, ankles[1]])
    assert np.isnan(found.positions[20:, ankles[0]]).all()
    assert np.isnan(found.positions[:15, ankles[1]]).all()
    between = place_markers([first, later(first, 0.515, person=2)])  # between frames, and not beyond its own
    assert between.resampled
    assert np.isfinite(between.positions[16:35, ankles[1]]).all()
    assert np.isnan(between.positions[:15, ankles[1]]).all()
    short = place_markers([first, later(pose({"left_knee": knee[:5]}, 5), 0.215, person=2)])
    assert np.isfinite(short.positions[:, ankles[1]]).all(1).nonzero()[0].tolist() == [6, 7, 8, 9, 10]


def test_z_up_turns_markers():
    root = np.stack([np.zeros(9), np.full(9, 0.97), np.linspace(0, 1, 9)], 1)
    walk = pose({"left_knee": turn("x", np.linspace(0, 90, 9))}, 9, root=root)
    up, ahead = (place_markers([walk], "z").positions @ axis for axis in ([0, 0, 1], [0, -1, 0]))
    np.testing.assert_allclose(up, place_markers([walk]).positions[..., 1])
    np.testing.assert_allclose(ahead, place_markers([walk]).positions[..., 2])


@pytest.mark.parametrize("up", [1, 2], ids=["y", "z"])
def test_the_camera_frame_comes_out_upright(up, tmp_path):
    walk = pose(frame="camera", root=np.tile([0.0, 0.0, 4.0], (5, 1)))
    flipped = dataclasses.replace(walk, joints=walk.joints * [1, -1, -1])  # y down, as a camera has it
    axis = "xyz"[up]
    found = place_markers([flipped], axis)
    heads, feet = (found.positions[:, found.names.index(name), up] for name in ("head_top", "left_ankle"))
    assert (heads - feet > 1400).all()
    write_bvh(tmp_path / "a.bvh", recording_of([flipped]), ExportOptions(up=axis))
    names, _, places, _ = read_bvh(tmp_path / "a.bvh")
    assert (places[:, names.index("head_top"), up] - places[:, names.index("left_ankle"), up] > 140).all()


def test_tables_of_several_people(tmp_path, world_motion):
    parquet = pytest.importorskip("pyarrow.parquet")
    people = [world_motion, dataclasses.replace(later(world_motion, 0.2, person=2), uncertainty=None)]
    write_parquet(tmp_path / "a.parquet", recording_of(people))
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table["person"].to_pylist() == [3] * 6 + [2] * 6
    assert table["left_knee_uncertainty_m"][6:].null_count == 6
    write_netcdf(tmp_path / "a.nc", recording_of(people))
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        assert [bytes(row) for row in file.variables["individuals"][:]] == [b"person_3", b"person_2"]
        position = file.variables["position"][:]
        np.testing.assert_array_equal(file.variables["time"][:], [*world_motion.timestamps, *people[1].timestamps[1:]])
        np.testing.assert_array_equal(position[:6, ..., 0], position[5:, ..., 1])
        assert np.isnan(position[6:, ..., 0]).all()


def test_parquet_has_the_columns_of_the_table_and_nulls(tmp_path, world_motion):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_parquet(tmp_path / "a.parquet", recording_of([world_motion]))
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == ["person", *make_columns(world_motion)]
    assert table["person"].to_pylist() == [3] * 6
    assert table["interpolated"].to_pylist() == world_motion.interpolated.tolist()
    assert table["left_knee_y_m"][4].as_py() is None
    knee = world_motion.joints[:4, world_motion.skeleton.index("left_knee"), 1]
    np.testing.assert_array_equal(table["left_knee_y_m"][:4].to_numpy(), knee)
    assert table.schema.metadata[b"frame"] == b"world"


def test_netcdf_has_the_layout_of_movement(tmp_path, world_motion):
    write_netcdf(tmp_path / "a.nc", recording_of([world_motion]))
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        position, confidence = file.variables["position"], file.variables["confidence"]
        assert position.dimensions == ("time", "space", "keypoints", "individuals")
        assert confidence.dimensions == ("time", "keypoints", "individuals")
        placed = (world_motion.joints + world_motion.root[:, None]).swapaxes(1, 2)
        np.testing.assert_array_equal(position[..., 0], placed)
        names = [bytes(row).rstrip(b"\0").decode() for row in file.variables["keypoints"][:]]
        assert names == list(world_motion.skeleton.joints)
        hip, knee = world_motion.skeleton.index("left_hip"), COCO17.index("left_hip")
        np.testing.assert_array_equal(confidence[:, hip, 0], world_motion.keypoints.scores[:, knee])
        assert np.isnan(confidence[:, world_motion.skeleton.index("spine")]).all()
        assert (file.ds_type, file.time_unit, file.frame) == (b"poses", b"seconds", b"world")


def test_joints_of_hands_are_further_keypoints_of_netcdf(tmp_path, world_motion):
    hands = with_hands(world_motion)
    second = dataclasses.replace(hands, keypoints=later(hands, 0, 4).keypoints)
    write_netcdf(tmp_path / "a.nc", recording_of([world_motion, second]))
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        names = [bytes(row).rstrip(b"\0").decode() for row in file.variables["keypoints"][:]]
        values = {name: variable[:].copy() for name, variable in file.variables.items()}
    body, tip = len(world_motion.skeleton), names.index("left_hand_index_tip")
    assert len(names) == body + 40
    wrist = (hands.joints + hands.root[:, None])[:, hands.skeleton.index("left_wrist")]
    np.testing.assert_allclose(
        values["position"][:, :, tip, 1], wrist + hands.hands.joints[:, 0, HAND21.index("index_tip")], atol=1e-6
    )
    assert values["seen"][:, tip, 1].tolist() == [1, 0, 1, 1, 1, 1]
    np.testing.assert_array_equal(values["confidence"][:, tip, 1], hands.hands.scores[:, 0])
    assert not values["seen"][:, names.index("right_hand_index_tip"), 1].any()
    assert np.isnan(values["position"][:, :, body:, 0]).all(), "the other one has no hands"
    assert np.isnan(values["uncertainty"][:, body:]).all()
    np.testing.assert_array_equal(values["position"][:, :, :body, 0], values["position"][:, :, :body, 1])


def test_people_of_other_years_are_not_put_into_one_file():
    with pytest.raises(InputError, match="too far apart for one clip"):
        place_markers([pose(), later(pose(), 9e9, person=2)])


@pytest.mark.parametrize("name", ["trc", "c3d"])
def test_fingers_are_markers_and_missing_where_no_hand_is_seen(name, tmp_path):
    motion = with_hands(pose(frames=6, root=np.tile([[0.5, 0.9, 0.0]], (6, 1))))
    path = tmp_path / f"a.{name}"
    FORMATS[name].write(path, recording_of([motion]))
    if name == "trc":
        names, _, points = read_trc(path)
    else:
        file = pytest.importorskip("ezc3d").c3d(str(path))
        names, points = file["parameters"]["POINT"]["LABELS"]["value"], file["data"]["points"][:3].transpose(2, 1, 0)
    row = names.index("left_hand_pinky_tip")
    wrist = (motion.joints + motion.root[:, None])[:, motion.skeleton.index("left_wrist")]
    expected = 1000 * (wrist + motion.hands.joints[:, 0, HAND21.index("pinky_tip")])
    np.testing.assert_allclose(points[:, row], expected, atol=1e-3)
    assert np.isnan(points[1, row]).all()
    assert not any(name.startswith("right_hand_") for name in names)


def test_bvh_has_fingers_and_says_when_they_rest(tmp_path):
    seen = np.ones((6, 2), bool)
    seen[3:, 0] = False
    motion = with_made_hands(pose(frames=6), dict.fromkeys(("left", "right"), turn("x", 20.0)), seen)
    warning = FORMATS["bvh"].write(tmp_path / "a.bvh", recording_of([motion]))
    names, _, places, _ = read_bvh(tmp_path / "a.bvh")
    tip, wrist = (names.index(f"right_{joint}") for joint in ("hand_middle_tip", "wrist"))
    expected = 100 * motion.hands.joints[:, 1, HAND21.index("middle_tip")]
    np.testing.assert_allclose(places[:, tip] - places[:, wrist], expected, atol=1e-3)
    assert warning.endswith("left_fingers at times, which rest then")
