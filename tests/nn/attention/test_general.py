from poselift.nn.attention.general import GeneralAttention


def test_agrees_with_the_formula(agrees):
    agrees(GeneralAttention, lambda layer, head, q, k, i, j: q @ (layer.weight[head] @ k))
