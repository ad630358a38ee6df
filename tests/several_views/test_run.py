"""Several clips become one recording, whatever each clip has of its own."""

import numpy as np
import pytest

from poselift.keypoints import KeypointClip, KeypointFile, Observation
from poselift.models import load_weights
from poselift.several_views.request import ViewsRequest
from poselift.several_views.run import lift_views
from poselift.skeleton import COCO17, convert
from tests.several_views.stage import SIZE, make_stage


def clip_of(stage, view, name, exchanged=0):
    """A view's keypoints of another program, with left and right exchanged in its last frames."""
    frames = {}
    for motion in stage.view(view).people:
        points = convert(motion.keypoints.keypoints, motion.keypoints.skeleton, COCO17).values.copy()
        first = len(points) - exchanged
        points[first:] = points[first:][:, list(COCO17.flip_indices)]
        for number, own in enumerate(points):
            scores = np.where(np.isfinite(own).all(-1), 0.9, 0.0)
            frames.setdefault(number, []).append(Observation(own, scores))
    return KeypointClip(KeypointFile(name, "coco", COCO17, frames), fps=30, image_size=SIZE)


@pytest.mark.slow
def test_a_view_with_exchanged_sides_is_put_back(tmp_path):
    """The detector of one camera takes left for right from the middle on."""
    stage, weights, views = make_stage(seconds=2.0), load_weights("tiny"), ViewsRequest(offsets=(0.0,))
    first = clip_of(stage, 0, tmp_path / "first.json")
    right, mended = (
        lift_views([first, clip_of(stage, 1, tmp_path / "second.json", exchanged)], weights, views=views).recording
        for exchanged in (0, 30)
    )
    told = [text for text in mended.warnings if "left and right were exchanged in 50%" in text]
    assert told[0].startswith("second: person 1")
    for one, other in zip(right.people, mended.people, strict=True):
        np.testing.assert_allclose(one.joints, other.joints, atol=1e-4)
