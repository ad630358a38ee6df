from poselift.nn.attention.activated_general import ActivatedGeneralAttention


def test_agrees_with_the_formula(agrees):
    agrees(
        ActivatedGeneralAttention,
        lambda layer, head, q, k, i, j: (q @ layer.weight[head] @ k + layer.bias[head, 0, 0]).tanh(),
    )
