from poselift.nn.attention.dot import DotAttention


def test_agrees_with_the_formula(agrees):
    agrees(DotAttention, lambda layer, head, q, k, i, j: sum(a * b for a, b in zip(q, k, strict=True)))
