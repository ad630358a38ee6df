import numpy as np
import pytest

from benchmarks import real
from benchmarks.real import LIMBS, frame_errors, knees_of, ray_errors, takes
from poselift.lifting.dataset_views import keypoints_of
from poselift.skeleton import H36M17
from poselift.structures import Motion

pytestmark = pytest.mark.slow


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


def test_takes(data):
    views = takes(data)
    assert [(view.name, len(view)) for view in views] == [("one", 40), ("two", 30)]
    assert float(views[1].times[0]) == 0
    assert views[0].distortion.tolist() == pytest.approx([-0.3, 0.1, 0, 0, 0])


def test_errors_by_hand(data):
    view = takes(data)[0]
    joints, root = view.joints.numpy().copy(), view.root.numpy() + np.float32([0, 0, 0.07])
    np.testing.assert_allclose(frame_errors(view, motion_of(view, joints, root))[:, 2], 70, atol=0.01)
    joints[:, H36M17.index("left_wrist"), 0] += 0.12
    errors = frame_errors(view, motion_of(view, joints, root))
    np.testing.assert_allclose(errors[:, 0], 120 / len(LIMBS), atol=0.01)
    larger = frame_errors(view, motion_of(view, 1.1 * view.joints.numpy(), root))
    assert larger[:, 1].max() < 0.01 < 10 < larger[:, 0].min()


def test_knees_by_hand(data):
    view = takes(data)[0]
    joints = view.joints.numpy().copy()
    legs = H36M17.indices(["left_hip", "left_knee", "left_ankle", "right_hip", "right_knee", "right_ankle"])
    joints[:, legs] = [[0, 0, 0], [0, 1, 0], [0, 1.5, 0.5], [1, 0, 0], [1, 1, 0], [1, 2, 0]]
    true, lifted = knees_of(view, motion_of(view, joints, view.root.numpy())).T
    np.testing.assert_allclose(lifted.reshape(-1, 2), [[45, 0]] * len(view), atol=1e-3)
    assert ((true > 0) & (true < 180)).all()


def test_errors_along_and_across_the_rays_by_hand(data):
    view = takes(data)[0]
    joints = view.joints.numpy().copy()
    wrist = H36M17.index("left_wrist")
    ray = joints[:, wrist] + view.root.numpy()
    joints[:, wrist] += 0.1 * ray / np.linalg.norm(ray, axis=-1, keepdims=True)
    along, across, *_ = ray_errors(view, motion_of(view, joints, view.root.numpy()))[:, LIMBS.index("left_wrist")].T
    np.testing.assert_allclose(along, 0.1, atol=1e-5)
    np.testing.assert_allclose(across, 0, atol=1e-5)


def test_the_table(data, lifter_file, capsys):
    real.main(["--data", str(data), "--weights", str(lifter_file)])
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    rows = {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines[1:]}
    assert len(rows) == 9 + 3 + 2 + 6 + 1 + 1
    for row in ("22 frames a second", "11 frames a second", "7 frames a second"):
        assert all(float(cell) > 0 for cell in rows[row])
    assert rows["22 frames a second"][0] == rows["all seen"][0] != rows["11 frames a second"][0]
    assert rows[""][0] == "along mm"
    assert float(rows["wrist"][0]) > 0
    assert float(rows["a01"][3]) >= abs(float(rows["a01"][2]))
    assert rows["all seen"][1:5:2] == ["0.0", ""]
    assert float(rows["every second frame empty"][3]) > 0
