import torch

from poselift.nn.attention.similarity import SimilarityAttention


def test_agrees_with_the_formula(agrees):
    def score(layer, head, q, k, i, j):
        beta = (1 + layer.sharpness[head, 0, 0].exp()).log()
        return beta * (q @ k) / (q @ q).sqrt() / (k @ k).sqrt()

    agrees(SimilarityAttention, score)


def test_the_length_of_a_key_does_not_count_and_it_starts_as_sharp_as_the_scaled_dot_product():
    layer = SimilarityAttention(16, 4).double()
    q, k = torch.randn(2, 1, 4, 5, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(layer.scores(q, 7 * k), layer.scores(q, k))
    torch.testing.assert_close(layer.scores(q, q).diagonal(dim1=-2, dim2=-1), torch.full((1, 4, 5), 2.0).double())
