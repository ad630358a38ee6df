import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from poselift.core.errors import InputError
from poselift.data.mpi_inf_3dhp import CAMERAS, JOINTS28, SEQUENCES, TEST_CLIPS, load_mpi_inf_3dhp, read_calibration
from poselift.geometry import project
from poselift.skeleton import MPI_INF_3DHP17
from tests.data.formats.mpi_inf_3dhp import (
    JOINTS17,
    K_TRAIN,
    UNIVERSAL,
    valid_frames,
    write_mpi_inf_3dhp_test,
    write_mpi_inf_3dhp_train,
)


def placed(view):
    return view.joints + view.root[:, None]


def test_the_17_joints_by_their_place_in_the_file():
    assert [JOINTS28.index(joint) for joint in MPI_INF_3DHP17.joints] == JOINTS17
    assert list(CAMERAS) == [0, 1, 2, 4, 5, 6, 7, 8]
    assert sum(frames for _, frames in SEQUENCES.values()) == 131_592
    assert [name for name, (fps, _) in SEQUENCES.items() if fps == 50] == [
        ("S1", "Seq2"),
        ("S3", "Seq1"),
        ("S3", "Seq2"),
        ("S5", "Seq1"),
        ("S5", "Seq2"),
    ]


def test_training_views(tmp_path):
    truth = write_mpi_inf_3dhp_train(tmp_path, {"S1/Seq1": 8, "S1/Seq2": 6})
    views = load_mpi_inf_3dhp(tmp_path, "train", subjects=["S1"], universal=False)
    assert [view.name for view in views] == [f"S1/Seq{seq}/{camera}" for seq in (1, 2) for camera in CAMERAS]
    assert {view.subject for view in views} == {"S1"}
    for view in views:
        _, sequence, camera = view.name.split("/")
        annot3 = truth[f"S1/{sequence}"][int(camera)][:, JOINTS17]
        torch.testing.assert_close(placed(view), torch.tensor(annot3 / 1000).float(), atol=1e-5, rtol=0)
        torch.testing.assert_close(project(placed(view), view.K), view.keypoints, atol=0.01, rtol=0)
        assert view.image_size.tolist() == [2048, 2048]
    torch.testing.assert_close(views[0].times[-1], torch.tensor(7 / 25))
    torch.testing.assert_close(views[-1].times[-1], torch.tensor(5 / 50))


def test_universal_joints_stand_where_the_person_is_seen(tmp_path):
    write_mpi_inf_3dhp_train(tmp_path, {"S2/Seq1": 4, "S2/Seq2": 4})
    own, scaled = (
        load_mpi_inf_3dhp(tmp_path, "train", subjects=["S2"], cameras=[5], universal=universal)[0]
        for universal in (False, True)
    )
    torch.testing.assert_close(scaled.joints, own.joints * UNIVERSAL, atol=1e-5, rtol=0)
    torch.testing.assert_close(scaled.root, own.root, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        project(scaled.root[:, None], scaled.K)[:, 0],
        scaled.keypoints[:, MPI_INF_3DHP17.index("pelvis")],
        atol=0.01,
        rtol=0,
    )


def test_test_clips_and_their_cameras(tmp_path):
    truth = write_mpi_inf_3dhp_test(tmp_path / "mpi_inf_3dhp_test_set", {"TS1": 11, "TS3": 6, "TS6": 7})
    views = load_mpi_inf_3dhp(tmp_path, "test", subjects=["TS1", "TS3", "TS6"], universal=False)
    assert [(view.name, view.action) for view in views] == [
        ("TS1", "green screen"),
        ("TS3", "no green screen"),
        ("TS6", "outdoor"),
    ]
    assert [view.image_size.tolist() for view in views] == [[2048, 2048], [2048, 2048], [1920, 1080]]
    for view in views:
        valid = torch.from_numpy(valid_frames(len(view)))
        assert (view.joints.isfinite().all((1, 2)) == valid).all()
        assert (view.root.isfinite().all(1) == valid).all()
        assert view.keypoints.isfinite().all(), "a frame that does not count is still seen"
        expected = torch.tensor(truth[view.name] / 1000).float()
        torch.testing.assert_close(placed(view)[valid], expected[valid], atol=1e-5, rtol=0)
        seen = project(placed(view), view.K)
        torch.testing.assert_close(seen[valid], view.keypoints[valid], atol=0.01, rtol=0)


def test_a_calibration_file(tmp_path):
    write_mpi_inf_3dhp_train(tmp_path, {"S1/Seq1": 1})
    path = tmp_path / "S1/Seq1/camera.calibration"
    cameras = read_calibration(path)
    assert sorted(cameras) == list(range(14))
    np.testing.assert_allclose(cameras[13], K_TRAIN)
    path.write_text(path.read_text().replace("intrinsic", "intrinsics", 1))
    with pytest.raises(InputError, match=r"camera.calibration: camera \['0'\] has no 'intrinsic' with 16 numbers"):
        read_calibration(path)
    path.write_text("Skeletool Camera Calibration File V1.0\n")
    with pytest.raises(InputError, match="has no camera 0"):
        load_mpi_inf_3dhp(tmp_path, "train", subjects=["S1"])


def test_missing_data_is_told_with_the_tree(tmp_path):
    with pytest.raises(InputError, match=r"no such file: .*S1/Seq1/annot.mat\n(.*\n)*.*TS6(.*\n)*.*vcai.mpi-inf"):
        load_mpi_inf_3dhp(tmp_path, "train")
    with pytest.raises(InputError, match=r"no such file: .*mpi_inf_3dhp_test_set/TS1/annot_data.mat"):
        load_mpi_inf_3dhp(tmp_path, "test")
    with pytest.raises(
        InputError, match=r"split=val is not a split of MPI-INF-3DHP; choose train or test \(data.train.split and"
    ):
        load_mpi_inf_3dhp(tmp_path, "val")
    with pytest.raises(
        InputError, match=r"data.subjects=\[S1\]: the test split of MPI-INF-3DHP has no 'S1'; it has TS1, TS2"
    ):
        load_mpi_inf_3dhp(tmp_path, "test", subjects=["S1"])
    write_mpi_inf_3dhp_train(tmp_path, {"S1/Seq1": 1})
    with pytest.raises(InputError, match=r"camera.calibration has no camera 14"):
        load_mpi_inf_3dhp(tmp_path, "train", subjects=["S1"], cameras=[14])


def test_the_second_test_clip_has_a_zoom_of_its_own():
    """By a fit of its whole sequence; the other clips of the studio are alike."""
    first, second, third = (TEST_CLIPS[clip][2] for clip in ("TS1", "TS2", "TS3"))
    assert_allclose(second, [[1503.8, 0, 1015.2], [0, 1501.3, 1038.7], [0, 0, 1]], rtol=1e-6)
    assert_allclose(first, third)
