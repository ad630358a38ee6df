"""A loss, a metric and a lifter of one's own, in a folder outside of the checkout (docs/extending.md)."""

import json
import sys

import pytest

from poselift.models import MODELS
from poselift.reports.measures import MEASURES
from poselift.training.objective import LOSSES
from tests.cli.running import TINY_DATA, poselift

pytestmark = pytest.mark.slow

CODE = """
from dataclasses import dataclass

from poselift.metrics import ElementValues, PairMetric, joint_errors
from poselift.models import MODELS, SimpleBaseline, SimpleBaselineConfig
from poselift.models import MODELS
from poselift.reports.measures import MEASURES, Measure
from poselift.training.objective import LOSSES


@dataclass(frozen=True, kw_only=True)
class MineConfig(SimpleBaselineConfig):
    pass


class Mine(SimpleBaseline):
    pass


def squared(given):
    return ((given.predicted - given.target).square().sum(-1) * given.mask).sum() / given.mask.sum().clamp(min=1)


def worst_joints(pred, target, mask=None):
    errors = joint_errors(pred, target, mask)
    worst = errors.values.where(errors.counts, 0.0).amax(-1, keepdim=True)
    return ElementValues(worst, errors.counts.any(-1, keepdim=True))


class Worst(PairMetric):
    element_values = staticmethod(worst_joints)


MODELS[MineConfig] = Mine
LOSSES["squared"] = squared
MEASURES["worst"] = Measure("Worst joint", "mm", lambda skeleton, n: Worst(n), lambda skeleton: ("worst",))
"""
NAME = "my_terms_of_a_test"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder; what its code adds goes after the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    tables = (LOSSES, MEASURES, MODELS)
    before = [dict(table) for table in tables]
    folder = tmp_path / "mine"
    for group in ("loss", "model"):
        (folder / group).mkdir(parents=True)
    (folder / f"{NAME}.py").write_text(CODE)
    (folder / "loss" / "squared.yaml").write_text("defaults: [default, _self_]\nsquared: 2.0\n")
    (folder / "model" / "mine.yaml").write_text("defaults: [MineConfig]\ndim: 16\n")
    yield folder
    sys.modules.pop(NAME, None)
    for table, old in zip(tables, before, strict=True):
        table.clear()
        table.update(old)


def test_a_lifter_a_loss_and_a_metric_of_ones_own(own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = ["trainer=smoke", *TINY_DATA, "callbacks.progress=null", "name=mine"]
    trained = poselift("train", "model=mine", "--config-dir", own, "loss=squared", *small)
    assert trained.code == 0, trained.err
    assert "Mine: " in trained.out
    assert "train/squared" in (tmp_path / "runs" / "mine" / "metrics.csv").read_text()
    options = ["protocol=made_people", "view=Squat/p2", "flip=false", "refine=false"]
    weights = tmp_path / "runs" / "mine" / "mine.safetensors"
    evaluated = poselift("evaluate", "--config-dir", own, *options, f"weights={weights}")
    assert evaluated.code == 0, evaluated.err
    assert "Worst joint" in evaluated.out
    found = json.loads((tmp_path / "outputs" / "evaluate" / "metrics.json").read_text())["metrics"]
    assert found["worst"]["mean"] > found["mpjpe"]["mean"]
    MEASURES.pop("worst")  # as in a process that has not imported it
    reported = poselift("report", "outputs/evaluate", "--cost", "none", "--peers", "none")
    assert reported.code == 0, reported.err
    refused = poselift("train", *small, "+loss.squares=1", "overwrite=true")
    assert (refused.code, "no loss is called squares; there are position" in refused.err) == (2, True)
