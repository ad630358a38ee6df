"""Values of configs are checked when a config is made."""

import json
from dataclasses import asdict, replace

import pytest

from poselift.core.errors import InputError
from poselift.models import (
    EncoderDecoderConfig,
    Lifter,
    LifterConfig,
    LuongConfig,
    ModelConfig,
    RecurrentConfig,
    TemporalConvolutionConfig,
    build_model,
)
from poselift.models.model_config import config_from_dict
from poselift.nn.attention import attention_spec


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"depth": 2.0}, "depth=2.0 must be a whole number"),
        ({"temporal_stride": 0}, "temporal_stride=0 must be a number from 1 to 16384"),
        ({"dropout": 1.5}, "dropout=1.5 must be a number from 0 to 1"),
        ({"drop_path": float("nan")}, "drop_path=nan must be a finite number"),
        ({"drop_path": 1}, "drop_path=1 drops the last block always"),
        ({"positions": "none"}, "positions=none is not known; choose rotary, sinusoidal, learned"),
        ({"attention": {"name": "dot", "alpha": "abc"}}, "alpha=abc must be a number or null"),
        ({"temporal_upsampling": "cubic"}, "temporal_upsampling=cubic is not known; choose layer, interpolate"),
        ({"attention": {"name": "local", "block": 10**9}}, r"attention\.block=1000000000 must be"),
        ({"temporal_upsampling": "interpolate", "causal": True}, "causal=true, set temporal_upsampling=layer"),
    ],
)
def test_a_wrong_value_is_named(values, message):
    with pytest.raises(InputError, match=message):
        LifterConfig(**values)
    with pytest.raises(InputError, match=message):
        replace(LifterConfig(), **values)


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (EncoderDecoderConfig, {"noise": -1.0}, "noise=-1.0 must be a number from 0 to 1"),
        (LuongConfig, {"reach": 0}, "reach=0 must be a number from 1"),
        (RecurrentConfig, {"depth": 0}, "depth=0 must be a number from 1 to 128"),
        (TemporalConvolutionConfig, {"width": 4}, "width=4 has no middle frame"),
    ],
)
def test_a_wrong_value_of_other_models_is_named(kind, values, message):
    with pytest.raises(InputError, match=message):
        kind(**values)


def test_whole_numbers_become_floats_and_attention_gets_every_option():
    config = LifterConfig(dropout=0, attention={"name": "general", "distribution": "entmax"})
    assert isinstance(config.dropout, float)
    assert config.attention == {"name": "general", "distribution": "entmax", "alpha": None}
    assert config.joint_attention == attention_spec("scaled_dot")


@pytest.mark.parametrize("config", [LifterConfig(attention="longformer"), EncoderDecoderConfig(depth=1)])
def test_it_comes_back_from_json(config):
    assert config_from_dict(type(config), json.loads(json.dumps(asdict(config)))) == config


def test_unknown_and_missing_keys_are_named():
    values = asdict(RecurrentConfig())
    with pytest.raises(
        InputError, match=r"unknown key 'width' in the config; remove it; known are skeleton_in, .*cell"
    ):
        config_from_dict(RecurrentConfig, {**values, "width": 3})
    del values["cell"]
    with pytest.raises(InputError, match="key 'cell' is missing in the config"):
        config_from_dict(RecurrentConfig, values)


def test_a_config_without_a_model_is_refused():
    with pytest.raises(InputError, match=r"ModelConfig is not the config of a model; .*MODELS"):
        build_model(ModelConfig())


def test_skeletons_are_known_by_name():
    lifter = build_model(RecurrentConfig(skeleton_in="coco17", dim=8))
    assert isinstance(lifter, Lifter)
    assert (lifter.skeleton_in.name, lifter.skeleton_out.name) == ("coco17", "h36m17")
    with pytest.raises(InputError, match="coco71"):
        build_model(RecurrentConfig(skeleton_in="coco71"))
