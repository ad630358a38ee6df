import pytest
import torch

from poselift.data.batches import Augmentation, TrainingBatches
from poselift.data.joint_sets import JointSetSampler, joint_mask
from poselift.data.noise import DetectorNoise
from poselift.data.virtual_camera import CameraRange
from poselift.data.windows import WindowSampler
from poselift.skeleton import CMU28, COCO17


def batches(corpus, seed=0, rank=0, sets=None):
    return TrainingBatches(
        corpus,
        8,
        3,
        WindowSampler(corpus, 24),
        JointSetSampler(sets or {"coco17": 1.0}),
        CameraRange(),
        DetectorNoise(),
        Augmentation(),
        seed,
        rank,
    )


def test_the_same_epoch_is_the_same_and_others_are_not(corpus):
    first, again = batches(corpus), batches(corpus)
    for a, b in zip(first, again, strict=True):
        torch.testing.assert_close(a.keypoints, b.keypoints, equal_nan=True)
        torch.testing.assert_close(a.joints, b.joints, equal_nan=True)
    again.set_epoch(1)
    others = [next(iter(x)) for x in (again, batches(corpus, seed=1), batches(corpus, rank=1))]
    for other in others:
        assert not torch.equal(other.joints.nan_to_num(), next(iter(first)).joints.nan_to_num())


def test_only_the_joint_set_is_seen(corpus):
    for batch in batches(corpus):
        seen = (batch.scores > 0).any(1).any(0)
        names = {joint for joint, s in zip(CMU28.joints, seen.tolist(), strict=True) if s}
        assert names <= set(COCO17.joints)
        assert batch.keypoints[batch.scores == 0].isnan().all()


def test_joint_masks():
    assert int(joint_mask("h36m17").sum()) == 17
    assert int(joint_mask("coco17").sum()) == 17
    assert int(joint_mask("halpe26").sum()) == 24, "small toes are not in the corpus"
    with pytest.raises(ValueError, match="no joint set"):
        joint_mask("nonsense")


def test_sets_are_drawn_by_their_shares(generator):
    sampler = JointSetSampler({"h36m17": 3.0, "coco17": 1.0}, drop=0.0)
    spine = CMU28.index("spine")
    share = sum(bool(sampler.sample(2, generator)[0, spine]) for _ in range(800)) / 800
    assert 0.7 < share < 0.8
