import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.skeleton import CMU28


def test_reading_a_split(cmu_files, corpus):
    train = load_cmu(cmu_files[0], "train")
    assert train.names == corpus.names[:3]
    assert train.clip_start.tolist() == [0, 150, 300, 450]
    torch.testing.assert_close(train.root, corpus.root[:450])
    torch.testing.assert_close(train.joints[150:], corpus.joints[150:450], atol=1e-4, rtol=0)
    assert train.joints[:150, CMU28.index("nose")].isnan().all()


def rewrite(path, **changes):
    arrays = dict(np.load(path))
    arrays.update(changes)
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"root": None}, "no array 'root'"),
        ({"joints": np.array(CMU28.joints[::-1])}, "differ from those of cmu28"),
        ({"clip_start": np.array([0, 5])}, "does not fit"),
    ],
)
def test_malformed_files_are_named(cmu_files, change, message):
    rewrite(cmu_files[0], **change)
    with pytest.raises(InputError, match=message) as caught:
        load_cmu(cmu_files[0], "train")
    assert "cmu50.npz" in str(caught.value)


def test_bench_views(cmu_files):
    det, gt = (CmuBench(*cmu_files, "halpe26", keypoints) for keypoints in ("det", "gt"))
    assert len(det) == 2
    for exact, found in zip(gt, det, strict=True):
        seen = found.scores > 0
        assert not seen[:, CMU28.index("spine")].any(), "Halpe has no spine"
        # Keypoints are stored to a sixteenth of a pixel, motion to a tenth of a millimetre.
        assert float((exact.keypoints - found.keypoints)[seen].abs().max()) < 0.1
        assert found.keypoints[~seen].isnan().all()
        torch.testing.assert_close(found.times[1] - found.times[0], torch.tensor(0.02))
    assert det[0].keypoints[10:20, 3].isnan().all()
    assert gt[0].keypoints[10:20, 3].isfinite().all()
    assert det[0].scores[:, 3].unique().tolist() == [0, 1]


def test_bench_that_does_not_fit(cmu_files):
    with pytest.raises(InputError, match=r"data.keypoints=other: .* has no 'other'; it has det, gt"):
        CmuBench(*cmu_files, keypoints="other")
    rewrite(cmu_files[1], clip_index=np.array([4, 99]))
    with pytest.raises(InputError, match="names clip 99"):
        CmuBench(*cmu_files)


@pytest.mark.slow
def test_the_real_corpus(shared):
    train = load_cmu(shared / "data/cmu/cmu50.npz", "train")
    assert len(train.joints) == 209_810
    val = CmuBench(shared / "data/cmu/cmu50.npz", shared / "data/cmu/bench_val.npz")
    assert sum(len(view.times) for view in val) == 31_980
