import subprocess
import sys
from dataclasses import replace

import pytest

from poselift.lifting.network.choose import choose_network, network_name
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.models import load_weights, save_weights


def test_a_gpu_and_weights_without_a_graph_need_pytorch(weights, tmp_path):
    shipped = load_weights("tiny")
    assert network_name(shipped) == "onnxruntime"
    assert network_name(replace(shipped, device="cuda:1")) == "torch"
    assert network_name(weights) == "torch"
    save_weights(tmp_path / "w.safetensors", weights.lifter, 27, {})
    own = load_weights(tmp_path / "w.safetensors")
    assert network_name(own) == "torch"
    assert isinstance(choose_network(own), TorchNetwork)


@pytest.mark.parametrize("ask", ["load_weights('{own}')", "choose_device('cuda')"])
def test_missing_pytorch_names_the_extra(weights, tmp_path, ask):
    save_weights(tmp_path / "w.safetensors", weights.lifter, 27, {})
    code = (
        "import importlib.util, sys\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'torch' else find(name, *more)\n"
        "from poselift.core.device import choose_device\nfrom poselift.models import load_weights\n"
        f"try: {ask.format(own=tmp_path / 'w.safetensors')}\nexcept ValueError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("torch is not installed; run: pip install 'poselift[train]'\n", "")
