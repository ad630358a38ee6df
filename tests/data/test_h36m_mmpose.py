import pickle

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.h36m_cameras import h36m_camera, h36m_lens
from poselift.data.h36m_mmpose import load_h36m_mmpose
from poselift.skeleton import H36M17
from tests.data.formats.h36m import CAMERAS, FEW, MOVING, camera_frame, motion, write_h36m_mmpose

LENGTH = 11


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mmpose")
    write_h36m_mmpose(folder, LENGTH, some=FEW)
    write_h36m_mmpose(folder, LENGTH, fps=10, some=FEW)
    return folder


@pytest.fixture(scope="module")
def views(root):
    return load_h36m_mmpose(root, "test")


def take_of(view):
    return view.name.split("/")[1].replace("TakingPhoto", "Photo").replace("WalkingDog", "WalkDog")


@pytest.mark.slow
def test_a_view_for_each_video(root, views):
    assert len(views) == 2 * len(FEW) * 4
    assert len(load_h36m_mmpose(root, "train")) == 5 * len(FEW) * 4
    assert {view.action for view in views} == {"Directions", "Sitting", "Photo", "WalkDog"}
    assert [view.name for view in views[:5]] == [*(f"S9/Directions/{camera}" for camera in CAMERAS), views[4].name]
    assert views[4].name == f"S9/Directions 1/{CAMERAS[0]}"
    assert "S9/TakingPhoto 1/54138969" in {view.name for view in views}
    for view in views:
        assert len(view) == len(motion(LENGTH, view.subject, take_of(view)))


def test_joints_and_pixels(views):
    for view in views[::7]:
        world = motion(LENGTH, view.subject, take_of(view))[:, MOVING]
        points = torch.from_numpy(camera_frame(world, view.subject, view.camera))
        torch.testing.assert_close((view.joints + view.root[:, None]).double(), points, atol=2e-6, rtol=0)
        seen = h36m_lens(view.camera).project(points)
        torch.testing.assert_close(view.keypoints.double(), seen, atol=1e-3, rtol=0)
        assert view.scores.min() == 1
        assert view.skeleton == view.keypoint_skeleton == H36M17


def test_cameras_are_read_with_p_the_other_way_round(root, views):
    entry = pickle.loads((root / "annotation_body3d" / "cameras.pkl").read_bytes())["S9", CAMERAS[1]]
    camera, view = h36m_camera("S9", CAMERAS[1]), views[1]
    assert entry["p"][:, 0].tolist() == h36m_lens(CAMERAS[1]).tangential.flip(0).tolist()
    torch.testing.assert_close(view.distortion, torch.from_numpy(camera.distortion).float())
    torch.testing.assert_close(view.K, torch.from_numpy(camera.K).float())
    assert view.image_size.tolist() == [1000, 1000]
    assert views[0].image_size.tolist() == [1000, 1002]


def test_detections(root, views):
    found = load_h36m_mmpose(root, "test", "cpn_ft_h36m_dbb")
    array = np.load(root / "joint_2d_det_files" / "cpn_ft_h36m_dbb_test.npy")
    np.testing.assert_array_equal(torch.cat([view.keypoints for view in found]), array[..., :2])
    assert found[0].scores.unique().tolist() == pytest.approx([0.9])
    torch.testing.assert_close(found[9].joints, views[9].joints)


def test_takes_that_mmposes_configs_skip(root, views):
    skipped = load_h36m_mmpose(root, "test", skip=["S9_Sitting", "S11_TakingPhoto_1"])
    gone = {"S9/Sitting", "S11/TakingPhoto 1"} & {view.name.rpartition("/")[0] for view in views}
    assert gone
    for before, after in zip(views, skipped, strict=True):
        assert after.joints.isnan().all() == (after.name.rpartition("/")[0] in gone)
        torch.testing.assert_close(after.keypoints, before.keypoints)
    with pytest.raises(InputError, match=r"data.skip: .* has no take S9_Sleeping; takes are named like S11_Directions"):
        load_h36m_mmpose(root, "test", skip=["S9_Sleeping"])
