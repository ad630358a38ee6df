"""Costs of lifters against counts by hand."""

import json

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import (
    BahdanauConfig,
    BahdanauLifter,
    EncoderDecoder,
    EncoderDecoderConfig,
    LifterConfig,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    TemporalConvolution,
    TemporalConvolutionConfig,
    load_weights,
    save_weights,
)
from poselift.models.encoding import CONTEXT_CHANNELS
from poselift.reports.cost import cost_key, measure_costs, read_costs
from tests.reports.results import MODEL, results, section

FRAMES = 6
FEATURES = 4 * 28 + CONTEXT_CHANNELS + 1
"""Numbers that go into `FrameFeatures` for each frame of cmu28."""


@pytest.fixture
def evaluated(tmp_path):
    """Saves lifters; returns entries as if they had been evaluated."""

    def of(*lifters, **settings):
        contents = []
        for number, lifter in enumerate(lifters):
            path = tmp_path / f"m{number}.safetensors"
            save_weights(path, lifter, FRAMES, {})
            weights = load_weights(path)
            model = MODEL | {"window": FRAMES, "weights": str(path), "sha256": weights.sha256}
            contents.append(results(name=path.stem, model=model, data={"skeleton": "cmu28"}, **settings))
        return section(*contents).entries

    return of


def measure(entries):
    costs, missing = measure_costs(entries, repeats=1)
    assert missing == []
    return [costs[cost_key(entry)] for entry in entries]


def test_the_simple_baseline(evaluated):
    """Linear layers alone, so that the window changes nothing but the memory."""
    (short,) = measure(evaluated(SimpleBaseline(SimpleBaselineConfig(dim=16, depth=1)), window=3))
    (long,) = measure(evaluated(SimpleBaseline(SimpleBaselineConfig(dim=16, depth=1)), window=30))
    assert short.macs == long.macs == FEATURES * 16 + 2 * 16 * 16 + 16 * 51
    assert long.memory > short.memory > 4 * short.parameters


@pytest.mark.slow
def test_attention_counts_in_the_lifter(evaluated):
    """A pass costs a + b t + c t²: in each block each token makes two products of width `dim` with every token."""

    def pass_of(window):
        (cost,) = measure(evaluated(SpatioTemporalLifter(LifterConfig(**shape)), window=window))
        return cost.macs * window

    shape = {"joint_dim": 16, "frame_dim": 32, "dim": 32, "depth": 3, "heads": 4, "temporal_stride": 1}
    curvature = (pass_of(24) - 2 * pass_of(16) + pass_of(8)) / (2 * 8**2)
    assert curvature == pytest.approx(3 * 2 * 32)


def test_the_uncertainty_counts(evaluated):
    """Its head has two linear layers, from a frame token to twice its width, and to one number a joint."""
    shape = {"joint_dim": 16, "frame_dim": 32, "dim": 32, "depth": 1, "heads": 4}
    lifters = (SpatioTemporalLifter(LifterConfig(**shape, uncertainty=given)) for given in (False, True))
    without, with_it = measure(evaluated(*lifters))
    assert with_it.macs - without.macs == 32 * 64 + 64 * 17


@pytest.mark.slow
def test_every_architecture_can_be_measured(evaluated):
    torch.manual_seed(0)
    lifters = (
        TemporalConvolution(TemporalConvolutionConfig(channels=8, depth=1)),
        BahdanauLifter(BahdanauConfig(dim=8)),
        EncoderDecoder(EncoderDecoderConfig()),
    )
    for cost, lifter in zip(measure(evaluated(*lifters)), lifters, strict=True):
        assert cost.parameters == sum(parameter.numel() for parameter in lifter.parameters())
        assert cost.macs > 0
        assert cost.ms > 0


def test_weights_that_are_gone_or_changed_are_said(evaluated, tmp_path):
    entries = evaluated(SimpleBaseline(SimpleBaselineConfig(dim=8)), SimpleBaseline(SimpleBaselineConfig(dim=4)))
    (tmp_path / "m0.safetensors").unlink()
    save_weights(tmp_path / "m1.safetensors", SimpleBaseline(SimpleBaselineConfig(dim=4)), FRAMES, {})
    costs, (gone, changed) = measure_costs(entries, repeats=1)
    assert costs == {}
    assert gone.startswith("no cost of m0: no such file")
    assert changed.startswith("no cost of m1: ")
    assert "has another sha256 than the evaluated weights" in changed


@pytest.mark.parametrize(
    "content",
    [
        "{",
        [],
        {"format": "poselift-metrics", "version": 1, "costs": {}},
        {"format": "poselift-cost", "version": 1, "costs": {"a": {"parameters": 1}}},
    ],
)
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "cost.json").write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=r"cost\.json (cannot be read as JSON|is not)"):
        read_costs(tmp_path / "cost.json")
    with pytest.raises(InputError, match="no such file"):
        read_costs(tmp_path / "nothing.json")
