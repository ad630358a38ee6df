import json

import pytest

from poselift.core.errors import InputError
from poselift.nn.attention import ATTENTION, ScaledDotAttention, attention_spec, build_attention
from poselift.nn.attention.distributions import sparsemax
from poselift.nn.attention.scores import SCORES


def test_one_module_a_layer_by_name_or_by_mapping():
    layers = build_attention("scaled_dot", 12, 3, 4)
    assert [type(layer) for layer in layers] == [ScaledDotAttention] * 4
    assert len(set(map(id, layers))) == 4
    (layer,) = build_attention({"name": "general", "distribution": "sparsemax"}, 12, 3, 1, causal=True)
    assert (type(layer), layer.distribution, layer.causal) == (ATTENTION["general"], sparsemax, True)


@pytest.mark.parametrize("name", ["local_monotonic", "local_predictive", "hard"])
def test_a_score_a_distribution_and_a_reach_compose(name):
    (layer,) = build_attention({"name": name, "score": "additive", "distribution": "sparsemax"}, 12, 3, 1)
    assert type(layer) is ATTENTION[name]
    assert type(layer.pairwise) is SCORES["additive"]
    assert layer.pairwise.distribution is sparsemax


@pytest.mark.parametrize("name", ATTENTION)
def test_a_spec_with_all_its_options_is_plain_and_builds_the_same(name):
    spec = attention_spec(name)
    assert spec["name"] == name
    assert json.loads(json.dumps(spec)) == spec
    assert attention_spec(spec) == spec
    (layer,) = build_attention(spec, 12, 2, 1)
    assert isinstance(layer, ATTENTION[name])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("additiv", "no attention is called 'additiv'; did you mean 'additive'"),
        ({"name": "local_monotonic", "windw": 9}, "no option of attention local_monotonic is called 'windw'; did you"),
        ({"name": "dot", "causal": True}, "no option of attention dot is called 'causal'"),
        ({"distribution": "softmax"}, "but no name; add name, one of"),
        ({"name": "hard", "score": "scaled_dott"}, "no score function is called 'scaled_dott'; did you mean"),
        ({"name": "dot", "distribution": "entmax", "alpha": 3.0}, "alpha of entmax is 3"),
    ],
)
def test_what_is_not_there_is_an_error_that_helps(spec, message):
    with pytest.raises(InputError, match=message):
        build_attention(spec, 12, 3, 1)
