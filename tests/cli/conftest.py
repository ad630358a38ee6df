"""Stored keypoints, which `poselift lift` lifts without a detector."""

from types import SimpleNamespace

import numpy as np
import pytest

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.skeleton import COCO17, convert
from tests.cli.running import poselift
from tests.keypoints.writers import Person, coco_results

SIZE = (640, 480)


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """Half a second of two people side by side: `path` of COCO's results, `run`, and `lift`, which succeeds."""
    frames = [[] for _ in range(12)]
    for number, view in enumerate(render_views(synthetic_corpus(2, 12, seed=3), seed=4), start=1):
        points = convert(view.keypoints.double().numpy(), view.keypoint_skeleton, COCO17).values
        points = points * [SIZE[0] / 2, SIZE[1]] / view.image_size.numpy() + [(number - 1) * SIZE[0] / 2, 0]
        for frame, joints in zip(frames, points, strict=True):
            frame.append(Person(joints, np.where(np.isfinite(joints).all(-1), 0.9, 0.0), number))
    path = coco_results(tmp_path_factory.mktemp("stored") / "walk", frames, COCO17, SIZE, 25.0)
    known = ["--keypoints", path, "--fps", 25, "--size", "640x480"]

    def run(*arguments, weights="tiny"):
        return poselift("lift", *known, "--no-flip", "--quiet", "--weights", weights, *arguments)

    def lift(*arguments, **more):
        ran = run(*arguments, **more)
        assert ran.code == 0, ran.err

    return SimpleNamespace(path=path, known=known, run=run, lift=lift)


@pytest.fixture(scope="session")
def walk(stored, tmp_path_factory):
    """The folder in which they are lifted, in the camera frame; tests change copies only."""
    folder = tmp_path_factory.mktemp("lifted") / "walk"
    stored.lift("--out", folder, "--no-render")
    return folder
