import colorsys

import cv2
import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection import Detector, MMPose
from poselift.detection.mmpose import backend
from poselift.detection.mmpose.compat import mmpose_imports
from poselift.skeleton import get_skeleton

pytestmark = pytest.mark.slow

PERSON = "rtmdet_nano_320-8xb32_coco-person"
RTMPOSE = "rtmpose-t_8xb256-420e_body8-256x192"
HALPE = "rtmpose-t_8xb1024-700e_body8-halpe26-256x192"
CONFIGS = {
    HALPE: "halpe26",
    "rtmpose-t_8xb64-270e_coco-ubody-wholebody-256x192": "coco_wholebody23",
    "td-hm_res101_8xb64-210e_aic-256x192": "crowdpose14",
}
"""Configs that mmpose ships -> the joint set that they come to."""
MMPOSE_NAMES = {"head_top": "head", "neck_base": "neck", "pelvis": "hip"}
AIC_NAMES = {"neck_base": "neck"}


@pytest.fixture(scope="module")
def detector(build):
    return build(RTMPOSE)


@pytest.fixture
def seen_by(monkeypatch):
    """Makes a detector find people in given boxes."""

    def fix(detector, boxes):
        found = [(np.array(people, float).reshape(-1, 4), np.full(len(people), 0.9)) for people in boxes]
        monkeypatch.setattr(detector, "_find_people", lambda pictures: found[: len(pictures)])

    return fix


def assert_same(found, expected):
    assert len(found) == len(expected)
    np.testing.assert_allclose(found.boxes, expected.boxes, atol=1e-2)
    same = np.isclose(found.scores, expected.scores, rtol=0, atol=1e-3)
    same &= np.isclose(found.keypoints, expected.keypoints, rtol=0, atol=1e-2, equal_nan=True).all(-1)
    # Weights are random: where two places score alike, the last digit of a sum, which differs with the size of the
    # batch, says which is taken. Of somebody else, or from another frame, hardly a joint would be the same.
    assert same.mean() >= 0.8


@pytest.mark.parametrize("config", CONFIGS)
def test_shipped_configs_give_what_mmpose_itself_gives(config, build, checkpoint, pictures, seen_by):
    """In each of three boxes, joint by joint in mmpose's own names."""
    detector = build(config)
    assert isinstance(detector, Detector)
    assert detector.skeleton == get_skeleton(CONFIGS[config])
    assert detector.weights[f"{config}.pth"] == sha256(checkpoint(config))
    seen_by(detector, [[[100, 60, 330, 500], [400, 90, 600, 520], [-20, 300, 150, 600]]])
    found = detector.detect(pictures[:1])[0]
    assert found.keypoints.shape == (3, len(detector.skeleton), 2)
    assert np.isfinite(found.keypoints).any()
    bgr = np.ascontiguousarray(pictures[0][..., ::-1])
    with mmpose_imports():
        from mmpose.apis import inference_topdown

        results = inference_topdown(detector._pose, bgr, found.boxes.astype(np.float32))
    ids = detector._pose.dataset_meta["keypoint_name2id"]
    renamed = AIC_NAMES if "aic" in config else MMPOSE_NAMES
    for person, result in enumerate(results):
        for joint, name in enumerate(detector.skeleton.joints):
            index = ids[renamed.get(name, name)]
            point = result.pred_instances.keypoints[0, index]
            score = result.pred_instances.keypoint_scores[0, index]
            inside = (point > -0.5).all() and point[0] < bgr.shape[1] - 0.5 and point[1] < bgr.shape[0] - 0.5
            if inside and score > 0:
                np.testing.assert_allclose(found.keypoints[person, joint], point, atol=1e-2)
                np.testing.assert_allclose(found.scores[person, joint], min(score, 1), atol=1e-3)
            else:
                assert np.isnan(found.keypoints[person, joint]).all()
                assert found.scores[person, joint] == 0


def test_a_batch_is_its_frames_one_by_one(detector, pictures, monkeypatch):
    """Also where people and frames are more than go through the models at once."""
    small = np.ascontiguousarray(pictures[0][100:400, 200:500])
    frames = [*pictures[:2], small, pictures[2]]
    together = detector.detect(frames)
    assert max(len(found) for found in together) >= 2
    assert len({len(found) for found in together}) > 1, "as many people in each frame would not show a mix-up"
    monkeypatch.setattr(backend, "_CROPS", 2)
    monkeypatch.setattr(backend, "_FRAMES", 1)
    for found, again in zip(together, detector.detect(frames), strict=True):
        assert_same(found, again)
    assert detector.detect([]) == []


def test_people_of_several_frames_go_through_the_model_together(detector, pictures, seen_by, monkeypatch):
    sizes, step = [], detector._pose.test_step
    monkeypatch.setattr(
        detector._pose, "test_step", lambda batch: sizes.append(len(batch["inputs"])) or step(batch), raising=False
    )
    monkeypatch.setattr(backend, "_CROPS", 4)
    boxes = [[[100 + 90 * k, 80, 180 + 90 * k, 300] for k in range(people)] for people in (2, 0, 3)]
    seen_by(detector, boxes)
    assert [len(found) for found in detector.detect(pictures)] == [2, 0, 3]
    assert sizes == [4, 1]


