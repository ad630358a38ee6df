"""The rows of the study: every mechanism of the thesis, with its file and the test of that file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from poselift.cli.config import CONF
from poselift.nn.attention import ATTENTION, takes_rotation
from poselift.nn.attention.scores import SCORES

SCORE, DISTRIBUTION = "Attention score functions", "Distribution functions"
REACH, STREAMS = "Where attention looks", "Between what"
EFFICIENT, TRANSFORMER = "Efficient attention", "Transformer"
SCHEDULES, INITS, BEFORE = "Warm-ups and schedules", "Norms and initialisation", "Before Transformers"
WARMUPS = "Warm-ups in deep lifters"
FAMILIES = (SCORE, DISTRIBUTION, REACH, STREAMS, EFFICIENT, TRANSFORMER, SCHEDULES, INITS, BEFORE, WARMUPS)
"""Families in the order of the table."""

REFERENCE = "encoder"
"""The default lifter."""

_CONTROLLED = {SCORE: "score", DISTRIBUTION: "distribution", REACH: "reach", STREAMS: "between", EFFICIENT: "efficient"}
"""Families of attention mechanisms, and the beginning of the names of their controls."""

_REACH = ("local_monotonic", "local_predictive", "hard")
_TRANSFORMERS = ("lifter", "encoder_decoder", "mixste")
_STREAMS = ("co_attention", "multi_dimensional", "multi_representational", "hierarchical")
_EITHER = ("kernel", "performer")
"""Mechanisms whose files set sinusoidal positions, as their papers have them, and which take rotary ones too."""
_SHORT = ("performer_rotary",)
"""Rows of efficient mechanisms that have no training on long windows."""
_LONG = {"location": ("model.attention.positions=1024",)}
"""Overrides that a mechanism needs for sequences of 729 tokens."""


@dataclass(frozen=True)
class Row:
    """One training run of the study.

    Attributes:
        name: of the row.
        family: one of `FAMILIES`.
        overrides: of `poselift train`.
        code: path of the file with the mechanism, in the repository.
        test: path of that file's test.
        model: a choice of conf/model.
        warmup: the key of the warm-up's length; None if it has no such key.
        positions: of the tokens over time, a value of `LifterConfig.positions`; "none" in models without a code of
            positions. Rows compare only with rows of the same positions.
        equals: the name of a row with the same config, which is trained for both; None if there is none.
    """

    name: str
    family: str
    overrides: tuple[str, ...]
    code: str
    test: str
    model: str = "lifter"
    warmup: str | None = "schedule.warmup.steps"
    positions: str = "rotary"
    equals: str | None = None

    @property
    def kind(self) -> str:
        """The kind of its model, in the plural."""
        if self.model == "lifter":
            return "lifters"
        return "encoders with a decoder" if self.model == "encoder_decoder" else "models from before Transformers"


def all_rows() -> list[Row]:
    """Every row, in the order of the families; the controls of a family come first."""
    mechanisms = [*_attention(), *_distributions()]
    rows = [*_controls(mechanisms), *mechanisms, *_transformer(), *_schedules(), *_inits(), *_models()]
    return sorted(rows, key=lambda row: FAMILIES.index(row.family))


def efficient_rows() -> list[Row]:
    """The efficient mechanisms and their controls, without those that were trained on short windows alone."""
    rows = [row for row in all_rows() if row.family == EFFICIENT and row.name not in _SHORT]
    return [replace(row, equals=None) for row in rows]


def warmup_rows() -> list[Row]:
    """Adam without a warm-up and with each one, and RAdam; the same of pre-norm and T-Fixup, as far as they need it.

    The rates are constant after the warm-up and gradients are not clipped, so that only the beginning differs. Three
    rates show from where on a training fails without one.
    """
    blocks = ("poselift/nn/blocks.py", "tests/nn/test_blocks.py")
    t_fixup = ("poselift/nn/initialisation.py", "tests/nn/test_initialisation.py")
    rows = []
    for rate in ("3e-3", "3e-2", "1e-1"):
        shared = (
            "schedule=constant",
            f"optimizer.lr={rate}",
            "optimizer.betas.1=0.999",
            "trainer.gradient_clip_val=null",
        )
        for norm, names in (("post", _WARMUPS), ("pre", ("none", "linear"))):
            rows += [
                Row(
                    f"{norm}_{name}_{rate}",
                    WARMUPS,
                    (f"model.norm={norm}", *_WARMUPS[name], *shared),
                    *blocks,
                    warmup=None,
                )
                for name in names
            ]
        fixed = ("model/init=t_fixup", "optimizer=adam", *shared)
        rows.append(Row(f"t_fixup_none_{rate}", WARMUPS, fixed, *t_fixup, warmup=None))
    return rows


_WARMUPS = {
    "none": ("optimizer=adam",),
    "linear": ("optimizer=adam", "schedule/warmup=linear", "schedule.warmup.steps=40"),
    "radam": ("optimizer=radam", "optimizer.weight_decay=0"),
    "exponential": ("optimizer=adam", "schedule/warmup=exponential", "schedule.warmup.steps=40"),
    "untuned_linear": ("optimizer=adam", "schedule/warmup=untuned_linear"),
    "untuned_exponential": ("optimizer=adam", "schedule/warmup=untuned_exponential"),
}
"""The overrides of each warm-up in `warmup_rows`."""


def _attention() -> list[Row]:
    """A row for each file of conf/model/attention, and the causal default lifter."""
    rows = [
        Row(
            name,
            _family(name),
            (f"model/attention={name}", *_LONG.get(name, ())),
            ATTENTION[name].__module__.replace(".", "/") + ".py",
            f"tests/nn/attention/test_{name}.py",
            positions="rotary"
            if name not in _EITHER and (name == "hierarchical" or takes_rotation(name))
            else "sinusoidal",
            equals=REFERENCE if name == "scaled_dot" else None,
        )
        for name in _choices("model/attention")
    ]
    causal = Row(
        "causal",
        REACH,
        ("model.causal=true",),
        "poselift/nn/attention/mechanism.py",
        "tests/nn/attention/test_contract.py",
    )
    return [*rows, causal]


def _family(attention: str) -> str:
    if attention in SCORES:
        return SCORE
    if attention == "compositional":
        return DISTRIBUTION
    return REACH if attention in _REACH else STREAMS if attention in _STREAMS else EFFICIENT


def _distributions() -> list[Row]:
    where = ("poselift/nn/attention/distributions.py", "tests/nn/attention/test_distributions.py")
    return [
        Row(
            name,
            DISTRIBUTION,
            (f"model.attention.distribution={name}",),
            *where,
            equals=REFERENCE if name == "softmax" else None,
        )
        for name in ("softmax", "sigmoid", "sparsemax", "entmax")
    ]


def _controls(mechanisms: Sequence[Row]) -> list[Row]:
    """The default lifter in each family of mechanisms, with each of the positions that rows of the family have.

    Without them, a mechanism without rotary positions would be charged with what its positions cost. `general`,
    `local` and `_EITHER` show what the positions do to mechanisms that take both.
    """
    where = ("poselift/nn/attention/scaled_dot.py", "tests/nn/attention/test_scaled_dot.py")
    plain = [
        Row(
            f"{short}_control_{positions}",
            family,
            (f"model.positions={positions}",),
            *where,
            positions=positions,
            equals=REFERENCE if positions == "rotary" else positions,
        )
        for family, short in _CONTROLLED.items()
        for positions in sorted({row.positions for row in mechanisms if row.family == family})
    ]
    wanted = {**dict.fromkeys(("general", "local"), "sinusoidal"), **dict.fromkeys(_EITHER, "rotary")}
    both = [
        replace(
            row,
            name=f"{row.name}_{wanted[row.name]}",
            overrides=(*row.overrides, f"model.positions={wanted[row.name]}"),
            positions=wanted[row.name],
        )
        for row in mechanisms
        if row.name in wanted
    ]
    return [*plain, *both]


def _transformer() -> list[Row]:
    where = ("poselift/nn/positions.py", "tests/nn/test_positions.py")
    positions = [
        Row(
            name,
            TRANSFORMER,
            (f"model.positions={name}",),
            *where,
            positions=name,
            equals=REFERENCE if name == "rotary" else None,
        )
        for name in ("rotary", "sinusoidal", "learned")
    ]
    where = ("poselift/models/lifter.py", "tests/models/test_lifter.py")
    encoder = Row(REFERENCE, TRANSFORMER, ("model=lifter",), *where)
    return [encoder, _model("encoder_decoder", "encoder_decoder", family=TRANSFORMER), *positions]


def _schedules() -> list[Row]:
    """A row for each file of conf/schedule, each warm-up alone, and the optimizer with a warm-up of its own."""
    key = {"noam": "schedule.warmup", "constant": None}
    where = ("poselift/optim/schedules.py", "tests/optim/test_schedules.py")
    rows = [
        Row(
            name,
            SCHEDULES,
            (f"schedule={name}",),
            *where,
            warmup=key.get(name, Row.warmup),
            equals=REFERENCE if name == "cosine" else None,
        )
        for name in _choices("schedule")
    ]
    warmups = [
        Row(name, SCHEDULES, ("schedule=constant", f"schedule/warmup={name}"), *where, warmup=length)
        for name, length in (
            ("linear", Row.warmup),
            ("exponential", Row.warmup),
            ("untuned_linear", None),
            ("untuned_exponential", None),
        )
    ]
    radam = ("optimizer=radam", "schedule/warmup=none")
    return [
        *sorted([*rows, *warmups], key=lambda row: row.name),
        Row("cosine_no_warmup", SCHEDULES, ("schedule/warmup=none",), *where, warmup=None),
        Row("radam", SCHEDULES, radam, "conf/optimizer/radam.yaml", "tests/cli/test_every_name.py", warmup=None),
    ]


def _inits() -> list[Row]:
    blocks = ("poselift/nn/blocks.py", "tests/nn/test_blocks.py")
    t_fixup = ("poselift/nn/initialisation.py", "tests/nn/test_initialisation.py")
    decoder, fixed = "model=encoder_decoder", "model/init=t_fixup"
    bare = "schedule/warmup=none"
    return [
        Row("pre_norm", INITS, ("model.norm=pre",), *blocks, equals=REFERENCE),
        Row("post_norm", INITS, ("model.norm=post",), *blocks),
        Row("post_norm_no_warmup", INITS, ("model.norm=post", bare), *blocks, warmup=None),
        Row("t_fixup", INITS, (fixed,), *t_fixup, warmup=None),
        *(
            Row(name, INITS, (decoder, *overrides), *where, "encoder_decoder", warmup, "sinusoidal")
            for name, overrides, where, warmup in (
                ("decoder_post_norm", ("model.norm=post",), blocks, Row.warmup),
                ("decoder_post_norm_no_warmup", ("model.norm=post", bare), blocks, None),
                ("decoder_t_fixup", (fixed,), t_fixup, None),
            )
        ),
    ]


def _models() -> list[Row]:
    """A row for each file of conf/model that is no Transformer, and their variants.

    Transformers of other shapes (`mixste`) are compared at equal cost in benchmarks/lifter_log.md.
    """
    luong = [
        _model(f"luong_{looks}", "seq2seq_luong", f"model.looks={looks}")
        for looks in ("local_monotonic", "local_predictive")
    ]
    return [
        *(_model(name, name) for name in _choices("model") if name not in _TRANSFORMERS),
        *luong,
        _model("bahdanau_always_forced", "seq2seq_bahdanau", "model.teacher_forcing=1.0"),
        _model("tcn_dense", "tcn", "model.dense=true"),
        _model("tcn_causal", "tcn", "model.causal=true"),
    ]


def _model(name: str, model: str, *overrides: str, family: str = BEFORE) -> Row:
    file = {"birnn": "recurrent", "gru": "recurrent", "lstm": "recurrent", "rnn": "recurrent"}.get(model, model)
    file = "seq2seq" if model.startswith("seq2seq") else file
    given = (f"model={model}", *overrides)
    positions = "sinusoidal" if model == "encoder_decoder" else "none"
    where = (f"poselift/models/{file}.py", f"tests/models/test_{file}.py")
    return Row(name, family, given, *where, model, positions=positions)


def _choices(group: str) -> list[str]:
    return sorted(path.stem for path in (Path(CONF) / group).glob("[!_]*.yaml"))
