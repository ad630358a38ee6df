"""A result for the page's editor."""

import json

import numpy as np
import pytest

import poselift
from poselift.cli.editable import read_result_for_page
from poselift.core.errors import InputError
from poselift.samples import demo_video
from tests.lifting.test_run import HAND, METRIC


@pytest.mark.parametrize("world", [False, True])
def test_hands_go_into_the_page_in_the_axes_of_the_camera(tmp_path, world):
    points = np.random.default_rng(0).uniform(0.2, 0.8, (33, 2)).tolist()
    body = [{"x": x, "y": y, "visibility": 0.9} for x, y in points]
    frame = {"poseLandmarks": body, "rightHandLandmarks": HAND, "rightHandWorldLandmarks": METRIC}
    (tmp_path / "holistic.json").write_text(json.dumps([frame] * 20))
    how = {"keypoints": tmp_path / "holistic.json", "fps": 25.0, "image_size": (960, 540), "weights": "tiny"}
    camera_frame = poselift.lift(**how)
    poselift.lift(**how, world=world).save(tmp_path / "result")
    result, _ = read_result_for_page(tmp_path / "result", demo_video())
    (track,) = json.loads(json.dumps(result))["tracks"]
    hands, wanted = track["hands"], camera_frame.people[0].hands
    assert hands["scores"] == pytest.approx(wanted.scores.ravel().tolist(), abs=1e-6)
    for name, values in (("pixels", wanted.keypoints), ("joints", wanted.joints)):
        np.testing.assert_allclose(np.array(hands[name], float).reshape(values.shape), values, atol=1e-3)


@pytest.mark.parametrize("lens", [{"distortion": (-0.2, 0.1, 0.0, 0.0)}, {"fisheye": (0.0, 0.0, 0.0, 0.0)}])
def test_a_wide_lens_is_refused(lens, tmp_path):
    """The page would lift corrections as if nothing bent the picture."""
    body = [value for joint in range(17) for value in (400 + 9 * joint, 100 + 20 * joint, 0.9)]
    rows = [{"image_id": f"{frame}.jpg", "category_id": 1, "keypoints": body, "score": 2.0} for frame in range(5)]
    (tmp_path / "k.json").write_text(json.dumps(rows))
    how = {"keypoints": tmp_path / "k.json", "fps": 25.0, "image_size": (960, 540), "weights": "tiny", "fov": 90}
    poselift.lift(**how, **lens).save(tmp_path / "result")
    with pytest.raises(InputError, match="a lens that bends the picture, which the editor does not know"):
        read_result_for_page(tmp_path / "result", demo_video())
