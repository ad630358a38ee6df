import cv2
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.registry import RegistryEntry
from poselift.detection.crop import Crop
from poselift.detection.hands import Hand, HandModel, measure_disagreement, read_hand
from poselift.skeleton.hand import HAND21
from poselift.video import VideoReader

RNG = np.random.default_rng(0)


def output(angle=0.0, sure=0.9):
    """An output whose metric hand is that in its pixels, and its crop."""
    flat = RNG.uniform(40, 180, (21, 2))
    metres = np.concatenate([flat / 1000, RNG.normal(scale=0.02, size=(21, 1))], -1)
    places = np.concatenate([flat, np.zeros((21, 1))], -1)
    crop = Crop(np.zeros((224, 224, 3), np.uint8), np.full(2, 0.5), np.array([30.0, 40.0]), angle)
    return np.concatenate([places.ravel(), [sure, 0.5], metres.ravel()]), crop, flat, metres


def test_a_hand_is_read_in_pixels_and_metres_from_the_wrist():
    values, crop, flat, metres = output()
    hand, sure = read_hand(values, crop)
    np.testing.assert_allclose(hand.keypoints, (flat - 0.5) * 0.5 + (30, 40))
    np.testing.assert_allclose(hand.joints, metres - metres[0])
    assert sure == 0.9
    assert hand.score == pytest.approx(0.9)


def test_a_turned_crop_turns_both_alike():
    values, crop, _, metres = output(angle=np.pi / 2)
    hand, _ = read_hand(values, crop)
    # A quarter turn clockwise: what is to the right goes down.
    np.testing.assert_allclose(
        hand.joints[:, :2], (metres - metres[0])[:, :2] @ np.array([[0, 1], [-1, 0]]), atol=1e-12
    )
    in_picture = (hand.keypoints - hand.keypoints[0]) / 0.5 / 1000
    np.testing.assert_allclose(hand.joints[:, :2], in_picture, atol=1e-12)


def test_a_metric_hand_unlike_the_picture_scores_less():
    values, crop, _, _ = output()
    values[65:] = values[65:][::-1]
    assert read_hand(values, crop)[0].score < 0.7


def test_disagreement_knows_no_shift_and_scale():
    flat = RNG.normal(size=(21, 2))
    assert measure_disagreement(flat, 3 * flat + 5) < 1e-9
    assert measure_disagreement(flat, flat[::-1]) > 0.1


def test_the_fingers_hang_on_the_wrist():
    assert [len(HAND21.branch(HAND21.index(f"{finger}_mcp"))) for finger in ("index", "middle", "ring", "pinky")] == [
        4
    ] * 4
    assert len(HAND21.branch(0)) == len(HAND21) == 21


@pytest.fixture(scope="module")
def model():
    return HandModel("cpu")


def test_no_hand_in_the_sky_nor_of_an_arm_that_is_not_seen_nor_of_a_small_one(model):
    sky = np.full((400, 400, 3), (120, 170, 230), np.uint8)
    elbow, wrist = np.array([200.0, 300.0]), np.array([200.0, 200.0])
    assert model.look_at(sky, elbow, wrist, 600.0) is None
    assert model.look_at(sky, np.full(2, np.nan), wrist, 600.0) is None
    assert model.look_at(sky, elbow, elbow - (0, 5), 30.0) is None


def looks_at(monkeypatch, model, *looks):
    """The hand of `look_at` if the model's crops give these, of an arm from (100, 200) up to (100, 100)."""
    given = iter(looks)
    monkeypatch.setattr(HandModel, "_run", lambda *arguments: next(given))
    picture = np.zeros((400, 400, 3), np.uint8)
    return model.look_at(picture, np.array([100.0, 200.0]), np.array([100.0, 100.0]), 400.0)


def a_hand(wrist=(100.0, 100.0), size=60.0, score=0.8):
    keypoints = np.array(wrist) + size * np.linspace(0, 1, 21)[:, None] * [0.3, -1.0]
    return Hand(keypoints, np.zeros((21, 3)), score)


@pytest.mark.parametrize(
    ("looks", "found"),
    [
        ([(a_hand(), 0.9), (a_hand(score=0.7), 0.95)], 0.7),  # the surer crop
        ([(a_hand(), 0.9), (a_hand(score=0.7), 0.6)], 0.8),
        ([(a_hand(), 0.05)], None),  # no hand at first sight: hidden
        ([(a_hand(), 0.3), (a_hand(), 0.45)], None),  # nor at second sight: blurred
        ([(a_hand(size=9.0), 0.9)], None),  # small
        ([(a_hand((140.0, 100.0)), 0.9)] * 2, None),  # it does not begin at the wrist
        ([(a_hand((130.0, 100.0)), 0.9)] * 2, 0.8),
        ([(a_hand(score=0.0), 0.9)] * 2, None),  # its metric joints are not those of the picture
    ],
)
def test_which_hands_are_none(monkeypatch, model, looks, found):
    hand = looks_at(monkeypatch, model, *looks)
    assert (None if hand is None else hand.score) == found


@pytest.mark.slow
def test_a_real_hand_is_seen_until_it_is_blurred_small_or_hidden(shared, model):
    picture = next(iter(VideoReader(shared / "data" / "phones" / "cam02.mp4", start=0.75))).image
    elbow, wrist = np.array([717.0, 784.0]), np.array([712.0, 904.0])

    def seen(image, scale=1.0):
        return model.look_at(image, elbow * scale, wrist * scale, 1000.0 * scale)

    hand = seen(picture)
    assert hand.score > 0.5
    assert np.linalg.norm(hand.keypoints[0] - wrist) < 30
    assert seen(cv2.GaussianBlur(picture, (0, 0), 25)) is None
    assert seen(cv2.resize(picture, None, fx=0.1, fy=0.1, interpolation=cv2.INTER_AREA), 0.1) is None
    hidden = picture.copy()
    cv2.circle(hidden, (717, 950), 110, (128, 128, 128), -1)
    assert seen(hidden) is None


@pytest.mark.parametrize(("content", "message"), [(None, "is missing; reinstall"), (b"damaged", "is damaged")])
def test_a_model_that_is_missing_or_damaged(monkeypatch, tmp_path, content, message):
    path = tmp_path / "hand_landmark_full.onnx"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(
        "poselift.detection.hands.published", lambda name: RegistryEntry(name, "", "", "0", shipped=path)
    )
    with pytest.raises(InputError, match=rf"hand_landmark_full\.onnx {message}"):
        HandModel("cpu")
