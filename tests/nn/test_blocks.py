import pytest
import torch

from poselift.nn.blocks import EncoderBlock, FeedForward, StochasticDepth


def test_whole_branches_are_dropped_and_the_mean_stays():
    torch.manual_seed(0)
    layer = StochasticDepth(0.3)
    out = layer(torch.ones(20_000, 2, 3))
    values = out.unique()
    assert values.tolist() == [0.0, pytest.approx(1 / 0.7)]
    assert torch.equal(out, out[:, :1, :1].expand_as(out))
    assert float(out.mean()) == pytest.approx(1.0, abs=0.02)
    assert float((out[:, 0, 0] == 0).float().mean()) == pytest.approx(0.3, abs=0.02)


class Copy(torch.nn.Module):
    def forward(self, context):
        return context.tokens


def test_a_block_whose_branches_are_all_dropped_passes_its_tokens_on():
    torch.manual_seed(0)
    block = EncoderBlock(8, attention=Copy(), feed_forward=FeedForward(8, 16), drop_path=0.999999)
    tokens = torch.randn(4, 3, 8)
    assert torch.equal(block(tokens), tokens)
    assert not torch.equal(block.eval()(tokens), tokens)
