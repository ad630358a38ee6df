import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.geometry import bone_lengths
from poselift.skeleton import CMU28


def test_people_keep_their_bones_and_stand_on_the_ground():
    corpus = synthetic_corpus(4, 100, seed=1)
    for clip in range(4):
        joints, root = corpus.clip(clip)
        lengths = bone_lengths(joints, CMU28.parent_indices)
        torch.testing.assert_close(lengths, lengths[:1].expand_as(lengths), atol=1e-5, rtol=1e-4)
        low = float((joints + root[:, None])[..., 1].min())
        assert -0.15 < low < 0.25
        assert float(joints[:, CMU28.index("head_top"), 1].min()) > 0.4


def test_the_same_seed_is_the_same():
    a, b, c = synthetic_corpus(2, 50, 7), synthetic_corpus(2, 50, 7), synthetic_corpus(2, 50, 8)
    assert torch.equal(a.joints, b.joints)
    assert not torch.equal(a.joints, c.joints)
    first, again = render_views(a, 1)[0], render_views(b, 1)[0]
    torch.testing.assert_close(first.keypoints, again.keypoints, equal_nan=True)
    assert first.joints.shape == (50, 28, 3)
