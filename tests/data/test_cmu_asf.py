import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from poselift.data.asf_amc import pose_bones, read_amc, read_asf
from poselift.data.cmu import load_cmu
from poselift.data.cmu_asf import BONES, FACE, SUBJECTS, cmu_joints, prepare, resample, split_at_jumps
from poselift.skeleton import CMU28
from tests.data.formats.asf_amc import moving_bones, pose, write_amc, write_asf, write_cmu_subjects

TOOL = Path(__file__).parents[2] / "tools" / "prepare_cmu.py"
TRIALS = {"01_01": 121, "01_02": 75, "08_03": 61, "135_02": 90}
SHORT = {"01_01": 61, "08_03": 61, "135_02": 61}


@pytest.fixture
def raw(tmp_path):
    """A download of three subjects, and the angles of their trials."""
    return tmp_path / "raw", write_cmu_subjects(tmp_path / "raw", TRIALS)


@pytest.fixture
def short(tmp_path):
    """A download of three subjects with a short trial each."""
    write_cmu_subjects(tmp_path / "raw", SHORT)
    return tmp_path / "raw"


@pytest.fixture
def tool(monkeypatch, capsys):
    """Runs the script; its exit status and what it printed."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", [str(TOOL), *map(str, arguments)])
        status = 0
        try:
            runpy.run_path(str(TOOL), run_name="__main__")
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return run


def expected_joints(angles):
    """CMU-28 by the independent forward kinematics. The head of the skeleton at rest points up, its face to +z."""
    ends, turned = pose(angles)
    places = {joint: ends[bone] for joint, bone in BONES.items()}
    for joint, (left, share, front) in FACE.items():
        places[joint] = ends["upperneck"] + turned["head"].apply([left, share * 0.1, front])
    for side in ("left", "right"):
        places[f"{side}_heel"] = places[f"{side}_ankle"] + turned[f"{side[0]}foot"].apply([0, -0.055, -0.045])
    return np.stack([places[joint] for joint in CMU28.joints], 1)


def test_the_download_becomes_a_corpus(raw, tmp_path, tool):
    folder, angles = raw
    status, printed, progress = tool(folder, tmp_path / "out" / "cmu50.npz")
    assert status == 0
    lines = printed.splitlines()
    assert lines[0] == "train: 82 frames in 2 clips of 1 of 25 subjects"
    assert lines[1] == "val: 38 frames in 1 clips of 1 of 4 subjects"
    assert lines[2] == "test: 26 frames in 1 clips of 1 of 3 subjects"
    assert lines[3].startswith("missing: 02, 06, 09, ")
    assert len(lines) == 4
    assert progress == "", "bars are for terminals"
    for split, names in (("train", ["01_01", "01_02"]), ("val", ["135_02"]), ("test", ["08_03"])):
        corpus = load_cmu(tmp_path / "out" / "cmu50.npz", split)
        assert corpus.names == tuple(names)
        assert corpus.subjects == tuple(name.partition("_")[0] for name in names)
        assert corpus.fps == 50
        for index, name in enumerate(names):
            joints, root = corpus.clip(index)
            assert len(joints) == (TRIALS[name] - 1) * 50 // 120 + 1
            # Every twelfth frame of 120 is every fifth of 50; joints are whole tenths of a millimetre.
            found = (joints + root[:, None])[::5].double().numpy()
            np.testing.assert_allclose(found, expected_joints(angles[name])[::12], atol=6e-5, err_msg=name)


@pytest.mark.slow
def test_the_layout_of_the_real_corpus(short, tmp_path, shared):
    prepare(short, tmp_path / "cmu50.npz")
    with np.load(tmp_path / "cmu50.npz") as made, np.load(shared / "data/cmu/cmu50.npz") as real:
        assert list(made.files) == list(real.files)
        for key in real.files:
            assert made[key].dtype.kind == real[key].dtype.kind, key
            assert made[key].shape[1:] == real[key].shape[1:], key
        for key in ("root_relative", "root", "clip_start", "fps"):
            assert made[key].dtype == real[key].dtype, key
        assert made["joints"].tolist() == real["joints"].tolist()
        assert made["fps"] == real["fps"]
        assert (made["root_relative"][:, 0] == 0).all()
        assert set(made["tier"]) <= set(real["tier"])
        splits = dict(zip(real["subject"].tolist(), real["split"].tolist(), strict=True))
        assert splits == {subject: split for split, subjects in SUBJECTS.items() for subject in subjects}


def test_a_head_that_leans_at_rest(tmp_path):
    """The face stays upright from left to right: the ears are at one height, the nose before the head."""
    bones = dict(pose.__defaults__[0])
    parent, _, length, axis, dof = bones["head"]
    bones["head"] = (parent, (0.0, 0.8, 0.6), length, axis, dof)
    write_asf(tmp_path / "01.asf", bones)
    still = {name: 0 * values for name, values in moving_bones(1).items()}
    write_amc(tmp_path / "01_01.amc", still)
    skeleton = read_asf(tmp_path / "01.asf")
    joints = cmu_joints(skeleton, *pose_bones(skeleton, read_amc(tmp_path / "01_01.amc", skeleton)))[0].numpy()
    place = dict(zip(CMU28.joints, joints, strict=True))
    np.testing.assert_allclose(place["left_ear"] - place["right_ear"], [0.15, 0, 0], atol=1e-9)
    nose = 0.4 * 0.1 * np.array([0, 0.8, 0.6]) + 0.125 * np.array([0, -0.6, 0.8])
    np.testing.assert_allclose(place["nose"] - place["neck_base"], nose, atol=1e-9)


@pytest.mark.parametrize(("fps", "frames", "count"), [(120.0, 121, 51), (60.0, 61, 51)])
def test_resampling_is_by_time(fps, frames, count):
    seconds = torch.arange(frames, dtype=torch.float64) / fps
    found = resample(seconds[:, None, None].expand(-1, 2, 3), fps)
    torch.testing.assert_close(found[:, 1, 2], torch.arange(count, dtype=torch.float64) / 50)


def test_clips_are_cut_where_the_body_jumps():
    points = torch.zeros(100, 28, 3)
    points[30:, CMU28.index("left_wrist"), 0] = 0.29  # 14.5 m/s
    points[40:, CMU28.index("left_hand"), 0] = 0.5  # a hand, as in the real corpus, may be as fast as it likes
    points[50:, CMU28.index("pelvis"), 1] = 0.27
    points[60:, CMU28.index("pelvis"), 1] = 0.6
    assert [len(piece) for piece in split_at_jumps(points)] == [30, 30, 40]
    points[70:, CMU28.index("pelvis"), 1] = 0
    assert [len(piece) for piece in split_at_jumps(points)] == [30, 30, 30], "not the 10 frames between"


def test_pieces_of_a_trial_are_numbered(raw, tmp_path):
    folder, angles = raw
    angles["01_01"]["root"][60:, 0] += 1.0
    write_amc(folder / "subjects/01/01_01.amc", angles["01_01"])
    prepare(folder, tmp_path / "cmu50.npz")
    corpus = load_cmu(tmp_path / "cmu50.npz", "train")
    assert corpus.names == ("01_01-0", "01_01-1", "01_02")
    assert corpus.clip_start.tolist() == [0, 25, 51, 82]


def test_missing_files_are_listed(short, tmp_path, tool):
    status, _, error = tool(tmp_path, tmp_path / "cmu50.npz")
    assert status == 2
    assert "error: no such file: " in error
    assert "mocap.cs.cmu.edu" in error
    for subject in ("01", "08"):
        (short / f"subjects/{subject}/{subject}.asf").unlink()
    status, _, error = tool(short, tmp_path / "cmu50.npz")
    assert status == 2
    assert re.search(r"no such file: \S*/01/01.asf, \S*/08/08.asf\n", error)


def test_a_file_that_was_there_stays_when_a_trial_is_malformed(short, tmp_path, tool):
    path = tmp_path / "cmu50.npz"
    tool(short, path)
    before = path.read_bytes()
    amc = short / "subjects/135/135_02.amc"
    amc.write_text(amc.read_text().replace("\nltoes ", "\nltoes x", 1))
    status, _, error = tool(short, path)
    assert status == 2
    assert re.search(rf"error: {amc}, line \d+: 'ltoes x", error)
    assert path.read_bytes() == before
    assert sorted(place.name for place in tmp_path.iterdir()) == ["cmu50.npz", "raw"], "nothing half-written is left"
