"""model/attention= has every mechanism, with its own defaults as keys to override."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.models.build import build_model, model_from_dict
from poselift.nn.attention import ATTENTION, attention_spec

SMALL = [f"model.{part}" for part in ("joint_dim=16", "frame_dim=16", "dim=32", "depth=1", "heads=4")]


@pytest.fixture(autouse=True)
def configs():
    with initialize_config_dir(CONF, version_base="1.3"):
        yield


def model(*overrides):
    return compose("train", list(overrides)).model


def test_every_mechanism_is_a_choice():
    assert {path.stem for path in (Path(CONF) / "model" / "attention").glob("*.yaml")} == set(ATTENTION)


@pytest.mark.parametrize("name", sorted(ATTENTION))
def test_a_choice_says_all_options_and_builds_the_lifter(name):
    config = model(f"model/attention={name}", *SMALL)
    chosen = config.joint_attention if name == "hierarchical" else config.attention
    assert OmegaConf.to_container(chosen, resolve=True) == attention_spec(name)
    lifter = build_model(instantiate(config))
    again = model_from_dict("SpatioTemporalLifter", json.loads(json.dumps(asdict(lifter.config))))
    assert again.config == lifter.config
    again.load_state_dict(lifter.state_dict())
    blocks = lifter.joint_blocks if name == "hierarchical" else lifter.time_blocks
    assert all(type(block.attention) is ATTENTION[name] for block in blocks)


def test_options_and_the_joints_are_overrides_too():
    overrides = ["model.attention.distribution=sparsemax", "model.joint_attention.name=additive"]
    config = instantiate(model("model/attention=general", *overrides))
    assert config.attention == {"name": "general", "distribution": "sparsemax", "alpha": None}
    assert config.joint_attention["name"] == "additive"


def test_the_default_is_the_scaled_dot_product():
    default = instantiate(model(*SMALL))
    assert default.attention == default.joint_attention == attention_spec("scaled_dot")
