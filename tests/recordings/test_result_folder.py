"""The folder of results and the files of the user in it."""

import json
import shutil

import pytest

from poselift.core.errors import InputError
from poselift.recordings.reading import find_all_motions
from poselift.recordings.result_folder import open_results


def _write(folder, path, files):
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("new")
    names = sorted({name.split("/")[0] for name in files})
    summary = {"path": str(path), "people": [], "weights": {}, "files": names}
    (folder / "summary.json").write_text(json.dumps(summary))


def test_the_users_model_in_a_folder_of_opensim_stays(tmp_path):
    out, path = tmp_path / "out", tmp_path / "walk.mp4"
    ours = ["person_1.opensim/person_1.trc", "person_1.opensim/scale.xml"]
    for files in (ours, ours, ["person_1.npz"]):
        with open_results(out, path, None) as folder:
            _write(folder, path, files)
        for name in ours:
            assert (out / name).exists() == (name in files)
        (out / "person_1.opensim" / "Rajagopal2015.osim").write_text("the user's")
    assert (out / "person_1.opensim" / "Rajagopal2015.osim").read_text() == "the user's"


def test_results_of_a_run_that_has_not_ended_are_none(tmp_path):
    """A batch, or a lift, keeps them in hidden folders until they are complete."""
    for name in ("walk", ".run.unfinished", ".poselift_unfinished"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "person_1.npz").touch()
    assert find_all_motions([tmp_path]) == [tmp_path / "walk" / "person_1.npz"]
    shutil.rmtree(tmp_path / "walk")
    with pytest.raises(InputError, match="has no person_"):
        find_all_motions([tmp_path])
