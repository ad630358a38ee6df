"""The shipped graphs of the steps after the lifter are those of the Python code."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from poselift.core.onnx_runtime import onnxruntime
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.kinematics.filtering import BLOCK
from poselift.models import load_weights
from poselift.skeleton import CMU28
from tools.write_browser_graphs import BodyAtRest, Finish, Refine, Rotations, facts

GRAPHS = Path(__file__).parents[2] / "poselift" / "viz" / "site" / "numbers"
INPUTS = {
    "refine": ("joints", "radii", "rays", "trust", "times", "root"),
    "finish": ("joints", "root", "times", "stand", "up", "used", "partner"),
    "rotations": ("points", "interval"),
    "body": ("bones",),
}
REWRITE = "run python tools/write_browser_graphs.py poselift/viz/site/numbers"


@pytest.fixture
def values():
    """Two blocks of frames, the last ones without a frame of the clip; for the rig a person."""
    view = render_views(synthetic_corpus(1, 150, seed=3), seed=4)[0]
    random = torch.Generator().manual_seed(1)
    frames, joints = 2 * BLOCK, len(CMU28)
    there = torch.arange(frames) < 2 * BLOCK - 28
    found = {
        "joints": 0.3 * torch.randn(frames, joints, 3, generator=random),
        "radii": 0.1 + torch.rand(frames, joints, generator=random),
        "rays": torch.randn(frames, joints, 3, generator=random) + torch.tensor([0.0, 0.0, 4.0]),
        "trust": torch.rand(frames, joints, generator=random) * there[:, None],
        "times": torch.where(there, torch.arange(frames) / 30, 1e9),
        "root": torch.tensor([0.1, 0.2, 4.0]).repeat(frames, 1),
        "stand": there & (torch.arange(frames) % 50 > 20),
        "up": torch.tensor([0.0, -0.995, -0.1]),
        "used": there,
        "partner": torch.tensor(CMU28.flip_indices),
        "interval": torch.tensor(1 / 30),
    }
    points = (view.joints + view.root[:, None]) * torch.tensor([1.0, -1.0, -1.0])
    bones = points[0] - points[0, [max(parent, 0) for parent in CMU28.parent_indices]]
    return found | {"points": points, "bones": bones}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module"), [("refine", Refine), ("finish", Finish), ("rotations", Rotations), ("body", BodyAtRest)]
)
def test_shipped_graphs_are_up_to_date(name, module, values):
    given = [values[key] for key in INPUTS[name]]
    with torch.no_grad():
        wanted = module(CMU28)(*given)
    session = onnxruntime.InferenceSession(GRAPHS / f"{name}.onnx")
    found = session.run(None, {key: value.numpy() for key, value in zip(INPUTS[name], given, strict=True)})
    for value, other in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        np.testing.assert_allclose(value, other, atol=2e-4, err_msg=REWRITE)


def test_shipped_constants_are_up_to_date():
    shipped = json.loads((GRAPHS / "numbers.json").read_text())
    assert shipped == json.loads(json.dumps(facts(load_weights("small")))), REWRITE
