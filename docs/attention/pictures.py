"""Draws the pictures of these pages from the package's own classes: python docs/attention/pictures.py.

It is long because it has a function for each picture; none of them knows of another.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, PowerNorm
from matplotlib.figure import Figure
from PIL import Image
from torch import Tensor, nn

from poselift.cli.main import main as poselift
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import (
    BahdanauConfig,
    BahdanauLifter,
    Lifter,
    LifterConfig,
    RecurrentConfig,
    RecurrentLifter,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    TemporalConvolution,
    TemporalConvolutionConfig,
    encode,
)
from poselift.nn.attention import ATTENTION, Attention, AttentionContext
from poselift.nn.attention.compositional import CompositionalAttention
from poselift.nn.attention.distributions import entmax, sigmoid, softmax, sparsemax
from poselift.nn.attention.hierarchical import HierarchicalAttention
from poselift.nn.attention.multi_representational import MultiRepresentationalAttention
from poselift.nn.attention.scores import SCORES
from poselift.nn.positions import RotaryTime, SinusoidalTime, rotate
from poselift.optim import schedules
from poselift.skeleton import CMU28
from poselift.viz.plots.style import GREY, LINE_STYLES, PAGE, PALE, add_legend, save_plot, style_plot

FOLDER = Path(__file__).parent
DIM = 16
PROJECTIONS = ("q", "kv", "qk", "qkv", "query", "key", "value", "global_q", "global_kv")


def gait(count: int, start: float = 0.0, step: float = 1.0) -> Tensor:
    """Tokens of somebody who walks, a stride every 12 tokens, and slowly moves on; (1, count, DIM)."""
    time = start + step * torch.arange(count)
    cycles = (1 / 12, 1 / 12, 1 / 6, 1 / 6, 1 / 4, 1 / 60, 1 / 60, 1 / 40)
    angles = 2 * math.pi * time[:, None] * torch.tensor(cycles)
    return torch.cat((angles.cos(), angles.sin()), -1)[None] * 1.4


def build(name: str, heads: int = 1, **options: Any) -> Attention:
    """A mechanism whose queries, keys and values are the tokens themselves; what else it learns is drawn."""
    torch.manual_seed(0)
    attention = ATTENTION[name](DIM, heads, **options).eval()
    for child, module in attention.named_modules():
        if isinstance(module, nn.Linear) and child.rpartition(".")[-1] in PROJECTIONS:
            module.weight.data = torch.eye(DIM).repeat(module.out_features // DIM, 1)
            module.bias.data.zero_()
    return attention


@torch.no_grad()
def look(name: str, heads: int = 1, count: int = 36, **options: Any) -> Tensor:
    """The weights of each head for each pair of tokens."""
    return build(name, heads, **options).attention_map(AttentionContext(gait(count)))[0]


def draw_matrix(axes: Axes, title: str, weights: Tensor) -> None:
    """A matrix by its own scale; what is not looked at at all is grey."""
    top, negative = float(weights.abs().max()), bool(weights.min() < 0)
    shown = weights.where(weights != 0, torch.nan)
    colors = "RdBu_r" if negative else "viridis"
    norm = Normalize(-top, top) if negative else PowerNorm(0.5, 0, top)
    axes.set_facecolor(PALE)
    axes.imshow(shown.numpy(), cmap=colors, norm=norm, interpolation="nearest", aspect="auto")
    axes.set(title=title, xticks=[], yticks=[])
    axes.grid(False)


@style_plot
def matrices(panels: Mapping[str, Tensor], columns: int) -> Figure:
    """Matrices by title: rows look at columns."""
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(PAGE, (PAGE / columns + 0.15) * rows))
    places = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, (title, weights) in zip(places, panels.items(), strict=False):
        draw_matrix(axes, title, weights)
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    return figure


def scores() -> Figure:
    """The score functions, all else equal."""
    return matrices({name: look(name)[0] for name in SCORES}, 4)


@style_plot
def distributions() -> Figure:
    """Weights of two keys, of a line of keys, and of compositional de-attention."""
    functions: dict[str, Callable[..., Tensor]] = {
        "softmax": softmax,
        "entmax, alpha 1.5": entmax,
        "sparsemax": sparsemax,
        "sigmoid": sigmoid,
    }
    figure = Figure(figsize=(PAGE, 2.0))
    two, line, compositional = figure.subplots(1, 3)
    difference = torch.linspace(-4, 4, 201)
    pairs = torch.stack((difference, torch.zeros_like(difference)), -1)
    keys = torch.linspace(-3, 3, 13)
    for look, function in zip(LINE_STYLES, functions.values(), strict=False):
        style = {"color": look.color, "linestyle": look.line}
        two.plot(difference, function(pairs)[:, 0], **style)
        line.plot(keys, function(keys), marker=look.marker, markersize=2.5, **style)
    two.set(title="two keys", xlabel="score of one less that of the other", ylabel="its weight")
    line.set(title="thirteen keys", xlabel="score")
    attention = CompositionalAttention(1, 1)
    key = torch.linspace(-3, 3, 201)
    for look, query in zip(LINE_STYLES[4:], (0.5, 1.0, 2.0), strict=False):
        with torch.no_grad():
            weights = attention.scores(torch.tensor([[[[query]]]]), key.view(1, 1, -1, 1))[0, 0, 0]
        compositional.plot(key, weights, color=look.color, linestyle=look.line, label=f"query {query:g}")
    compositional.set(title="compositional, width 1", xlabel="key", ylim=(-0.15, 0.55))
    compositional.legend(loc="upper left")
    add_legend(figure, two.get_lines(), list(functions))
    return figure


def where() -> Figure:
    """Everything, the past, a window around the token, a window that it chooses, one key."""
    with torch.no_grad():
        drawn = build("hard", score="scaled_dot").train().attention_map(AttentionContext(gait(36)))
    panels = {
        "scaled_dot: everything": look("scaled_dot")[0],
        "causal: the past": look("scaled_dot", causal=True)[0],
        "local_monotonic": look("local_monotonic", score="scaled_dot")[0],
        "local_predictive": look("local_predictive", score="scaled_dot")[0],
        "hard: one key, drawn": drawn[0, 0],
    }
    return matrices(panels, 5)


@style_plot
def between() -> Figure:
    """Two sequences, two streams, single features, several encodings, joints and limbs."""
    figure = Figure(figsize=(PAGE, 4.9))
    rows = figure.subfigures(2, 1, squeeze=False, height_ratios=(1, 1.35))
    top, bottom = rows[:, 0]
    with torch.no_grad():
        context = AttentionContext(gait(36), memory=gait(18, step=2.0))
        across = build("scaled_dot", cross=True).attention_map(context)[0, 0]
    streams, features = look("co_attention", heads=2), look("multi_dimensional")
    panels = {
        "cross: a memory of half the rate": across,
        "co_attention: places at motion": streams[0],
        "co_attention: motion at places": streams[1],
        "multi_dimensional: feature 1": features[0],
        "feature 7": features[6],
    }
    for axes, (title, weights) in zip(top.subplots(1, len(panels)), panels.items(), strict=True):
        draw_matrix(axes, title.replace(": ", ":\n"), weights)
    encodings, limbs = bottom.subplots(1, 2)
    chooser = build("multi_representational")
    assert isinstance(chooser, MultiRepresentationalAttention)
    with torch.no_grad():
        chosen = chooser.representations(gait(36))[0][0]
    encodings.stackplot(range(36), chosen.mT, colors=[look.color for look in LINE_STYLES], alpha=0.8)
    encodings.set(title="multi_representational: weights of three encodings", xlabel="token", xlim=(0, 35), ylim=(0, 1))
    torch.manual_seed(0)
    hierarchy = HierarchicalAttention(DIM, 1)
    names = [hierarchy.limb_names[limb] for limb in hierarchy.limbs]
    order = sorted(range(len(names)), key=lambda joint: hierarchy.limb_names.index(names[joint]))
    with torch.no_grad():
        weights = hierarchy.attention_map(AttentionContext(3 * torch.randn(1, len(CMU28), DIM)))[0, 0]
    draw_matrix(limbs, "hierarchical: the joints of cmu28 by limb", weights[order][:, order])
    middles = [[place for place, joint in enumerate(order) if names[joint] == limb] for limb in hierarchy.limb_names]
    limbs.set_yticks([sum(places) / len(places) for places in middles], hierarchy.limb_names)
    return figure


def efficient() -> Figure:
    """Where each efficient mechanism looks."""
    longformer = look("longformer", heads=2, window=6, dilations=(1, 3))
    panels = {
        "scaled_dot": look("scaled_dot")[0],
        "local": look("local", block=6, reach=6)[0],
        "strided": look("strided", stride=6)[0],
        "fixed": look("fixed", block=6)[0],
        "adaptive_span, z = 8": look("adaptive_span", max_span=64, ramp=8)[0],
        "longformer, near head": longformer[0],
        "longformer, dilated head": longformer[1],
        "transformer_xl": look("transformer_xl", segment=9)[0],
        "lsh, one round": look("lsh", buckets=4, rounds=1, chunk=36)[0],
        "performer, 64 features": look("performer")[0],
        "performer, 1024 features": look("performer", features=1024)[0],
        "linformer, rank 12": look("linformer", rank=12)[0],
    }
    return matrices(panels, 4)


@style_plot
def positions() -> Figure:
    """The sinusoidal code of two seconds, and a score under the rotary code."""
    figure = Figure(figsize=(PAGE, 1.9))
    code, score = figure.subplots(1, 2)
    times = torch.linspace(0, 2, 201)
    code.imshow(
        SinusoidalTime(32)(times[None])[0].mT,
        cmap="RdBu_r",
        aspect="auto",
        extent=(0, 2, 32, 0),
        interpolation="nearest",
    )
    code.set(title="sinusoidal: what is added to a token", xlabel="time of the token (s)", ylabel="channel")
    code.grid(False)
    torch.manual_seed(0)
    vector = torch.randn(1, 1, 1, 32)
    rotary = RotaryTime(32)
    for look, start in zip(LINE_STYLES, (0.0, 5.0), strict=False):
        query = rotate(vector, rotary(torch.tensor([[start]])))
        keys = rotate(vector.expand(1, 1, 201, 32), rotary(start + times[None] - 1))
        label, width = f"query at {start:g} s", 2.4 if start == 0 else 1.2
        score.plot(times - 1, (query @ keys.mT).flatten(), color=look.color, ls=look.line, lw=width, label=label)
    score.set(title="rotary: the score of two equal tokens", xlabel="time of the key less that of the query (s)")
    score.legend()
    return figure


def rectified(steps: int, beta2: float) -> list[float]:
    """The steps that torch's RAdam makes at a rate of 1 while the gradient stays the same."""
    weight = nn.Parameter(torch.zeros(()))
    optimizer = torch.optim.RAdam([weight], lr=1.0, betas=(0.9, beta2))
    sizes = []
    for _ in range(steps):
        before = weight.item()
        weight.grad = torch.ones(())
        optimizer.step()
        sizes.append(before - weight.item())
    return sizes


