import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.fastformer import FastformerAttention


def textbook(layer, tokens, mask):
    b, n, d = tokens.shape
    width = d // layer.heads
    q, k = layer.query(tokens), layer.key(tokens)
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        there = [i for i in range(n) if mask[row, i]]
        for head in range(layer.heads):
            part = slice(head * width, (head + 1) * width)
            w_q, w_k = layer.query_weight[head, :, 0], layer.key_weight[head, :, 0]
            alpha = [(w_q @ q[row, i, part] / width**0.5).exp() for i in there]
            global_query = sum(a * q[row, i, part] for a, i in zip(alpha, there, strict=True)) / sum(alpha)
            p = [global_query * k[row, i, part] for i in there]
            beta = [(w_k @ each / width**0.5).exp() for each in p]
            global_key = sum(share * each for share, each in zip(beta, p, strict=True)) / sum(beta)
            mixed[row, :, part] = global_key * q[row, :, part]
    return layer.out(mixed) + q


def test_agrees_with_the_formula():
    torch.manual_seed(0)
    layer = FastformerAttention(12, 3).double()
    tokens = torch.randn(2, 7, 12, dtype=torch.float64)
    for mask in (None, torch.tensor([[1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 0, 0, 1]]) > 0):
        everything = torch.ones(2, 7, dtype=torch.bool)
        torch.testing.assert_close(
            layer(AttentionContext(tokens, mask)), textbook(layer, tokens, everything if mask is None else mask)
        )
