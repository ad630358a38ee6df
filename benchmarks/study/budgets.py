"""The budgets of the study: steps, windows, views and model sizes, the same for every row."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.study.rows import Row


@dataclass(frozen=True)
class Budget:
    """The amount of training and measuring for one row.

    Attributes:
        steps: optimizer steps.
        batch: windows in a batch.
        frames: in a window, in training and evaluation.
        views: for validation, the first ones of the data.
        repeats: timed forward passes.
        trainer: a choice of conf/trainer.
        sizes: overrides of the model's size, by choice of conf/model.
        optimizer: a choice of conf/optimizer, for rows that choose none.
        other: further overrides.
    """

    steps: int
    batch: int
    frames: int
    views: int
    repeats: int
    trainer: str
    sizes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optimizer: str = "adamw"
    other: tuple[str, ...] = ()

    def overrides(self, row: Row) -> list[str]:
        """The overrides of `poselift train` for the budget; warm-ups with a length take a tenth of the steps."""
        chosen = any(override.startswith("optimizer=") for override in row.overrides)
        return [
            *(() if chosen else (f"optimizer={self.optimizer}",)),
            f"steps={self.steps}",
            f"frames={self.frames}",
            f"data.batch_size={self.batch}",
            f"data.batches={self.steps}",  # one epoch: a single validation, at the end
            f"trainer={self.trainer}",
            f"+trainer.limit_val_batches={self.views}",
            *self.sizes.get(row.model, ()),
            *self.other,
            *([f"{row.warmup}={max(1, self.steps // 10)}"] if row.warmup else []),
        ]


_TOKEN = ("model.temporal_stride=1",)
"""One token per frame, so that attention sees as many tokens as the window has frames."""

BUDGETS = {
    "smoke": Budget(
        steps=60,
        batch=16,
        frames=27,
        views=4,
        repeats=3,
        trainer="cpu",
        sizes={
            "lifter": (
                *_TOKEN,
                "model.joint_dim=16",
                "model.frame_dim=32",
                "model.dim=64",
                "model.depth=2",
                "model.heads=4",
            ),
            "encoder_decoder": ("model.dim=64", "model.depth=2", "model.heads=4"),
            **dict.fromkeys(("rnn", "birnn", "lstm", "gru", "seq2seq_bahdanau", "seq2seq_luong"), ("model.dim=64",)),
            "martinez": ("model.dim=128",),
            "tcn": ("model.channels=48", "model.depth=2"),
        },
        other=("callbacks.ema=null",),
    ),
    "short": Budget(
        steps=600,
        batch=32,
        frames=27,
        views=38,
        repeats=5,
        trainer="cpu",
        sizes={
            "lifter": (
                *_TOKEN,
                "model.joint_dim=16",
                "model.frame_dim=64",
                "model.dim=128",
                "model.depth=2",
                "model.heads=4",
            ),
            "encoder_decoder": ("model.dim=128", "model.depth=2", "model.heads=4"),
            **dict.fromkeys(("rnn", "birnn", "lstm", "gru", "seq2seq_bahdanau", "seq2seq_luong"), ("model.dim=128",)),
            "martinez": ("model.dim=256",),
            "tcn": ("model.channels=96", "model.depth=2"),
        },
        optimizer="muon",
    ),
    "full": Budget(steps=1500, batch=64, frames=81, views=38, repeats=10, trainer="gpu", sizes={"lifter": _TOKEN}),
}
"""Budgets by name: smoke takes ten minutes of two cores, short two hours of one, full an hour on a GPU."""