@style_plot
def warmups() -> Figure:
    """The factor on the learning rate over the first steps."""
    figure = Figure(figsize=(PAGE, 2.1))
    steps, beta2, first = 5000, 0.999, 10
    axes = figure.subplots()
    series = {
        "noam, 1000 steps": schedules.noam(1000),
        "linear, 1000 steps": schedules.linear_warmup(1000),
        "exponential, 500 steps": schedules.exponential_warmup(500),
        "untuned linear": schedules.untuned_linear_warmup(beta2),
        "untuned exponential": schedules.untuned_exponential_warmup(beta2),
    }
    values = {name: [schedule(step) for step in range(first, steps)] for name, schedule in series.items()}
    values["RAdam of a steady gradient"] = rectified(steps, beta2)[first:]
    for look, factors in zip(LINE_STYLES, values.values(), strict=False):
        axes.plot(range(first, steps), factors, color=look.color, linestyle=look.line)
    axes.set(xlabel="step", ylabel="factor on the rate", ylim=(0, 1.05), xlim=(0, steps))
    add_legend(figure, axes.get_lines(), list(values))
    return figure


@style_plot
def before() -> Figure:
    """How much the pose of frame 40 depends on the 2D of each frame, before any training."""
    view = render_views(synthetic_corpus(1, 81, seed=0), seed=0)[0]
    batch = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    encoded = encode(*(x[None] for x in batch))
    models: dict[str, Callable[[], Lifter]] = {
        "martinez": lambda: SimpleBaseline(SimpleBaselineConfig(dim=64)),
        "rnn": lambda: RecurrentLifter(RecurrentConfig(cell="rnn", dim=64)),
        "birnn": lambda: RecurrentLifter(RecurrentConfig(cell="rnn", dim=64, bidirectional=True)),
        "lstm": lambda: RecurrentLifter(RecurrentConfig(cell="lstm", dim=64)),
        "gru": lambda: RecurrentLifter(RecurrentConfig(cell="gru", dim=64)),
        "tcn, depth 2": lambda: TemporalConvolution(TemporalConvolutionConfig(channels=64, depth=2)),
        "tcn, causal": lambda: TemporalConvolution(TemporalConvolutionConfig(channels=64, depth=2, causal=True)),
        "seq2seq_bahdanau": lambda: BahdanauLifter(BahdanauConfig(dim=64)),
        "lifter": lambda: SpatioTemporalLifter(LifterConfig(dim=64, frame_dim=64, depth=2)),
    }
    figure = Figure(figsize=(PAGE, 3.2))
    grid = figure.subplots(3, 3, sharex=True, sharey=True)
    for axes, (name, make) in zip(grid.flat, models.items(), strict=True):
        torch.manual_seed(0)
        coordinates = encoded.coordinates.clone().requires_grad_()
        make().eval()(replace(encoded, coordinates=coordinates))[0, 40].sum().backward()
        assert coordinates.grad is not None
        share = coordinates.grad[0].norm(dim=(-2, -1))
        axes.bar(range(81), (share / share.max()).clamp(min=1e-6), width=1.0, color=LINE_STYLES[0].color)
        axes.axvline(40, color=GREY, linewidth=0.5)
        axes.set(title=name, yscale="log", ylim=(1e-5, 2), xlim=(0, 80), yticks=(1e-4, 1e-2, 1))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    for axes in grid[-1]:
        axes.set_xlabel("frame")
    grid[1, 0].set_ylabel("gradient, largest 1")
    return figure


def main() -> None:
    """Draws them all, and the shipped weights on the demo clip by the command itself."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for draw in (scores, distributions, where, between, efficient, positions, warmups, before):
            save_plot(draw(), folder / draw.__name__)
        poselift(["attention", "--out", name, "--quiet"])
        (folder / "joints.png").rename(folder / "small_joints.png")
        (folder / "time.png").rename(folder / "small_time.png")
        for path in folder.glob("*.png"):
            picture = Image.open(path).convert("RGB")
            # Of two pixels one: sharp enough for a page, and a tenth of the bytes. All the heads over time take more.
            share, colors = (4, 64) if picture.width > 3000 else (2, 256)
            picture.reduce(share).quantize(colors).save(FOLDER / path.name, optimize=True)


if __name__ == "__main__":
    main()
