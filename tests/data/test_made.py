import pytest
import torch

from poselift.data.made import MOVEMENTS, made_views
from poselift.data.synthetic import synthetic_corpus
from poselift.geometry import bone_lengths
from poselift.skeleton import CMU28, H36M17

PIXEL, SCORES = [699.97, 450.56], 31319.0


@pytest.fixture(scope="module")
def views():
    return {view.name: view for view in made_views()}


def test_each_movement_by_three_people(views):
    assert len(views) == 3 * len(MOVEMENTS)
    assert {view.action for view in views.values()} == set(MOVEMENTS)
    assert len({view.subject for view in views.values()}) == 6
    for view in views.values():
        assert view.joints.isfinite().all()
        seen = view.scores > 0
        assert not seen[:, len(H36M17) :].any()
        assert seen[:, : len(H36M17)].float().mean() > 0.7


def test_bodies_are_not_those_of_the_training(views):
    """A body's proportions are all alike in the training data, and differ here."""

    def proportions(joints):
        lengths = bone_lengths(joints[:1], CMU28.parent_indices)[0]
        return lengths / lengths.sum()

    trained = proportions(synthetic_corpus(1, 10, seed=0).joints)
    made = {view.subject: proportions(view.joints) for view in views.values()}
    gaps = [float((body - trained).abs().max() / trained.max()) for body in made.values()]
    assert min(gaps) > 0.01


def test_a_frozen_benchmark(views):
    """The same pixels for everyone: figures in papers and docs depend on them."""
    squat = views["Squat/p2"]
    assert squat.keypoints[0, CMU28.index("left_knee")].tolist() == pytest.approx(PIXEL, abs=0.01)
    assert float(torch.stack([view.scores.sum() for view in views.values()]).sum()) == pytest.approx(SCORES, abs=0.5)
