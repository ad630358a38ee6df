import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.multi_representational import MultiRepresentationalAttention
from poselift.nn.attention.scaled_dot import ScaledDotAttention


def test_it_is_attention_over_the_weighed_encodings():
    torch.manual_seed(0)
    layer = MultiRepresentationalAttention(12, 3, encodings=4).double()
    plain = ScaledDotAttention(12, 3).double()
    plain.load_state_dict({key: value for key, value in layer.state_dict().items() if key in plain.state_dict()})
    tokens = torch.randn(2, 5, 12, dtype=torch.float64)
    blended = torch.zeros_like(tokens)
    for row in range(2):
        for i in range(5):
            encodings = layer.encode(tokens[row, i]).tanh().split(12)
            shares = torch.stack([layer.context @ encoding for encoding in encodings]).exp()
            blended[row, i] = sum(share * one for share, one in zip(shares / shares.sum(), encodings, strict=True))
    torch.testing.assert_close(layer(AttentionContext(tokens)), plain(AttentionContext(blended)))
    weights, encodings = layer.representations(tokens)
    assert encodings.shape == (2, 5, 4, 12)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 5, dtype=torch.float64))
