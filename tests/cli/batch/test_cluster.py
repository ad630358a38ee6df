"""`--engine ray` on a cluster of two machines, which this process plays."""

import importlib.util
import os
import warnings

import pytest

from tests.cli.batch.conftest import contents

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install 'poselift[ray]'"),
]


@pytest.fixture
def cluster(monkeypatch):
    """A Ray cluster of two nodes with one core each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own
        from ray.cluster_utils import Cluster

        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        nodes.add_node(num_cpus=1)
        monkeypatch.setenv("RAY_ADDRESS", nodes.address)
        yield nodes
        nodes.shutdown()


def test_two_machines_give_the_same_bytes(cluster, whole, videos, batch, tmp_path):
    ran = batch(videos, tmp_path / "out", "--engine", "ray")
    assert ran.code == 3, ran.err
    assert contents(tmp_path / "out") == whole.contents
    assert not os.path.exists(tmp_path / "out" / ".batch.lock")


def test_a_gpu_by_number_is_refused(videos, batch, tmp_path):
    ran = batch(videos, tmp_path / "out", "--engine", "ray", "--device", "cuda:1")
    assert (ran.code, "Ray chooses the GPUs" in ran.err) == (2, True)
