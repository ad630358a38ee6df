"""The budgets of the study: steps, windows, views and model sizes, the same for every row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from benchmarks.study.rows import Row, all_rows, efficient_rows, warmup_rows


@dataclass(frozen=True)
class Budget:
    """The amount of training and measuring for one row.

    Attributes:
        steps: optimizer steps.
        batch: windows in a batch.
        frames: in a window, in training and evaluation.
        views: for validation, the first ones of the data.
        repeats: timed passes.
        sizes: overrides of the model's size, by choice of conf/model.
        optimizer: a choice of conf/optimizer, for rows that choose none.
        other: further overrides.
        rows: makes the rows that are trained.
    """

    steps: int
    batch: int
    frames: int
    views: int
    repeats: int
    sizes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optimizer: str = "adamw"
    other: tuple[str, ...] = ()
    rows: Callable[[], list[Row]] = all_rows

    def overrides(self, row: Row) -> list[str]:
        """The overrides of `poselift train` for the budget; warm-ups with a length take a tenth of the steps."""
        chosen = any(override.startswith("optimizer=") for override in row.overrides)
        return [
            *(() if chosen else (f"optimizer={self.optimizer}",)),
            f"steps={self.steps}",
            f"frames={self.frames}",
            f"data.batch_size={self.batch}",
            f"data.batches={self.steps}",  # one epoch: a single validation, at the end
            *self.sizes.get(row.model, ()),
            *self.other,
            *([f"{row.warmup}={max(1, self.steps // 10)}"] if row.warmup else []),
        ]


_TOKEN = ("model.temporal_stride=1",)
"""One token per frame, so that attention sees as many tokens as the window has frames."""

_RECURRENT = ("rnn", "birnn", "lstm", "gru", "seq2seq", "seq2seq_bahdanau", "seq2seq_luong")


def _sizes(frame_dim: int, dim: int, channels: int) -> dict[str, tuple[str, ...]]:
    """The overrides of each model's size."""
    deep = (f"model.dim={dim}", "model.depth=2", "model.heads=4")
    return {
        "lifter": (*_TOKEN, "model.joint_dim=16", f"model.frame_dim={frame_dim}", *deep),
        "encoder_decoder": deep,
        **dict.fromkeys(_RECURRENT, (f"model.dim={dim}",)),
        "martinez": (f"model.dim={2 * dim}",),
        "tcn": (f"model.channels={channels}", "model.depth=2"),
    }


_SHORT = Budget(600, 32, 27, 38, 5, _sizes(64, 128, 96), optimizer="muon")
_LONG = replace(_SHORT, rows=efficient_rows)
_DEEP = ("model.joint_dim=8", "model.frame_dim=32", "model.dim=64", "model.heads=4")


def _deep(blocks: int) -> Budget:
    """The study of warm-ups in narrow lifters of so many blocks, which train in seconds."""
    sizes = {"lifter": (*_TOKEN, *_DEEP, f"model.depth={blocks}")}
    return Budget(160, 8, 8, 4, 1, sizes, other=("callbacks.ema=null",), rows=warmup_rows)


BUDGETS = {
    "smoke": Budget(60, 16, 27, 4, 3, _sizes(32, 64, 48), other=("callbacks.ema=null",)),
    "short": _SHORT,
    "long_243": replace(_LONG, frames=243, batch=8),
    "long_729": replace(_LONG, frames=729, batch=4),
    "deep_6": _deep(6),
    "deep_12": _deep(12),
    "full": Budget(steps=1500, batch=64, frames=81, views=38, repeats=10, sizes={"lifter": _TOKEN}),
}
"""Budgets by name: smoke takes ten minutes of two cores, short two hours of one, full an hour on a GPU.

In the long ones efficient mechanisms see 4.9 and 14.6 seconds at once; the deep ones compare warm-ups.
"""
