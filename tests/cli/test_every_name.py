"""Every model, initialisation and optimizer on disk takes two steps; every schedule and mechanism is whole."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.core.errors import InputError
from poselift.models import build_model
from poselift.models.build import model_from_dict
from poselift.nn.attention import ATTENTION, attention_spec, takes_rotation
from tests.cli.running import NOTHING_WRITTEN, TINY_DATA, assert_complete, composed, small_model, two_steps

pytestmark = pytest.mark.slow

GROUPS = ["model", "model/init", "optimizer"]
DEFAULTS = ("model/init=default", "optimizer=adamw")
"""Choices that `model=lifter` has already."""
NAMES = [
    name
    for group in GROUPS
    for path in sorted((Path(CONF) / group).glob("*.yaml"))
    if not path.stem.startswith("_") and (name := f"{group}={path.stem}") not in DEFAULTS
]
ALSO = [
    "model.attention.distribution=entmax",
    "model.norm=post",
    "model.causal=true",
    "model=encoder_decoder model/init=t_fixup",
    "model=encoder_decoder model/attention=kernel model/attention@model.cross_attention=additive",
    "model/attention=additive model.positions=learned",
    "model=tcn model.dense=true",
    "model=seq2seq_luong model.looks=local_predictive",
]
"""Names of the survey that are a key and not a file."""


@pytest.mark.parametrize("name", [*NAMES, *ALSO])
def test_a_name_takes_two_steps(name):
    with composed(*NOTHING_WRITTEN, *TINY_DATA, *small_model(name.split())) as config:
        assert_complete(config)
        task, logged = two_steps(config)
    assert 0 < logged["val/mpjpe"] < 5000
    lifter = task.lifter
    assert all(value.isfinite().all() for value in lifter.state_dict().values())
    # A card holds the config as JSON.
    again = model_from_dict(type(lifter).__name__, json.loads(json.dumps(asdict(lifter.config))))
    assert again.config == lifter.config
    again.load_state_dict(lifter.state_dict())


@pytest.mark.parametrize("group", ["schedule", "schedule/warmup"])
def test_every_schedule_gives_factors(group):
    for path in (Path(CONF) / group).glob("[!_]*.yaml"):
        with composed(f"{group}={path.stem}") as config:
            assert_complete(config)
            schedule = instantiate(config.schedule)
        assert all(0 <= schedule(step) < 30 for step in (0, 10, config.steps)), path


@pytest.mark.parametrize("name", ["scaled_dot", "additive", "hierarchical", "lsh"])
def test_a_mechanism_is_built(name):
    """The config has all options of the mechanism, and the lifter has the mechanism."""
    with composed(*small_model([f"model/attention={name}"])) as config:
        lifter = build_model(instantiate(config.model, _convert_="all"))
    over_joints = name == "hierarchical"
    chosen = config.model.joint_attention if over_joints else config.model.attention
    assert OmegaConf.to_container(chosen, resolve=True) == attention_spec(name)
    blocks = lifter.joint_blocks if over_joints else lifter.time_blocks
    assert all(type(block.attention) is ATTENTION[name] for block in blocks)
    assert config.model.positions == ("rotary" if over_joints or takes_rotation(name) else "sinusoidal")


def test_every_mechanism_has_a_config_with_all_its_options():
    folder = Path(CONF) / "model" / "attention"
    assert {path.stem for path in folder.glob("[!_]*.yaml")} == set(ATTENTION)
    for name in ATTENTION.keys() - {"hierarchical"}:
        config = OmegaConf.to_container(OmegaConf.load(folder / f"{name}.yaml"))
        sinusoidal = config.pop("defaults", None) is not None
        assert config == attention_spec(name)
        # Kernels and Performer take rotary positions, and have those of their papers by default.
        assert sinusoidal == (not takes_rotation(name) or name in ("kernel", "performer")), name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.causal=true model/attention=fnet", "FNetAttention mixes all tokens at once and cannot be causal"),
        (
            "model=encoder_decoder model/attention@model.cross_attention=lsh",
            "LSHAttention works within one sequence and cannot look at a memory",
        ),
        ("model.attention.name=additive", "attention=additive takes no rotary positions; set positions=sinusoidal"),
        ("model/attention=location model.attention.distribution=proportional", "proportional"),
        ("model/init=t_fixup model.norm=pre", "init=t_fixup does not suit norm=pre"),
        ("model/attention=co_attention model.heads=1", "heads=1 is odd, choose an even number"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_built(name, message):
    with (
        composed(*NOTHING_WRITTEN, *TINY_DATA, *small_model(name.split())) as config,
        pytest.raises((InstantiationException, InputError)) as caught,
    ):
        build_model(instantiate(config.model, _convert_="all"))
    cause = caught.value
    while cause is not None and not isinstance(cause, InputError):
        cause = cause.__cause__
    assert cause is not None, caught.value
    assert message in str(cause)


class TestTFixup:
    def test_it_has_neither_norm_nor_warm_up(self):
        with composed("model/init=t_fixup") as config:
            assert (config.model.init, config.model.norm) == ("t_fixup", "none")
            schedule = instantiate(config.schedule)
        assert schedule(0) == 1.0
        assert schedule(4000) < 0.5, "the decay stays"

    def test_another_warm_up_can_be_chosen(self):
        with composed("model/init=t_fixup", "schedule/warmup=linear") as config:
            assert instantiate(config.schedule)(0) < 0.01


@pytest.mark.parametrize(
    ("name", "at_10", "at_4000"),
    [
        ("schedule=constant schedule/warmup=linear", 11 / 300, 1.0),
        ("schedule=constant schedule/warmup=untuned_linear", 0.02 * 11 / 2, 1.0),
        ("schedule=noam", 11 / 300, (4001 / 300) ** -0.5),
    ],
)
def test_warm_ups_alone(name, at_10, at_4000):
    """They rise as in their paper and then stay; only Noam's falls."""
    with composed(*name.split()) as config:
        schedule = instantiate(config.schedule)
    assert schedule(10) == pytest.approx(at_10, rel=1e-6)
    assert schedule(4000) == pytest.approx(at_4000, rel=1e-6)
