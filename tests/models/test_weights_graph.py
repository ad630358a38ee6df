import json
import shutil

import jaxtyping
import numpy as np
import onnx
import pytest

from poselift.core.errors import InputError
from poselift.models import SimpleBaseline, SimpleBaselineConfig, Weights, load_weights, save_weights
from poselift.models.saved_weights import graph_path, shipped_weights
from poselift.models.weights_graph import write_graph

pytestmark = pytest.mark.many_calls


@pytest.mark.parametrize("name", shipped_weights())
def test_shipped_graphs_are_up_to_date_and_hold_no_weights(name):
    weights = load_weights(name)
    model = onnx.load(weights.graph, load_external_data=False)
    about = {prop.key: prop.value for prop in model.metadata_props}
    made_from = (about["sha256"], about["model"], json.loads(about["config"]), about["flip"])
    assert made_from == (weights.sha256, weights.card["model"], weights.card["config"], "false")
    assert weights.graph.stat().st_size < 0.02 * weights.path.stat().st_size
    outside = [tensor for tensor in model.graph.initializer if tensor.external_data]
    numbers = sum(int(np.prod(tensor.dims)) for tensor in outside)
    assert numbers > 0.98 * weights.path.stat().st_size / 2


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Weights of one's own in full precision, of the network that the exporter follows in half the time."""
    path = tmp_path_factory.mktemp("own") / "own.safetensors"
    save_weights(path, SimpleBaseline(SimpleBaselineConfig(dim=16, depth=1)).eval(), 27, {})
    return path


@pytest.mark.slow
def test_weights_of_ones_own_get_a_graph(own):
    assert load_weights(own).graph is None
    # Shape checks compare the symbols of free axes with numbers, and so would fix them.
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        path = write_graph(load_weights(own))
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
    assert path == load_weights(own).graph == graph_path(own)
    onnx.checker.check_model(str(path))


def test_weights_without_a_file_get_none(own, tmp_path):
    lifter = load_weights(own).lifter
    with pytest.raises(InputError, match=r"a graph lies beside a \.safetensors file"):
        write_graph(Weights("mine", lifter, 27))
    shutil.copy(own, tmp_path / "w.ckpt")
    with pytest.raises(InputError, match=r"a graph lies beside a \.safetensors file"):
        write_graph(Weights("mine", lifter, 27, path=tmp_path / "w.ckpt"))
