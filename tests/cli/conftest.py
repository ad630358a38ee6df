"""Stored keypoints, which `poselift lift` lifts without a detector."""

from types import SimpleNamespace

import numpy as np
import pytest

from poselift.cli.main import main
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.skeleton import COCO17, convert
from tests.keypoints.writers import Person, coco_results

SIZE = (640, 480)


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """Half a second of two people side by side: `path` of COCO's results, `size` of the picture, and `lift`."""
    frames = [[] for _ in range(12)]
    for number, view in enumerate(render_views(synthetic_corpus(2, 12, seed=3), seed=4), start=1):
        points = convert(view.keypoints.double().numpy(), view.keypoint_skeleton, COCO17).values
        points = points * [SIZE[0] / 2, SIZE[1]] / view.image_size.numpy() + [(number - 1) * SIZE[0] / 2, 0]
        for frame, joints in zip(frames, points, strict=True):
            frame.append(Person(joints, np.where(np.isfinite(joints).all(-1), 0.9, 0.0), number))
    path = coco_results(tmp_path_factory.mktemp("stored") / "walk", frames, COCO17, SIZE, 25.0)
    known = ["--keypoints", path, "--fps", 25, "--size", "640x480"]

    def lift(*arguments, weights="tiny"):
        options = ["--no-flip", "--quiet", "--weights", weights]
        main(["lift", *map(str, [*known, *options, *arguments])])

    return SimpleNamespace(path=path, size=SIZE, known=known, lift=lift)
