import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.h36m import load_h36m
from poselift.data.h36m_cdf import prepare, read_cdf
from poselift.data.reading import load_object_npz
from tests.data.formats.h36m import MOVING, TEST, TRAIN, camera_frame, motion, takes, write_h36m_cdf

LENGTH = 3
TOOL = Path(__file__).parents[2] / "tools" / "prepare_h36m.py"


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    write_h36m_cdf(folder, LENGTH)
    return folder


@pytest.fixture
def copy(raw, tmp_path):
    """The download with links to its files, to be spoilt."""
    return Path(shutil.copytree(raw, tmp_path / "copy", copy_function=lambda a, b: Path(b).symlink_to(a)))


@pytest.mark.slow
def test_the_download_under_the_names_of_the_field(raw, tmp_path):
    prepare(raw, tmp_path)
    positions = load_object_npz(tmp_path / "data_3d_h36m.npz", "positions_3d")
    assert set(positions) == {*TRAIN, *TEST}
    for subject, found in positions.items():
        assert set(found) == set(takes(subject))
        for take, points in found.items():
            assert points.dtype == np.float32
            np.testing.assert_allclose(points, motion(LENGTH, subject, take), atol=1e-6)
    assert len(positions["S11"]) == 29


@pytest.mark.slow
def test_what_is_prepared_is_read(raw, tmp_path):
    summary = prepare(raw, tmp_path / "new" / "folder")
    views = load_h36m(tmp_path / "new" / "folder", "test", "gt")
    assert len(views) == 59 * 4
    frames = sum(len(view) for view in views)
    assert f"test: {frames} frames of 4 cameras, but 543344 are published" in summary
    view = views[40]
    world = motion(LENGTH, view.subject, view.name.split("/")[1])[:, MOVING]
    points = torch.from_numpy(camera_frame(world, view.subject, view.camera)).float()
    torch.testing.assert_close(view.joints + view.root[:, None], points, atol=2e-6, rtol=0)


def test_published_numbers_are_recognised(raw, tmp_path, monkeypatch):
    frames = {
        split: 4 * sum(len(motion(LENGTH, subject, take)) for subject in subjects for take in takes(subject))
        for split, subjects in (("train", TRAIN), ("test", TEST))
    }
    monkeypatch.setattr("poselift.data.h36m_cdf.FRAMES", frames)
    assert prepare(raw, tmp_path).count("as published") == 2


def test_the_tool(raw, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["prepare_h36m.py", str(raw), str(tmp_path)])
    runpy.run_path(str(TOOL), run_name="__main__")
    assert "train: " in capsys.readouterr().out
    assert (tmp_path / "data_3d_h36m.npz").is_file()
    monkeypatch.setattr(sys, "argv", ["prepare_h36m.py", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(TOOL), run_name="__main__")
    assert caught.value.code == 2
    assert "error: no such file: " in capsys.readouterr().err


def test_a_damaged_file(raw, tmp_path):
    (tmp_path / "a.cdf").write_bytes(next(raw.rglob("Directions.cdf")).read_bytes()[:900])
    with pytest.raises(InputError, match=r"a.cdf cannot be read as a CDF"):
        read_cdf(tmp_path / "a.cdf")


def test_incomplete_downloads(copy, tmp_path):
    place = copy / "S8" / "MyPoseFeatures" / "D3_Positions"
    (place / "Eating 1.cdf").unlink()
    with pytest.raises(InputError, match="D3_Positions: expected 2 takes of each action, found 1 of Eating"):
        prepare(copy, tmp_path / "out")
    assert not (tmp_path / "out" / "data_3d_h36m.npz").exists()
    shutil.rmtree(copy / "S5")
    with pytest.raises(InputError, match=r"no such file: .*S5.*\nHuman3.6M as downloaded is expected as") as caught:
        prepare(copy, tmp_path / "out")
    assert "http://vision.imar.ro/human3.6m/" in str(caught.value)
