"""One zero of time for all files of a run: its first frame."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export.export_formats import FORMATS
from poselift.export.zero import count_from_zero
from poselift.skeleton import H36M17
from tests.export.conftest import later, recording_of
from tests.kinematics.conftest import pose, turn

START = 7.0
"""Time of the run's first frame, by the clock of the motions."""
LATE = 2.0
"""When the person comes, seconds after the start of the run."""


@pytest.fixture
def late():
    """Somebody who comes late, and raises an arm."""
    return later(pose({"left_shoulder": turn("z", np.linspace(-80, 60, 31))}, 31, fps=30.0), START + LATE)


def written(name, tmp_path, late, start=START):
    path = tmp_path / f"person_1{FORMATS[name].ending}"
    assert FORMATS[name].write(path, recording_of([late], start)) is None
    return path


def test_times_count_from_the_first_frame_of_the_run(late):
    (moved,) = count_from_zero([late], START)
    assert moved.timestamps[0] == moved.keypoints.timestamps[0] == pytest.approx(LATE)
    assert count_from_zero([late])[0].timestamps[0] == 0


def test_a_run_does_not_start_after_its_people(tmp_path, late):
    """A sidecar that was edited may say so; glTF has no times below 0."""
    rows = written("csv", tmp_path, late, start=START + LATE + 1).read_text().splitlines()
    assert float(rows[1].split(",")[0]) == 0


def test_bvh_holds_the_first_pose_until_the_person_comes(tmp_path, late):
    lines = written("bvh", tmp_path, late).read_text().splitlines()
    frames = lines[lines.index("Frames: 91") + 2 :]
    assert len(frames) == 91
    assert set(frames[:60]) == {frames[60]}
    assert frames[60] != frames[61]


def test_c3d_lacks_the_person_until_then(tmp_path, late):
    ezc3d = pytest.importorskip("ezc3d")
    points = ezc3d.c3d(str(written("c3d", tmp_path, late)))["data"]["points"]
    assert np.isnan(points[0]).all(0).tolist() == [True] * 60 + [False] * 31


@pytest.mark.parametrize("name", ["glb", "vrma"])
def test_keys_of_gltf_are_at_the_same_times(name, tmp_path, late):
    pygltflib = pytest.importorskip("pygltflib")
    file = pygltflib.GLTF2().load_binary(str(written(name, tmp_path, late)))
    times = file.accessors[file.animations[0].samplers[0].input]
    assert (times.min, times.max) == ([pytest.approx(2.0)], [pytest.approx(3.0)])


@pytest.mark.parametrize(("name", "header", "column"), [("trc", 6, 1), ("csv", 1, 0), ("angles", 1, 0), ("mot", 7, 0)])
def test_tables_have_the_same_times(tmp_path, late, name, header, column):
    rows = written(name, tmp_path, late).read_text().splitlines()[header:]
    times = [float(row.replace(",", "\t").split("\t")[column]) for row in rows]
    np.testing.assert_allclose(times, LATE + np.arange(31) / 30, atol=1e-5)


@pytest.mark.slow
def test_c3d_of_more_than_65535_frames_says_so(tmp_path):
    """ezc3d itself reads the first 65,535 of them."""
    ezc3d = pytest.importorskip("ezc3d")
    path = tmp_path / "a.c3d"
    said = FORMATS["c3d"].write(path, recording_of([later(pose(frames=2, fps=30.0).restrict(H36M17), 2200)], 0.0))
    assert said == "a.c3d has 66002 frames, of which common readers take the first 65535; " + (
        "lift shorter spans with --start and --end"
    )
    parameters = ezc3d.c3d(str(path))["parameters"]
    assert parameters["POINT"]["LONG_FRAMES"]["value"] == [66002]
    low, high = parameters["TRIAL"]["ACTUAL_END_FIELD"]["value"]
    assert int(low) % (1 << 16) + (int(high) << 16) == 66002
    assert path.stat().st_size > 66002 * 17 * 16


def test_a_table_of_more_rows_than_a_sheet_says_so(tmp_path, monkeypatch, late):
    monkeypatch.setitem(FORMATS, "csv", replace(FORMATS["csv"], most_frames=30))
    said = FORMATS["csv"].write(tmp_path / "a.csv", recording_of([late], START))
    assert said is not None
    assert said.startswith("a.csv has 31 frames, of which common readers take the first 30")


def test_glb_refuses_times_that_are_equal_as_float32(tmp_path):
    pytest.importorskip("pygltflib")
    with pytest.raises(InputError, match="its frames are too close for glTF, whose times have 7 digits"):
        FORMATS["glb"].write(tmp_path / "a.glb", recording_of([later(pose(frames=3, fps=240.0), 70_000)], 0.0))
    assert not (tmp_path / "a.glb").exists()


def test_netcdf_refuses_variables_that_scipy_cannot_write(tmp_path, monkeypatch, late):
    monkeypatch.setattr("poselift.export.netcdf._MOST_BYTES", 31 * 28 * 3 * 4 - 1)
    with pytest.raises(InputError, match=r"positions of 1 people in 31 frames are more than the 2 GB"):
        FORMATS["netcdf"].write(tmp_path / "a.nc", recording_of([late], START))