def colours(count):
    """RGB of as many different hues."""
    return np.array([colorsys.hsv_to_rgb(k / count, 1, 1) for k in range(count)]) * 255


def see_marks(model):
    """Makes a pose model answer with the middles of coloured marks in what it is given, one colour a joint.

    The crop before and the decoding after it are the config's own.
    """
    count = len(model.dataset_meta["keypoint_id2name"])
    mean, std = model.data_preprocessor.mean, model.data_preprocessor.std
    codec = model.head.decoder

    def answer(crops):
        encoded = []
        for crop in crops:
            rgb = (crop * std + mean).permute(1, 2, 0).numpy()
            rows, columns = np.mgrid[: rgb.shape[0], : rgb.shape[1]]
            weights = [np.exp(-(((rgb - colour) / 12) ** 2).sum(-1) / 2) for colour in colours(count)]
            marks = [((w * columns).sum() / w.sum(), (w * rows).sum() / w.sum()) for w in weights]
            encoded.append(codec.encode(np.array([marks], np.float32), np.ones((1, count), np.float32)))
        if "heatmaps" in encoded[0]:
            return torch.from_numpy(np.stack([one["heatmaps"] for one in encoded]))
        parts = ("keypoint_x_labels", "keypoint_y_labels")
        return tuple(torch.from_numpy(np.concatenate([one[part] for one in encoded])) for part in parts)

    model.extract_feat = lambda inputs: inputs
    model.head.forward = answer
    model.test_cfg["flip_test"] = False  # a mirrored mark keeps its colour


@pytest.mark.parametrize(
    "config",
    [
        HALPE,
        "td-hm_hrnet-w32_udp-8xb64-210e_coco-256x192",
    ],
)
def test_marks_are_found_where_they_are(config, build, seen_by):
    """To half a pixel of the picture, each under its own joint's name, for several people in two frames."""
    detector = build(config)
    see_marks(detector._pose)
    rng = np.random.default_rng(0)
    count = len(detector._names)
    # People of a size at which half a pixel is not finer than the steps of the models' own answers.
    boxes = [[[40, 30, 190, 230], [300, 100, 440, 290]], [[250, 60, 380, 260]]]
    frames, truth = [], []
    for people in boxes:
        frame = np.zeros((420, 640, 3), np.uint8)
        for x0, y0, x1, y1 in people:
            grid = np.stack(np.meshgrid(np.linspace(x0 + 9, x1 - 9, 6), np.linspace(y0 + 9, y1 - 9, 6)), -1)
            points = rng.permutation(grid.reshape(-1, 2))[:count].round().astype(int) + rng.integers(-2, 3, (count, 2))
            for point, colour in zip(points, colours(count), strict=True):
                cv2.circle(frame, point.tolist(), 6, colour.tolist(), -1)
            truth.append(points)
        frames.append(frame)
    seen_by(detector, boxes)
    found = detector.detect(frames)
    assert [len(people) for people in found] == [2, 1]
    renamed = {"neck_base": "upper_neck"} if "mpii" in config else MMPOSE_NAMES
    order = [detector._names.index(renamed.get(name, name)) for name in detector.skeleton.joints]
    for keypoints, points in zip(np.concatenate([people.keypoints for people in found]), truth, strict=True):
        assert np.abs(keypoints - points[order]).max() < 0.5


@pytest.mark.parametrize(
    ("config", "weights", "message"),
    [
        ("rtmo-s_8xb32-600e_coco-640x640", RTMPOSE, "only top-down"),
        ("rtmpose-m_8xb256-210e_hand5-256x256", "rtmpose-m_8xb256-210e_hand5-256x256", "human bodies"),
        (HALPE, RTMPOSE, "not of the model"),
    ],
)
def test_models_that_cannot_be_used(config, weights, message, checkpoint):
    with pytest.raises(InputError, match=message):
        MMPose("cpu", config, weights and checkpoint(weights), PERSON, checkpoint(PERSON))


def test_offline_nothing_is_fetched(checkpoint, tmp_path, monkeypatch):
    """The weights that were published for the config are missing, and the error says which file to put where."""
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path))
    expected = rf"026a1439_20230504\.pth is not in the cache.*SHA-256 begins with 026a1439.*{tmp_path}"
    with pytest.raises(InputError, match=expected):
        MMPose("cpu", RTMPOSE, None, PERSON, checkpoint(PERSON), offline=True)


def test_an_older_checkpoint_of_parallel_training_is_read(build, checkpoint, pictures, tmp_path):
    """Names that begin with "module.", and no word on the data: the config's own joint names hold."""
    saved = torch.load(checkpoint(RTMPOSE), weights_only=False)
    torch.save({f"module.{key}": value for key, value in saved["state_dict"].items()}, tmp_path / "old.pth")
    old = MMPose("cpu", RTMPOSE, str(tmp_path / "old.pth"), PERSON, checkpoint(PERSON))
    assert_same(old.detect(pictures[:1])[0], build(RTMPOSE).detect(pictures[:1])[0])
