import cv2
import numpy as np
import pytest
import torch

from poselift.data.aist import load_aist
from poselift.skeleton import COCO17
from tests.data.formats.aist import IGNORED, SPLITS, cameras, detections, write_aist

CAMERAS = [f"c0{number}" for number in range(1, 10)]
OF_A_SETTING = {name: number % 2 + 1 for number, name in enumerate(name for names in SPLITS.values() for name in names)}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("aist")
    return folder, write_aist(folder, frames=5)


def sequence_of(view):
    return view.name.replace(view.camera, "cAll")


def test_the_splits_without_what_is_to_be_ignored(written):
    folder, truth = written
    # One camera of the first sequence in train and in test is not usable.
    names = set()
    for split, count in (("train", 17), ("val", 9), ("test", 17)):
        views = load_aist(folder, split)
        names.update(view.name for view in views)
        assert len(views) == count
        assert {sequence_of(view) for view in views} == set(SPLITS[split]) - {IGNORED}
        for view in views:
            assert len(view) == len(truth[sequence_of(view)])
            torch.testing.assert_close(view.times, torch.arange(len(view)) / 60)
            assert view.image_size.tolist() == [1920, 1080]
            assert view.keypoint_skeleton == view.skeleton == COCO17
            genre, _, camera, dancer, _, _ = view.name.split("_")
            assert (view.action, view.camera, view.subject) == (genre, camera, dancer)
    assert "gBR_sBM_c05_d04_mBR0_ch01" not in names
    assert "gJB_sBM_c07_d07_mJB3_ch05" not in names
    assert "gBR_sBM_c04_d04_mBR0_ch01" in names


def test_projections_to_the_pixel(written):
    """OpenCV's projection, in centimetres, of what was written."""
    folder, truth = written
    for view in load_aist(folder, "test"):
        sequence = sequence_of(view)
        camera = cameras(OF_A_SETTING[sequence])[CAMERAS.index(view.camera)]
        rotation, translation, K, distortion = (
            np.array(camera[key]) for key in ("rotation", "translation", "matrix", "distortions")
        )
        world = 100 * truth[sequence]
        pixels, _ = cv2.projectPoints(world.reshape(-1, 3), rotation, translation, K, distortion)
        np.testing.assert_allclose(view.keypoints.numpy(), pixels.reshape(-1, 17, 2), atol=1e-2)
        assert (view.scores == 1).all()
        points = world @ cv2.Rodrigues(rotation)[0].T + translation
        np.testing.assert_allclose((view.joints + view.root[:, None]).numpy(), points / 100, atol=1e-5)
        np.testing.assert_allclose(view.K.numpy(), K)
        np.testing.assert_allclose(view.distortion.numpy(), distortion, atol=1e-6)


def test_the_detections_it_comes_with(written):
    folder, _ = written
    for view in load_aist(folder, "train", keypoints="detected"):
        expected = detections(len(view))[CAMERAS.index(view.camera)]
        found = slice(0, -1 if view.camera == "c02" else None)
        np.testing.assert_array_equal(view.keypoints[found].numpy(), expected[found])
        torch.testing.assert_close(view.scores[found], torch.full_like(view.scores[found], 0.9))
        if view.camera == "c02":
            assert view.keypoints[-1].isnan().all()
            assert (view.scores[-1] == 0).all()
        assert view.joints.isfinite().all()
