from poselift.nn.attention.biased_general import BiasedGeneralAttention


def test_agrees_with_the_formula(agrees):
    agrees(
        BiasedGeneralAttention,
        lambda layer, head, q, k, i, j: k @ (layer.weight[head] @ q + layer.bias[head, 0]),
    )
