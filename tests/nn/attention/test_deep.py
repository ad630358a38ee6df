import pytest

from poselift.core.errors import InputError
from poselift.nn.attention.deep import DeepAttention


@pytest.mark.parametrize("layers", [1, 3])
def test_agrees_with_the_formula(agrees, layers):
    def score(layer, head, q, k, i, j):
        hidden = (layer.weight_k[head] @ k + layer.weight_q[head] @ q + layer.bias[head, 0, 0]).clamp(min=0)
        for number in range(layers - 1):
            hidden = (layer.weights[number][head] @ hidden + layer.biases[number][head, 0, 0]).clamp(min=0)
        return layer.direction[head, 0] @ hidden

    agrees(DeepAttention, score, layers=layers)


def test_it_has_a_layer_at_least():
    with pytest.raises(InputError, match="layers=0 is too few; choose 1 or more"):
        DeepAttention(12, 3, layers=0)
