from poselift.nn.attention.similarity import SimilarityAttention


def test_agrees_with_the_formula(agrees):
    def score(layer, head, q, k, i, j):
        beta = (1 + layer.sharpness[head, 0, 0].exp()).log()
        return beta * (q @ k) / (q @ q).sqrt() / (k @ k).sqrt()

    agrees(SimilarityAttention, score)
