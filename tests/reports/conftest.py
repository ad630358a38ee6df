"""Views to score predictions of."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, render_views
from poselift.skeleton import H36M17, Skeleton


@pytest.fixture(scope="session")
def views() -> list[View]:
    """Four clips of two people, in the joints of the CMU corpus."""
    return render_views(synthetic_corpus(4, 60, seed=1), seed=1)


@pytest.fixture(scope="session")
def make_view() -> Callable[..., View]:
    """Makes a view of given joints, relative to the first of them; keypoints are of no account."""

    def make(joints, skeleton: Skeleton = H36M17, name="clip", subject="S9", action="Walking 1", fps=50.0) -> View:
        joints = torch.as_tensor(np.asarray(joints), dtype=torch.float32)
        frames = len(joints)
        return View(
            name=name,
            subject=subject,
            keypoints=torch.zeros(frames, len(skeleton), 2),
            scores=torch.ones(frames, len(skeleton)),
            times=torch.arange(frames) / fps,
            K=torch.eye(3),
            image_size=torch.tensor([1000.0, 1000.0]),
            joints=joints,
            root=torch.zeros(frames, 3),
            keypoint_skeleton=skeleton,
            skeleton=skeleton,
            action=action,
        )

    return make


@pytest.fixture(scope="session")
def truth() -> Callable[..., np.ndarray]:
    """A view's true joints in a skeleton, float32, NaN for joints that the view lacks."""

    def of(view: View, skeleton: Skeleton = H36M17) -> np.ndarray:
        return view.convert(view.keypoint_skeleton, skeleton).joints.numpy()

    return of


@pytest.fixture(scope="session")
def predicted(views, truth) -> dict[str, np.ndarray]:
    """A prediction for each of the views by name, off by some centimetres."""
    random = np.random.default_rng(0)
    return {
        view.name: (truth(view) + random.normal(scale=0.04, size=(len(view), 17, 3))).astype(np.float32)
        for view in views
    }
