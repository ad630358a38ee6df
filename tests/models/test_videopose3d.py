import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.models.peer_checkpoints import load_peer
from poselift.models.videopose3d import VideoPose3D
from poselift.skeleton import H36M17


def fill_with_waves(network):
    """The network with waves as weights, which any program can make."""
    for number, (key, value) in enumerate(sorted(network.state_dict().items())):
        if value.is_floating_point():
            wave = torch.sin(0.37 * torch.arange(value.numel(), dtype=torch.float64) + number).reshape(value.shape)
            value.copy_(1 + 0.5 * wave if key.endswith("running_var") else 0.2 * wave)
    return network


def filled(channels=8, dtype=torch.float64):
    return fill_with_waves(VideoPose3D((3, 3, 3), channels).to(dtype).eval())


def points():
    return (500 + 300 * torch.sin(0.11 * torch.arange(20 * 17 * 2, dtype=torch.float64))).reshape(20, 17, 2)


def write(path, network, **more):
    torch.save(
        {"epoch": 3, "random_state": np.random.RandomState(1234), "model_pos": network.state_dict(), **more}, path
    )
    return path


def test_it_gives_what_the_authors_code_gives():
    """These numbers come from `TemporalModel` and the padding and flipping of `evaluate` in VideoPose3D's run.py."""
    network = filled()
    assert network.field == 27
    plain, mean = (network.lift(points(), (1000.0, 1002.0), flip) for flip in (False, True))
    expected = torch.tensor([[0.3401, -0.0362, 0.3107], [-0.3827, 0.0970, -0.4555], [-0.0386, -0.0900, 0.0581]])
    found = torch.stack((plain[0, 3], plain[10, 16], mean[19, 5]))
    torch.testing.assert_close(found, expected.double(), atol=6e-5, rtol=0)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_checkpoint_with_a_random_generator_is_read(tmp_path, zipped):
    network = filled()
    path = tmp_path / "pretrained.bin"
    content = {"random_state": np.random.RandomState(1), "model_pos": network.state_dict()}
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    read = load_peer(path).double()
    torch.testing.assert_close(read.lift(points(), (1000.0, 1002.0)), network.lift(points(), (1000.0, 1002.0)))


def test_a_causal_network_sees_no_later_frame(tmp_path):
    network = load_peer(write(tmp_path / "causal.bin", filled()), causal=True).double()
    before, changed = points(), points()
    changed[12:] += 50
    first, second = network.lift(before, (1000.0, 1002.0)), network.lift(changed, (1000.0, 1002.0))
    torch.testing.assert_close(first[:12], second[:12])
    assert not torch.allclose(first[12:], second[12:])


class Exploit:
    def __reduce__(self):
        return print, ("run",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"model_pos": {"module.Spatial_patch_to_embedding.weight": torch.zeros(2, 3)}},
            "of PoseFormer or MixSTE, and only the networks of VideoPose3D and MotionBERT are built in",
        ),
        ({"model_pos": {"other.weight": torch.zeros(2, 3)}}, "it is not VideoPose3D's network for 17 joints"),
        ({"model_pos": {"expand_conv.weight": torch.zeros(8, 30, 3)}}, "its input has 30 numbers a frame"),
        ({"model_pos": 3}, "has no network under model_pos"),
        ([1, 2], "holds no weights by name"),
        ({"model_pos": Exploit()}, "which is no plain data"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(tmp_path, capsys, content, message):
    path = tmp_path / "other.bin"
    torch.save(content, path)
    with pytest.raises(InputError, match=message) as caught:
        load_peer(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert capsys.readouterr().out == ""


def test_the_joints_are_those_of_human36m():
    """VideoPose3D's order, by its lists of left and right joints (common/h36m_dataset.py, remove_joints)."""
    assert [H36M17.joints[at].split("_")[0] for at in (4, 5, 6, 11, 12, 13)] == ["left"] * 6
    assert [H36M17.joints[at].split("_")[0] for at in (1, 2, 3, 14, 15, 16)] == ["right"] * 6
