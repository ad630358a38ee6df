import cv2
import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from poselift.data.still_camera import StillCamera
from poselift.skeleton import COCO17

TURN = np.array([0.1, 2.9, -0.2])


@pytest.fixture
def camera():
    return StillCamera(
        name="left wall",
        image_size=(640, 480),
        K=torch.tensor([[500.0, 0, 320], [0, 510, 240], [0, 0, 1]]).double(),
        R=torch.from_numpy(Rotation.from_rotvec(TURN).as_matrix()),
        t=torch.tensor([0.2, -0.1, 4.0]).double(),
        distortion=torch.tensor([-0.2, 0.05, 0.002, -0.003, 0.01]).double(),
    )


@pytest.fixture
def world():
    return np.random.default_rng(0).uniform(-2, 2, (50, 17, 3))


def test_projections_are_those_of_opencv_in_the_picture_alone(camera, world):
    view = camera.view("a", "b", world, COCO17, fps=60.0, action="walk")
    expected, _ = cv2.projectPoints(
        world.reshape(-1, 3), TURN, camera.t.numpy(), camera.K.numpy(), camera.distortion.numpy()
    )
    expected = expected.reshape(50, 17, 2)
    inside = (expected >= 0).all(-1) & (expected <= (640, 480)).all(-1)
    assert 0.2 < inside.mean() < 0.95
    np.testing.assert_allclose(view.keypoints.numpy()[inside], expected[inside], atol=1e-3)
    assert view.keypoints[torch.from_numpy(~inside)].isnan().all()
    assert (view.scores.numpy() == inside).all()


def test_joints_are_those_of_the_world_turned(camera, world):
    view = camera.view("a", "b", world, COCO17, fps=60.0, action="walk")
    expected = Rotation.from_rotvec(TURN).apply(world.reshape(-1, 3)) + [0.2, -0.1, 4.0]
    points = (view.joints + view.root[:, None]).reshape(-1, 3)
    np.testing.assert_allclose(points.numpy(), expected, atol=1e-5)
    hips = expected.reshape(50, 17, 3)[:, [11, 12]].mean(1)
    np.testing.assert_allclose(view.root.numpy(), hips, atol=1e-5)
    np.testing.assert_allclose(view.times.numpy(), np.arange(50) / 60, atol=1e-6)
    assert (view.name, view.subject, view.action, view.camera) == ("a", "b", "walk", "left wall")
    assert view.image_size.tolist() == [640, 480]
    np.testing.assert_allclose(view.distortion.numpy(), camera.distortion.numpy(), rtol=1e-6)
    np.testing.assert_allclose(view.K.numpy(), camera.K.numpy())
