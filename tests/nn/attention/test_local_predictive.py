import math

import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.local_predictive import LocalPredictiveAttention


@pytest.mark.parametrize("causal", [False, True])
def test_agrees_with_the_formula(causal):
    torch.manual_seed(0)
    layer = LocalPredictiveAttention(12, 3, window=5, causal=causal).double()
    with torch.no_grad():
        layer.place[2].weight *= 8  # centres all over the sequence
    tokens = torch.randn(1, 10, 12, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 1, 0, 1, 1, 1, 1, 0, 0]], dtype=torch.bool)
    weights = layer.attention_map(AttentionContext(tokens, mask))
    inner = layer.pairwise
    q, k, _ = (x[0].view(10, 3, 4) for x in inner.qkv(tokens).chunk(3, -1))
    for i in mask[0].nonzero().squeeze(-1).tolist():
        length = i + 1 if causal else 8  # the last token that is there is the eighth
        for head in range(3):
            centre = length * torch.sigmoid(layer.place[2].weight[head] @ (layer.place[0].weight @ tokens[0, i]).tanh())
            window = [
                j for j in range(10) if mask[0, j] and (j <= i or not causal) and abs(j + 0.5 - centre.item()) <= 2
            ]
            scores = {j: (q[i, head] @ inner.weight[head] @ k[j, head]).exp() for j in window}
            for j in range(10):
                expected = torch.zeros((), dtype=torch.float64)
                if j in scores:
                    gauss = math.exp(-((j + 0.5 - centre.item()) ** 2) / 2)  # the deviation is half of D = 2
                    expected = scores[j] / sum(scores.values()) * gauss
                torch.testing.assert_close(weights[0, head, i, j], expected)
