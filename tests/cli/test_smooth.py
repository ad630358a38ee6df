"""`poselift smooth` of one motion, a folder, and what it cannot write."""

import json
import shutil

import numpy as np

from poselift.recordings import read_motion
from tests.cli.running import assert_refused, poselift


def test_everybody_of_a_folder_is_smoothed(walk, tmp_path):
    folder = shutil.copytree(walk, tmp_path / "walk")
    assert poselift("smooth", folder, "--cutoff", 3).code == 0
    ran = poselift("smooth", folder, "--cutoff", 3, "--out", tmp_path / "smooth")
    names = ["person_1.npz", "person_2.npz"]
    assert (ran.code, ran.out.split()) == (0, [str(tmp_path / "smooth" / name) for name in names])
    for name in names:
        raw, now = read_motion(folder / name), read_motion(tmp_path / "smooth" / name)
        beside = read_motion(folder / name.replace(".npz", "_smooth.npz"))
        assert not np.array_equal(raw.joints, now.joints)
        np.testing.assert_array_equal(now.joints, beside.joints)
        assert json.loads((tmp_path / "smooth" / name).with_suffix(".json").read_text())["filters"]
    assert poselift("view", tmp_path / "smooth").code == 0, "the folder is a result again"


def test_one_motion_into_a_folder_that_is_there(walk, tmp_path):
    (tmp_path / "out").mkdir()
    ran = poselift("smooth", walk / "person_1.npz", "--hampel", "--out", tmp_path / "out")
    assert (ran.code, ran.out.strip()) == (0, str(tmp_path / "out" / "person_1.npz"))


def test_what_a_killed_run_left_is_removed(walk, tmp_path):
    out = tmp_path / "person_1.npz"
    left = tmp_path / ".person_1.sgr1dz_y.json"
    left.mkdir()
    (left / ".person_1.jag2m68t.npz").touch()
    assert poselift("smooth", walk / "person_1.npz", "--cutoff", 3, "--out", out).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["person_1.json", "person_1.npz"]


def test_files_that_would_replace_others(walk, tmp_path):
    folder, twin = shutil.copytree(walk, tmp_path / "walk"), shutil.copytree(walk, tmp_path / "twin")
    smooth = ["smooth", folder, "--cutoff", 3, "--out"]
    assert_refused("person_1.npz is the input; choose another name", *smooth, folder)
    assert_refused("is one file for 2 motions; give a folder", *smooth, tmp_path / "all.npz")
    assert_refused("two of the motions are called person_1.npz", *smooth[:2], twin, *smooth[2:], tmp_path / "out")
    assert_refused("nothing to filter", "smooth", folder)
    assert not (tmp_path / "out").exists()
