import torch

from poselift.nn.attention.additive import AdditiveAttention


def test_agrees_with_the_formula_on_concatenated_vectors(agrees):
    def score(layer, head, q, k, i, j):
        weight = torch.cat((layer.weight_q[head], layer.weight_k[head]), 1)
        return layer.direction[head, 0] @ (weight @ torch.cat((q, k)) + layer.bias[head, 0, 0]).tanh()

    agrees(AdditiveAttention, score)
