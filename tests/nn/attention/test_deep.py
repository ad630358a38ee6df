import pytest

from poselift.nn.attention.deep import DeepAttention


@pytest.mark.parametrize("layers", [1, 3])
def test_agrees_with_the_formula(agrees, layers):
    def score(layer, head, q, k, i, j):
        hidden = (layer.weight_k[head] @ k + layer.weight_q[head] @ q + layer.bias[head, 0, 0]).clamp(min=0)
        for number in range(layers - 1):
            hidden = (layer.weights[number][head] @ hidden + layer.biases[number][head, 0, 0]).clamp(min=0)
        return layer.direction[head, 0] @ hidden

    agrees(DeepAttention, score, layers=layers)
