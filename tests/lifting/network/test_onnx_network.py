"""The graphs of the shipped weights against PyTorch."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.lifting import LiftOptions, lift
from poselift.lifting.dataset_views import keypoints_of
from poselift.lifting.network.choose import choose_network
from poselift.lifting.network.onnx_network import OnnxNetwork
from poselift.lifting.network.protocol import EncodedWindows
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.models import load_weights
from poselift.models.saved_weights import seal_card, shipped_weights

FAR = {"tiny": 1e-5, "small": 5e-5}
"""Largest difference, metres. In `small`, PyTorch's own rounding moves joints by 2e-5."""


def windows(view, frames, lens):
    """Three windows of a person on the way; some joints and a whole frame are missing."""
    rows = np.array([0, 20, 40])[:, None] + np.arange(frames)
    pixels, scores, times = (value.numpy()[rows] for value in (view.keypoints, view.scores, view.times))
    pixels, scores = pixels.copy(), scores.copy()
    hidden = np.random.default_rng(frames).random(scores.shape) < 0.1
    pixels[hidden] = np.nan
    scores[hidden] = 0
    scores[:, frames // 2] *= frames < 5
    K = np.tile(view.K.numpy(), (3, 1, 1))
    K[1, 0, 1] = 4  # skew
    distortion = np.tile(np.array([-0.1, 0.02, 0.001, -0.002, 0], np.float32), (3, 1)) if lens else None
    size = np.tile(view.image_size.numpy().astype(np.float32), (3, 1))
    return EncodedWindows(pixels, scores, times - times[:, :1], K, size, distortion)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("frames", [1, 64])
@pytest.mark.parametrize("name", shipped_weights())
def test_equal_to_pytorch(view, name, frames, flip):
    lens = True
    weights, given = load_weights(name), windows(view, frames, lens)
    graph, torch = OnnxNetwork(weights).lift(given, flip), TorchNetwork(weights.lifter).lift(given, flip)
    assert graph.joints.dtype == np.float32
    assert np.linalg.norm(graph.joints - torch.joints, axis=-1).max() < FAR[name]
    assert np.abs(graph.uncertainty - torch.uncertainty).max() < FAR[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_weights())
def test_a_whole_motion_is_that_of_pytorch(view, camera, name):
    weights = load_weights(name)
    assert isinstance(choose_network(weights), OnnxNetwork)
    for options in (LiftOptions(), LiftOptions(flip=False, window=40)):
        graph = lift(keypoints_of(view), weights, camera, options)
        torch = lift(keypoints_of(view), replace(weights, loaded=weights.lifter), camera, options)
        assert np.linalg.norm(graph.joints - torch.joints, axis=-1).max() < FAR[name]
        assert np.linalg.norm(graph.root - torch.root, axis=-1).max() < 100 * FAR[name]  # metres away


def copied(folder, name="tiny"):
    """Shipped weights with card and graph in another folder."""
    for file in shipped_weights()[name].parent.glob(f"{name}.*"):
        shutil.copy(file, folder)
    return folder / f"{name}.safetensors"


def test_a_graph_of_other_weights_is_refused(tmp_path):
    path = copied(tmp_path)
    card = path.with_suffix(".json")
    changed = json.loads(card.read_text())
    changed["config"]["heads"] = 4
    card.write_text(json.dumps(seal_card(changed)))
    with pytest.raises(InputError, match=r"tiny\.graph\.onnx was made from other weights .* export-onnx --beside"):
        choose_network(load_weights(path))


@pytest.mark.slow
def test_a_damaged_graph_is_refused(tmp_path):
    path = copied(tmp_path)
    graph = tmp_path / "tiny.graph.onnx"
    whole = graph.read_bytes()
    graph.write_bytes(b"not a graph")
    with pytest.raises(InputError, match=r"tiny\.graph\.onnx is damaged, or belongs to other weights: .* the card has"):
        load_weights(path)
    # Two of 60 such flips moved joints by 9.6 mm, without an error.
    chance = np.random.default_rng(0)
    for _ in range(60):
        flipped = bytearray(whole)
        flipped[chance.integers(len(whole))] ^= 1 << int(chance.integers(8))
        graph.write_bytes(flipped)
        with pytest.raises(InputError, match=r"tiny\.graph\.onnx is damaged"):
            load_weights(path)
    graph.write_bytes(whole)
    load_weights(path)


def test_a_graph_without_a_sum_is_refused(tmp_path):
    path = copied(tmp_path)
    card = json.loads(path.with_suffix(".json").read_text())
    del card["graph_sha256"]
    path.with_suffix(".json").write_text(json.dumps(seal_card(card)))
    with pytest.raises(InputError, match="the card has no graph_sha256; copy the files again, or remove it"):
        load_weights(path)


def test_a_damaged_card_is_refused(tmp_path):
    """A digit of `uncertainty_factor` is a plausible value too."""
    path = copied(tmp_path)
    card = path.with_suffix(".json")
    whole = card.read_text()
    factor = json.loads(whole)["uncertainty_factor"]
    card.write_text(whole.replace(f'"uncertainty_factor": {factor}', f'"uncertainty_factor": {2 * factor}'))
    with pytest.raises(InputError, match=r"tiny\.json is damaged or was changed: .* remove card_sha256"):
        load_weights(path)
    changed = json.loads(card.read_text())
    del changed["card_sha256"]
    card.write_text(json.dumps(changed))
    assert load_weights(path).uncertainty_factor == pytest.approx(2 * factor)
