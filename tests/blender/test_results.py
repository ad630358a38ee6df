import json
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.warped_clips import MOVES, Warp
from poselift.cli.main import main
from poselift.geometry.camera import camera_for
from poselift.recordings import read_recording
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter
from tests.blender.conftest import ADD_ON
from tests.kinematics.conftest import turn
from tests.kinematics.test_fingers import with_made_hands

pytestmark = pytest.mark.blender


@pytest.fixture(scope="module", params=["world", "camera", "turning"])
def folder(request, blender, tmp_path_factory):
    """Results of half a second of the demo clip, with the clip beside them; also of a camera that pans and zooms."""
    place = tmp_path_factory.mktemp(request.param)
    video = place / "walk.mp4"
    if request.param == "turning":
        warp = Warp(MOVES["pan 10, zoom"], camera_for((960, 540)), 3.0)
        with VideoWriter(video, 960, 540) as writer:
            for frame in VideoReader(demo_video(), 0.0, 1.6):
                writer.write(warp.picture(frame).image, frame.timestamp)
    else:
        shutil.copy(demo_video(), video)
    more = [] if request.param == "camera" else ["--world"]
    quick = ["--weights", "tiny", "--quality", "fast", "--no-render", "--quiet"]
    main(["lift", str(video), "--out", str(place / "out"), "--start", "1", "--end", "1.5", *quick, *more])
    return place / "out"


def test_people_camera_video_and_uncertainty_are_there(blender, folder):
    found = blender("open_folder.py", folder)
    summary = json.loads((folder / "summary.json").read_text())
    assert found["answer"] == ["FINISHED"]
    assert found["rate"] == pytest.approx(30, rel=1e-3)
    assert found["frames"] == [31, 46] or found["frames"] == [31, 45]
    assert found["size"] == [summary["width"], summary["height"]]
    assert found["video"] == ["walk.mp4", 1]
    assert len(found["people"]) == len(summary["people"]) == 2
    for name, person in found["people"].items():
        about = json.loads((folder / f"{name}.json").read_text())
        assert ("times" in about["camera"]) == folder.parent.name.startswith("turning")
        assert person["pixels"] < 0.01
        assert person["places"] < 0.02
        assert person["uncertainty"] < 1e-6
        assert person["height"] == pytest.approx(about["height"]["metres"])
        assert person["bones"] == sorted(about["skeleton"]["joints"])


def test_hands_are_finger_bones(blender, folder, tmp_path):
    recording = read_recording(folder)
    seen = np.ones((len(recording.people[0]), 2), bool)
    seen[:3, 0], seen[:, 1] = False, False
    palms = {"left": turn("x", np.linspace(0, 60, len(seen))), "right": turn("x", 0.0)}
    first = with_made_hands(recording.people[0], palms, seen)
    replace(recording, people=(first, *recording.people[1:])).save(tmp_path)
    found = blender("open_folder.py", tmp_path)["people"]
    bones = found["person_1"]["bones"]
    assert sum(name.startswith("left_hand_") for name in bones) == 20
    assert not any(name.startswith("right_hand_") for name in bones)
    assert found["person_1"]["fingers"] < 1e-4
    assert found["person_2"]["fingers"] is None
    assert not any("_hand_" in name for name in found["person_2"]["bones"])


def test_a_folder_without_people_is_refused(blender, tmp_path):
    with pytest.raises(AssertionError, match=r"has no person_\*.npz; choose a folder"):
        blender("open_folder.py", tmp_path)


def test_the_folder_is_an_extension_that_imports_nothing_of_ours(tmp_path):
    files = {path.name: path.read_text() for path in (ADD_ON / "poselift_blender").iterdir() if path.is_file()}
    assert "blender_manifest.toml" in files
    assert all("import poselift\n" not in text and "from poselift." not in text for text in files.values())
    assert all("SPDX-License-Identifier: Apache-2.0" in text for name, text in files.items() if name.endswith(".py"))
    archive = tmp_path / "add_on.zip"
    zipfile.main(["-c", str(archive), str(ADD_ON / "poselift_blender")])
    names = zipfile.ZipFile(archive).namelist()
    assert "poselift_blender/blender_manifest.toml" in names
    assert np.isin(["poselift_blender/__init__.py", "poselift_blender/retarget.py"], names).all()
