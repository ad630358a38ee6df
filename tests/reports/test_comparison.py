from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from poselift.core.errors import InputError
from poselift.reports.comparison import compare
from poselift.reports.protocols import get_protocol
from poselift.skeleton import COCO17, H36M17, MPI_INF_3DHP17, Skeleton

CMU = get_protocol("cmu_bench")


def random_joints(skeleton, frames=5, seed=0):
    joints = np.random.default_rng(seed).normal(size=(frames, len(skeleton), 3)).astype(np.float32)
    return joints - joints[:, :1]


def test_a_prediction_may_be_relative_to_any_point(make_view):
    joints = random_joints(H36M17)
    pair = compare(make_view(joints), joints + 3, H36M17, CMU)
    assert pair.mask.all()
    assert pair.fps == pytest.approx(50)
    assert_close(pair.pred, pair.target, atol=1e-6, rtol=0)


def test_joints_are_compared_by_name(make_view):
    protocol = get_protocol("mpi_inf_3dhp")
    view = make_view(random_joints(H36M17), subject="TS1")
    pred = np.zeros((5, len(MPI_INF_3DHP17), 3), np.float32)
    for place, joint in enumerate(MPI_INF_3DHP17.joints):
        if joint in H36M17.joints:
            pred[:, place] = view.joints[:, H36M17.index(joint)].numpy()
    pair = compare(view, pred, MPI_INF_3DHP17, protocol)
    counted = {joint for joint, counts in zip(MPI_INF_3DHP17.joints, pair.mask[0].tolist(), strict=True) if counts}
    assert counted == set(protocol.joints) & set(H36M17.joints)
    assert_close(pair.pred, pair.target)


def test_the_middle_of_the_hips_stands_for_a_pelvis_that_is_not_there(make_view):
    view = make_view(random_joints(H36M17))  # whose pelvis is anywhere but between its hips
    pred = np.ones((5, 17, 3), np.float32)
    for place, joint in enumerate(COCO17.joints):
        if joint in H36M17.joints:
            pred[:, place] = view.joints[:, H36M17.index(joint)].numpy() + 1
    pair = compare(view, pred, COCO17, CMU)
    assert pair.mask.sum() == 5 * 12
    assert_close(pair.pred, pair.target, atol=1e-6, rtol=0)


def test_pixels_are_of_both_at_the_true_root(make_view):
    joints = random_joints(H36M17)
    root = torch.tensor([0.3, -0.2, 6.0]).repeat(5, 1)
    root[4] = torch.nan
    K = torch.tensor([[900.0, 0, 500], [0, 800.0, 400], [0, 0, 1]])
    pred = joints + np.random.default_rng(1).normal(scale=0.05, size=joints.shape).astype(np.float32)
    pred[1, 5, 2] = -9  # behind the camera: infinitely far away, not unknown
    # A prediction that is relative to another point, of a body without a pelvis between its hips.
    pair = compare(replace(make_view(joints), root=root, K=K), pred + 2, H36M17, CMU)
    got, truth, mask = pair.pixels()
    assert mask.all(1).tolist() == [True] * 4 + [False]
    for pixels, poses in ((got, pred - pred[:, :1]), (truth, joints)):
        place = (poses + root[:, None].numpy())[:4]
        expected = place[..., :2] / place[..., 2:] * [900, 800] + [500, 400]
        in_front = place[..., 2] > 0
        np.testing.assert_allclose(pixels[:4][torch.from_numpy(in_front)], expected[in_front], rtol=1e-4)
    assert got[1, 5].isinf().all()


def test_bad_predictions_are_refused(make_view):
    view, joints = make_view(random_joints(H36M17)), random_joints(H36M17)
    with pytest.raises(InputError, match=r"clip has shape \(4, 17, 3\); for 5 frames of h36m17 it must"):
        compare(view, joints[:4], H36M17, CMU)
    joints[1:3, H36M17.index("left_knee")] = np.nan
    with pytest.raises(InputError, match=r"clip is NaN or infinite in 2 of its 5 frames \(left_knee\)"):
        compare(view, joints, H36M17, CMU)
    nobody = Skeleton("arm", ("left_wrist", "right_wrist"), (None, None))
    with pytest.raises(InputError, match="skeleton arm has no pelvis"):
        compare(view, joints[:, :2], nobody, CMU)
