import numpy as np
import torch

from poselift.data.mpi_inf_3dhp import CAMERAS, load_mpi_inf_3dhp
from poselift.data.mpi_inf_3dhp_npz import load_mpi_inf_3dhp_npz
from tests.data.formats.mpi_inf_3dhp import (
    JOINTS17,
    K_TRAIN,
    UNIVERSAL,
    valid_frames,
    write_mpi_inf_3dhp_npz,
    write_mpi_inf_3dhp_test,
    write_mpi_inf_3dhp_train,
)


def test_views_of_both_files(tmp_path):
    write_mpi_inf_3dhp_npz(tmp_path, {"S1 Seq1": 7, "S1 Seq2": 5}, {"TS1": 11, "TS6": 6})
    train = load_mpi_inf_3dhp_npz(tmp_path, "train")
    assert [view.name for view in train] == [f"S1/Seq{seq}/{camera}" for seq in (1, 2) for camera in CAMERAS]
    torch.testing.assert_close(train[0].times[1], torch.tensor(1 / 25))
    torch.testing.assert_close(train[-1].times[1], torch.tensor(1 / 50))
    np.testing.assert_allclose(train[0].K, K_TRAIN)
    test = load_mpi_inf_3dhp_npz(tmp_path, "test")
    assert [(view.name, len(view), view.action) for view in test] == [
        ("TS1", 11, "green screen"),
        ("TS6", 6, "outdoor"),
    ]
    for view in test:
        counted = view.joints.isfinite().all((1, 2))
        assert (counted == torch.from_numpy(valid_frames(len(view)))).all()
    assert all(view.root.isnan().all() for view in train + test)


def test_the_same_views_as_of_the_download(tmp_path):
    """The files hold annot2 and univ_annot3 of the download."""
    annot3 = write_mpi_inf_3dhp_train(tmp_path, {"S4/Seq1": 6, "S4/Seq2": 5})
    clip = write_mpi_inf_3dhp_test(tmp_path, {"TS2": 9})["TS2"]
    raw = load_mpi_inf_3dhp(tmp_path, "train", subjects=["S4"], cameras=[0])
    (raw_test,) = load_mpi_inf_3dhp(tmp_path, "test", subjects=["TS2"])
    data = {
        f"S4 Seq{n}": [
            {
                "0": {
                    "data_2d": raw[n - 1].keypoints.numpy(),
                    "data_3d": annot3[f"S4/Seq{n}"][0][:, JOINTS17] * UNIVERSAL + 70,
                }
            },
            25,
        ]
        for n in (1, 2)
    }
    np.savez(tmp_path / "data_train_3dhp.npz", data=np.array(data, object))
    data = {"TS2": {"data_2d": raw_test.keypoints.numpy(), "data_3d": clip * UNIVERSAL, "valid": valid_frames(9)}}
    np.savez(tmp_path / "data_test_3dhp.npz", data=np.array(data, object))
    found = load_mpi_inf_3dhp_npz(tmp_path, "train") + load_mpi_inf_3dhp_npz(tmp_path, "test")
    for ours, theirs in zip([*raw, raw_test], found, strict=True):
        for key in ("name", "subject", "action", "camera"):
            assert getattr(ours, key) == getattr(theirs, key)
        for key in ("joints", "keypoints", "scores", "times", "image_size", "K"):
            torch.testing.assert_close(getattr(theirs, key), getattr(ours, key), atol=1e-5, rtol=0, equal_nan=True)
