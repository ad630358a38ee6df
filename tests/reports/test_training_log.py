import json
from pathlib import Path

import pytest

from poselift.core.files import sha256
from poselift.reports.runs import Run
from poselift.reports.training_log import log_of, values_of
from tests.core.unfinished import leave_unfinished
from tests.reports.results import results


@pytest.fixture(params=["first.safetensors", "checkpoints/last.ckpt"])
def run(request, tmp_path):
    """An evaluation of weights in the folder of their training."""
    weights = tmp_path / request.param
    weights.parent.mkdir(exist_ok=True)
    weights.write_bytes(b"weights")
    (tmp_path / "metrics.csv").write_text("step,train/loss,epoch\n24,0.5,0\n49,0.25,0\n")
    model = {"name": "Lifter", "config": {}, "window": 9, "weights": str(weights), "sha256": sha256(weights)}
    return Run(Path("metrics.json"), results(model=json.loads(json.dumps(model))))


def test_the_log_beside_the_weights(run):
    assert values_of(log_of(run), "train/loss") == ([24, 49], [0.5, 0.25])
    assert values_of(log_of(run), "val/mpjpe") == ([], [])


def test_the_log_beside_weights_on_their_way_to_their_place(run):
    weights = Path(run.results["model"]["weights"])
    if weights.suffix == ".safetensors":
        leave_unfinished(weights.parent, weights.name, moved=["metrics.csv"])
    assert 49 in log_of(run)
