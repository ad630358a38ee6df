import pytest
import torch

from poselift.training.masking import Masking


@pytest.fixture
def batch(batches):
    return next(iter(batches(1, batch_size=256)))


def test_shares_of_joints_and_whole_frames_are_hidden(batch):
    torch.manual_seed(0)
    hidden = Masking(joints=0.2, frames=0.1).hide(batch)
    seen = batch.scores > 0
    gone = seen & (hidden.scores == 0)
    share = float(gone.sum() / seen.sum())
    assert share == pytest.approx(1 - 0.9 * 0.8, abs=0.01)
    whole = (hidden.scores == 0).all(-1) & seen.any(-1)
    assert float(whole.float().mean()) == pytest.approx(0.1, abs=0.02)
    assert hidden.keypoints[gone].isnan().all()
    kept = hidden.scores > 0
    assert torch.equal(hidden.keypoints[kept], batch.keypoints[kept])
    assert hidden.joints is batch.joints, "what the loss compares with stays"


def test_nothing_hidden_is_the_same_batch_and_draws_nothing(batch):
    state = torch.get_rng_state()
    assert Masking().hide(batch) is batch
    assert torch.equal(torch.get_rng_state(), state)
