import numpy as np
import pytest

from benchmarks.real import LIMBS, frame_errors, takes
from poselift.lifting.dataset_views import keypoints_of
from poselift.skeleton import H36M17
from poselift.structures import Motion


@pytest.fixture
def data(tmp_path):
    """Two takes of a person who stands 3 m away, and one of the action that is left out."""
    generator = np.random.default_rng(0)
    joints = generator.normal(0, 0.3, (90, 17, 3)).astype(np.float32) + np.float32([0, 0, 3])
    path = tmp_path / "real.npz"
    np.savez(
        path,
        seq_start=[0, 40, 60, 90],
        name=["one", "left out", "two"],
        action_id=["a01", "a03", "a02"],
        keypoints=generator.uniform(100, 400, (90, 17, 2)).astype(np.float32),
        times=np.arange(90) / 22 + 1000,
        joints_fit=joints,
        K=np.array([[525.0, 0, 320], [0, 525, 240], [0, 0, 1]]),
        dist=np.array([-0.3, 0.1, 0.0, 0.0]),
        image_size=np.array([640, 480]),
    )
    return path


def motion_of(view, joints, root):
    return Motion(joints, root, view.times.numpy(), np.zeros(len(view), bool), H36M17, "camera", keypoints_of(view))


def test_errors_by_hand(data):
    view, other = takes(data)
    assert (view.name, len(view), other.name, float(other.times[0])) == ("one", 40, "two", 0)
    joints, root = view.joints.numpy().copy(), view.root.numpy() + np.float32([0, 0, 0.07])
    np.testing.assert_allclose(frame_errors(view, motion_of(view, joints, root))[:, 2], 70, atol=0.01)
    joints[:, H36M17.index("left_wrist"), 0] += 0.12
    errors = frame_errors(view, motion_of(view, joints, root))
    np.testing.assert_allclose(errors[:, 0], 120 / len(LIMBS), atol=0.01)
    larger = frame_errors(view, motion_of(view, 1.1 * view.joints.numpy(), root))
    assert larger[:, 1].max() < 0.01 < 10 < larger[:, 0].min()
