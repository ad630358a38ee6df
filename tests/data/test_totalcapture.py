import cv2
import numpy as np
import pytest
import torch

from poselift.data.totalcapture import load_totalcapture, load_totalcapture_corpus
from poselift.skeleton import TOTALCAPTURE21
from tests.data.formats.totalcapture import TAKES, cameras, write_totalcapture


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("totalcapture")
    return folder, write_totalcapture(folder, frames=4)


def test_the_papers_split(written):
    folder, truth = written
    train, test = load_totalcapture(folder, "train"), load_totalcapture(folder, "test", ["cam1", "cam8"])
    tested = ("acting3", "freestyle3", "walking2")
    expected = [f"{s}/{take}" for s in ("S1", "S2", "S3") for take in TAKES[s] if take not in tested]
    assert [view.name for view in train] == [f"{take}/cam{c}" for take in expected for c in range(1, 9)]
    expected = [f"{s}/{take}" for s in TAKES for take in tested]
    assert [view.name for view in test] == [f"{take}/cam{c}" for take in expected for c in (1, 8)]
    for view in train + test:
        take = view.name.rpartition("/")[0]
        assert len(view) == len(truth[take]) == 3 + int(view.subject[1])
        assert view.name == f"{view.subject}/{view.action}{take[-1]}/{view.camera}"
        torch.testing.assert_close(view.times, torch.arange(len(view)) / 60)


def test_projections_to_the_pixel(written):
    """OpenCV's projection of the written points through the written cameras."""
    folder, truth = written
    views = {view.name: view for view in load_totalcapture(folder, "train", cameras=["cam1", "cam4", "cam8"])}
    assert len(views) == 9 * 3
    for name, view in views.items():
        take, _, camera = name.rpartition("/")
        place, centre, f, k1 = list(cameras())[int(camera[-1]) - 1]
        forward = (np.array([0, 1, 0]) - centre) / np.linalg.norm(np.array([0, 1, 0]) - centre)
        right = np.cross(forward, [0, 1, 0]) / np.linalg.norm(np.cross(forward, [0, 1, 0]))
        R = np.stack([right, np.cross(forward, right), forward])
        K = np.array([[f, 0, 950 + place], [0, f + 2, 545 - place], [0, 0, 1]])
        points = (truth[take] - centre) @ R.T
        pixels, _ = cv2.projectPoints(points.reshape(-1, 3), np.zeros(3), np.zeros(3), K, np.array([k1, 0, 0, 0, 0]))
        np.testing.assert_allclose(view.keypoints.numpy(), pixels.reshape(-1, 21, 2), atol=1e-2)
        np.testing.assert_allclose((view.joints + view.root[:, None]).numpy(), points, atol=1e-5)
        np.testing.assert_allclose(view.K.numpy(), K, atol=1e-4)
        assert view.image_size.tolist() == [1920, 1080]
        assert view.distortion[0] == pytest.approx(k1)
        assert (view.scores == 1).all()


def test_who_is_outside_the_picture_is_not_seen(tmp_path):
    write_totalcapture(tmp_path, frames=2)
    path = tmp_path / "calibration.cal"
    path.write_text(path.read_text().replace("0 1079 0 1919", "0 539 0 1919"))
    view = load_totalcapture(tmp_path, "test", ["cam1"])[0]
    assert view.image_size.tolist() == [1920, 540]
    ankle, head = TOTALCAPTURE21.indices(["left_ankle", "head"])
    assert view.keypoints[:, ankle].isnan().all()
    assert (view.scores[:, ankle] == 0).all()
    assert view.keypoints[:, head].isfinite().all()
    assert view.joints.isfinite().all()


def test_the_motion_alone_in_metres(written):
    folder, truth = written
    corpus = load_totalcapture_corpus(folder, "train")
    assert corpus.names == tuple(f"{s}/{take}" for s in ("S1", "S2", "S3") for take in ("acting1", "acting2", "rom1"))
    assert corpus.subjects == tuple(name[:2] for name in corpus.names)
    assert corpus.fps == 60
    assert corpus.skeleton == TOTALCAPTURE21
    for index, name in enumerate(corpus.names):
        joints, root = corpus.clip(index)
        np.testing.assert_allclose((joints + root[:, None]).numpy(), truth[name], atol=1e-5)
        assert (joints[:, TOTALCAPTURE21.index("pelvis")] == 0).all()
        assert (joints[:, TOTALCAPTURE21.index("head"), 1] > 0.3).all(), "y is up"
    assert len(load_totalcapture_corpus(folder, "test").names) == 15
