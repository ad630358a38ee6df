import numpy as np
import torch

from poselift.data.cmu import load_cmu, load_corpora
from poselift.data.lending import collect_bodies, put_on_bodies
from poselift.data.synthetic import synthetic_corpus
from poselift.geometry import bone_vectors
from poselift.skeleton import CMU28


def bones(joints):
    return bone_vectors(joints, CMU28.parent_indices)


def test_clips_move_as_before_with_the_bones_of_another():
    corpus, other = synthetic_corpus(2, 60, seed=1), synthetic_corpus(1, 60, seed=2)
    taller = other.joints * 1.2
    (body,) = collect_bodies(
        type(other)(taller, *(getattr(other, name) for name in list(vars(other))[1:])), set(other.subjects)
    )
    lent = put_on_bodies(corpus, [body])
    knee, shin = CMU28.index("left_knee"), CMU28.index("left_ankle")
    for joint in (knee, shin, CMU28.index("right_wrist")):
        own, new, lender = bones(corpus.joints)[:, joint], bones(lent.joints)[:, joint], bones(taller)[:, joint]
        torch.testing.assert_close(new.norm(dim=-1), lender.norm(dim=-1).median().expand(120), rtol=1e-3, atol=1e-4)
        cosine = torch.nn.functional.cosine_similarity(own, new, dim=-1)
        assert float(cosine.min()) > 0.9999
    wide = (lent.joints[:, CMU28.index("left_hip")] - lent.joints[:, CMU28.index("right_hip")]).norm(dim=-1)
    theirs = (taller[:, CMU28.index("left_hip")] - taller[:, CMU28.index("right_hip")]).norm(dim=-1)
    torch.testing.assert_close(wide, theirs.median().expand(120), rtol=1e-3, atol=1e-4)
    legs = [
        float(bones(joints)[:, [knee, shin]].norm(dim=-1).median(0).values.sum())
        for joints in (corpus.joints[:60], taller)
    ]
    torch.testing.assert_close(lent.root[:60], corpus.root[:60] * legs[1] / legs[0], rtol=1e-3, atol=1e-3)


def test_tier_c_takes_the_bodies_of_tier_a(cmu_files, tmp_path):
    arrays = dict(np.load(cmu_files[0]))
    arrays["subject"] = np.array([f"other_{subject}" for subject in arrays["subject"]])
    arrays["tier"] = np.array(["C", "A", "B", "A", "A", "A"])
    np.savez(tmp_path / "extra50.npz", **arrays)
    paths = [cmu_files[0], tmp_path / "extra50.npz"]
    own, other = (load_cmu(path, "train") for path in paths)
    both = load_corpora(paths, "train")
    assert both.names == own.names + other.names[1:] + other.names[:1]
    last, before = both.clip(5)[0], other.clip(0)[0]
    assert not torch.allclose(last.nan_to_num(), before.nan_to_num(), atol=1e-3)
    joint = CMU28.index("left_elbow")
    cosine = torch.nn.functional.cosine_similarity(bones(last)[:, joint], bones(before)[:, joint], dim=-1)
    assert float(cosine.min()) > 0.9999
    again = load_corpora(paths, "train")
    torch.testing.assert_close(again.joints, both.joints, equal_nan=True, rtol=0, atol=0)
