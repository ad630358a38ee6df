import pytest
import torch

from poselift.core.errors import InputError
from poselift.models.motionbert import DSTformer, build_motionbert
from poselift.models.peer_checkpoints import load_peer
from tests.models.test_videopose3d import fill_with_waves, points

SIZE = (1000.0, 1002.0)


def filled(**sizes):
    network = DSTformer(**{"dim": 16, "hidden": 32, "depth": 2, "rep": 24, "field": 9, **sizes})
    return fill_with_waves(network.double().eval())


def scores():
    return (0.6 + 0.4 * torch.sin(0.7 * torch.arange(20 * 17, dtype=torch.float64))).reshape(20, 17)


def test_it_gives_what_the_authors_code_gives():
    """These numbers come from lib/model/DSTformer.py and the steps of `evaluate` in train.py of MotionBERT.

    Its parameters sorted by name and filled alike, clips of 9 frames, flipped, `rootrel`, denormalised.
    """
    found = filled().lift(points(), scores(), SIZE)[[3, 12, 19], [5, 16, 8]]
    expected = [[0.5950, -158.5447, -56.1171], [1.2453, -154.6952, -56.8370], [-0.0442, -156.8981, -58.2298]]
    torch.testing.assert_close(found, torch.tensor(expected).double(), atol=6e-4, rtol=0)
    shares = points()[:9] / 1000 * 2 - points().new_tensor([1.0, 1.002])
    with torch.no_grad():
        plain = filled()(torch.cat((shares, scores()[:9, :, None]), -1)[None])[0]
    expected = torch.tensor([[1.2570, -0.3155, -0.1083], [1.2540, -0.3262, -0.0871]]).double()
    torch.testing.assert_close(plain[[3, 8], [0, 16]], expected, atol=6e-5, rtol=0)


def test_whole_windows_follow_each_other_and_the_last_one_ends_with_the_clip():
    network, score = filled(), scores()
    whole = network.lift(points(), score, SIZE)
    for first, last, kept in ((0, 9, slice(0, 9)), (9, 18, slice(0, 9)), (11, 20, slice(7, 9))):
        part = network.lift(points()[first:last], score[first:last], SIZE)
        torch.testing.assert_close(whole[first:last][kept], part[kept])
    assert network.lift(points()[:5], score[:5], SIZE).shape == (5, 17, 3)


def test_a_network_that_keeps_the_pelvis_of_the_picture_is_relative_to_it(monkeypatch):
    network = filled()
    monkeypatch.setattr(network, "forward", lambda shares: shares * shares.new_tensor([1.0, 1.0, 0.0]))
    pixels = network.lift(points(), scores(), SIZE)
    torch.testing.assert_close(pixels[..., :2], points() - points()[:, :1])


def test_a_checkpoint_of_several_gpus_is_read(tmp_path):
    network, path = filled(), tmp_path / "best_epoch.bin"
    weights = {f"module.{key}": value.float() for key, value in network.state_dict().items()}
    torch.save({"epoch": 60, "lr": 0.0005, "optimizer": None, "model_pos": weights, "min_loss": 39.1}, path)
    read = load_peer(path)
    assert isinstance(read, DSTformer)
    torch.testing.assert_close(
        read.double().lift(points(), scores(), SIZE), network.lift(points(), scores(), SIZE), atol=1e-3, rtol=1e-5
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"head.weight": torch.zeros(5, 24)}, "not MotionBERT's network for 17 joints"),
        ({"pos_embed": torch.zeros(1, 25, 16)}, "not MotionBERT's network for 17 joints"),
        ({"pre_logits.fc.weight": torch.zeros(24, 15)}, "its tokens have 15 numbers, which 8 heads do not share"),
        ({"temp_embed": None}, "temp_embed"),
    ],
)
def test_another_network_is_refused_in_one_line(tmp_path, change, message):
    weights = {key: value for key, value in {**filled().state_dict(), **change}.items() if value is not None}
    path = tmp_path / "other.bin"
    torch.save({"model_pos": weights}, path)
    with pytest.raises(InputError, match=message) as caught:
        load_peer(path)
    assert "\n" not in str(caught.value)
    assert build_motionbert(filled().state_dict()).field == 9
