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
FAMILIES = (SCORE, DISTRIBUTION, REACH, STREAMS, EFFICIENT, TRANSFORMER, SCHEDULES, INITS, BEFORE)
"""Families in the order of the table."""

REFERENCES = ("encoder", "encoder_seed_1", "encoder_seed_2")
"""The default lifter with the seeds 0, 1 and 2: how much they differ is the noise of the study."""

_CONTROLLED = {SCORE: "score", DISTRIBUTION: "distribution", REACH: "reach", STREAMS: "between", EFFICIENT: "efficient"}
"""Families of attention mechanisms, and the beginning of the names of their controls."""

_REACH = ("local_monotonic", "local_predictive", "hard")
_TRANSFORMERS = ("lifter", "encoder_decoder", "mixste")
_STREAMS = ("co_attention", "multi_dimensional", "multi_representational", "hierarchical")
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
    """

    name: str
    family: str
    overrides: tuple[str, ...]
    code: str
    test: str
    model: str = "lifter"
    warmup: str | None = "schedule.warmup.steps"
    positions: str = "rotary"


def all_rows() -> list[Row]:
    """Every row, in the order of the families."""
    mechanisms = [*_attention(), *_distributions()]
    rows = [*mechanisms, *_controls(mechanisms), *_transformer(), *_schedules(), *_inits(), *_models()]
    return sorted(rows, key=lambda row: FAMILIES.index(row.family))


def _attention() -> list[Row]:
    """A row for each file of conf/model/attention, and the causal default lifter."""
    rows = [
        Row(
            name,
            _family(name),
            (f"model/attention={name}", *_LONG.get(name, ())),
            ATTENTION[name].__module__.replace(".", "/") + ".py",
            f"tests/nn/attention/test_{name}.py",
            positions="rotary" if name == "hierarchical" or takes_rotation(name) else "sinusoidal",
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
        Row(name, DISTRIBUTION, (f"model.attention.distribution={name}",), *where)
        for name in ("softmax", "sigmoid", "sparsemax", "entmax")
    ]


def _controls(mechanisms: Sequence[Row]) -> list[Row]:
    """The default lifter in each family of mechanisms, with each of the positions that rows of the family have.

    Without them, a mechanism without rotary positions would be charged with what its positions cost. `general` and
    `local` show what the positions do to mechanisms that take both.
    """
    where = ("poselift/nn/attention/scaled_dot.py", "tests/nn/attention/test_scaled_dot.py")
    plain = [
        Row(f"{short}_control_{positions}", family, (f"model.positions={positions}",), *where, positions=positions)
        for family, short in _CONTROLLED.items()
        for positions in sorted({row.positions for row in mechanisms if row.family == family})
    ]
    both = [
        replace(
            row,
            name=f"{row.name}_sinusoidal",
            overrides=(*row.overrides, "model.positions=sinusoidal"),
            positions="sinusoidal",
        )
        for row in mechanisms
        if row.name in ("general", "local")
    ]
    return [*plain, *both]


def _transformer() -> list[Row]:
    where = ("poselift/nn/positions.py", "tests/nn/test_positions.py")
    positions = [
        Row(name, TRANSFORMER, (f"model.positions={name}",), *where, positions=name)
        for name in ("rotary", "sinusoidal", "learned")
    ]
    where = ("poselift/models/lifter.py", "tests/models/test_lifter.py")
    encoder = [Row(name, TRANSFORMER, ("model=lifter", f"seed={seed}"), *where) for seed, name in enumerate(REFERENCES)]
    return [*encoder, _model("encoder_decoder", "encoder_decoder", family=TRANSFORMER), *positions]


def _schedules() -> list[Row]:
    """A row for each file of conf/schedule, each warm-up alone, and the optimizer with a warm-up of its own."""
    key = {"noam": "schedule.warmup", "constant": None}
    where = ("poselift/optim/schedules.py", "tests/optim/test_schedules.py")
    rows = [
        Row(name, SCHEDULES, (f"schedule={name}",), *where, warmup=key.get(name, Row.warmup))
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
        Row("pre_norm", INITS, ("model.norm=pre",), *blocks),
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

    `benchmarks/lifters.py` compares Transformers of other shapes (`mixste`) at equal cost.
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
