import numpy as np
import pytest
import torch

from poselift.data.humaneva import fit_intrinsics, load_humaneva
from poselift.geometry import project
from poselift.skeleton import COCO17, HUMANEVA15
from tests.data.formats.humaneva import ACTIONS, K, write_humaneva


@pytest.mark.parametrize(("split", "part"), [("train", "Train"), ("test", "Validate")])
def test_views(tmp_path, split, part):
    truth = write_humaneva(tmp_path, frames=6, chunks=2)
    views = load_humaneva(tmp_path, split)
    assert len(views) == 3 * len(ACTIONS) * 2 * 3
    assert {(view.subject, view.camera) for view in views} == {(f"S{s}", f"C{c}") for s in (1, 2, 3) for c in (1, 2, 3)}
    assert {view.action for view in views} == {"Walking", "Jog", "Box", "Gestures", "ThrowCatch"}
    for view in views:
        points = view.joints + view.root[:, None]
        expected = torch.tensor(truth[f"{part}/{view.name}"]).float()
        torch.testing.assert_close(points, expected, atol=1e-5, rtol=0)
        torch.testing.assert_close(project(points, view.K), view.keypoints, atol=0.02, rtol=0)
        assert view.image_size.tolist() == [640, 480]
        assert (view.joints[:, HUMANEVA15.index("head"), 1] < 0).all(), "the head is up"
    torch.testing.assert_close(views[0].times, torch.arange(6) / 60)


def test_detections_are_cut_to_the_poses_and_the_camera_is_that_of_the_exact_2d(tmp_path):
    write_humaneva(tmp_path, frames=6)
    exact = load_humaneva(tmp_path, "test")
    detected = load_humaneva(tmp_path, "test", keypoints="detectron_pt_coco")
    assert {view.keypoint_skeleton for view in detected} == {COCO17}
    for one, other in zip(exact, detected, strict=True):
        assert len(one) == len(other) == len(other.keypoints) == 6
        torch.testing.assert_close(other.K, one.K, atol=0, rtol=0)
        torch.testing.assert_close(other.joints, one.joints, atol=0, rtol=0)
        np.testing.assert_allclose(one.K, K, atol=0.05)


def test_fitted_intrinsics():
    rng = np.random.default_rng(0)
    points = rng.normal(0, 0.5, (40, 15, 3)) + [0.2, 0.1, 4.0]
    pixels = np.stack([points[..., i] / points[..., 2] * K[i, i] + K[i, 2] for i in (0, 1)], -1)
    pixels[3, 4] = np.nan
    np.testing.assert_allclose(fit_intrinsics(points, pixels), K, rtol=1e-9, atol=1e-9)
    noisy = fit_intrinsics(points, pixels + rng.normal(0, 1, pixels.shape))
    np.testing.assert_allclose(noisy, K, atol=2)
