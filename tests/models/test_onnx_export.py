import json
from dataclasses import replace
from types import SimpleNamespace

import jaxtyping
import numpy as np
import pytest
import torch

from poselift import __version__
from poselift.core.errors import InputError
from poselift.core.onnx_runtime import onnxruntime
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import (
    BahdanauConfig,
    build_model,
    encode,
    lift_windows,
    load_weights,
    onnx_export,
)
from poselift.models.onnx_export import INPUTS, PixelsToJoints, describe_weights, export_onnx, random_windows
from poselift.models.saved_weights import Weights

pytestmark = pytest.mark.slow

pytest.importorskip("onnx")
pytest.importorskip("onnxscript")


def exported(weights, path, flip=True):
    """The session of a graph, and the largest difference that the export itself found."""
    # Shape checks compare the symbols of free axes with numbers, and so would fix them.
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        difference = export_onnx(weights, path, flip)
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
    return SimpleNamespace(session=onnxruntime.InferenceSession(path), weights=weights, difference=difference)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Of a lifter such as the shipped ones, with random weights."""
    torch.manual_seed(0)
    config = replace(load_weights("tiny").lifter.config, joint_dim=8, frame_dim=16, dim=16, depth=1, heads=2)
    weights = Weights("random", build_model(config).eval(), 27, card={"uncertainty_factor": 1.5})
    return exported(weights, tmp_path_factory.mktemp("onnx") / "random.onnx")


def run(graph, windows):
    return graph.session.run(None, dict(zip(INPUTS, (part.numpy() for part in windows), strict=True)))


def assert_equal(graph, windows):
    with torch.no_grad():
        expected = PixelsToJoints(graph.weights)(*windows)
    for own, other in zip(expected, run(graph, windows), strict=True):
        np.testing.assert_allclose(other, own.numpy(), atol=1e-4, rtol=0)


@pytest.mark.parametrize(("b", "t"), [(1, 1), (2, 5), (1, 131)])
def test_any_number_of_windows_and_frames(graph, b, t):
    assert_equal(graph, random_windows(b, t, 28))


def test_missing_joints_frames_and_people(graph):
    pixels, scores, *rest = random_windows(3, 12, 28)
    pixels[:, :, 5] = torch.nan
    scores[:, :, 7] = 0
    scores[0, 3:9] = 0
    pixels[1] = torch.nan
    assert_equal(graph, (pixels, scores, *rest))


def test_it_is_what_lift_windows_gives(graph):
    view = render_views(synthetic_corpus(1, 27, seed=3), seed=4)[0]
    clip = [part[None] for part in (view.keypoints, view.scores, view.times, view.K, view.image_size)]
    with torch.no_grad():
        expected = lift_windows(graph.weights.lifter, *clip)
    joints, uncertainty = run(graph, clip)
    np.testing.assert_allclose(joints, expected.joints.numpy(), atol=1e-4, rtol=0)
    np.testing.assert_allclose(uncertainty, 1.5 * expected.uncertainty.numpy(), atol=1e-4, rtol=0)


def test_the_graph_is_standard_and_says_what_it_is(graph):
    about = graph.session.get_modelmeta()
    known = about.custom_metadata_map
    assert about.producer_name == "poselift"
    assert (known["weights"], known["poselift"], known["window"], known["flip"]) == (
        "random",
        __version__,
        "27",
        "true",
    )
    assert "sha256" not in known  # these weights were never in a file
    assert json.loads(known["joints_in"])[0] == "pelvis"
    parents = json.loads(known["parents_out"])
    assert parents[0] == -1
    assert len(parents) == len(json.loads(known["joints_out"])) == 28
    assert [given.name for given in graph.session.get_inputs()] == list(INPUTS)
    assert graph.session.get_inputs()[0].shape == ["batch", "frames", 28, 2]
    assert graph.difference < 1e-4


def test_the_median_of_an_exported_encoding(monkeypatch):
    pixels, scores, *rest = random_windows(3, 7, 28)
    scores[1] = 0
    expected = encode(pixels, scores, *rest)
    monkeypatch.setattr(torch.compiler, "is_exporting", lambda: True)
    torch.testing.assert_close(encode(pixels, scores, *rest).context, expected.context, atol=0, rtol=0)


def test_a_model_that_cannot_be_exported_says_so(tmp_path, monkeypatch):
    own = onnx_export.random_windows  # the loop over frames becomes as many nodes
    monkeypatch.setattr(onnx_export, "random_windows", lambda batch, frames, joints: own(batch, min(frames, 2), joints))
    weights = Weights("loop", build_model(BahdanauConfig(dim=16)).eval(), 27)
    with pytest.raises(InputError, match=r"loop: a BahdanauLifter cannot become an ONNX graph .* use other weights"):
        export_onnx(weights, tmp_path / "loop.onnx")
    assert not list(tmp_path.iterdir())


def test_what_the_graph_of_shipped_weights_says():
    weights = load_weights("tiny")
    known = describe_weights(weights, flip=True)
    assert known["licence"] == "Apache-2.0"
    assert known["sha256"] == weights.sha256
    assert known["pelvis"] == "spine"
