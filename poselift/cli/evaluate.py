"""`poselift evaluate`: the errors of predictions under a protocol."""

import multiprocessing
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
import torch
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from jaxtyping import Float
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from poselift.cli.config import check_config, output_folder, plain_dict, run_configured
from poselift.cli.predictions import Predicted, open_predictions
from poselift.cli.sweep import in_sweep
from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.core.files import atomic_files, remove_partial_of, write_json, write_text
from poselift.core.progress_text import Output, track
from poselift.data.views import View
from poselift.reports.evaluation import ViewScore, evaluation_results, score_view
from poselift.reports.poses import example_poses
from poselift.reports.prediction_files import Predictions, save_predictions
from poselift.reports.protocols import Protocol, get_protocol
from poselift.reports.text import text_table

Scored = tuple[int, Float[np.ndarray, "t j 3"], tuple[ViewScore, ...]]
"""Index of a view, its prediction, and its score under each protocol."""


class EvaluateKeys(TypedDict):
    """The keys of conf/evaluate.yaml, and what they take."""

    data: Mapping[str, Any]
    protocol: str
    output: str | None
    name: str | None
    also: Sequence[str] | None
    view: str | None
    processes: Count
    weights: str | None
    device: str
    camera: Literal["known", "assumed"]
    depth: Literal["estimated", "known"]
    threshold: float | None
    flip: bool | None
    refine: bool | None
    constant_bones: bool | None
    window: int | None
    causal: bool | None
    predictions: str | None
    joints: str | Sequence[str] | None
    unit: Literal["m", "mm", "none"] | None


def run(config: DictConfig) -> None:
    """Evaluates, for the command line; each sweep job has its folder."""
    if in_sweep():
        config.output = HydraConfig.get().runtime.output_dir
    run_configured(evaluate, config)


def evaluate(config: DictConfig) -> None:
    """Scores every view, prints the tables and writes predictions.npz, metrics.json and table.txt.

    Every protocol of `also` has its metrics.json and table.txt in a folder of its name.

    Raises:
        InputError: something that the config names cannot be used.
    """
    check_config(config, EvaluateKeys)
    with output_folder(config) as output:
        _evaluate(config, output)


def _evaluate(config: DictConfig, output: Path) -> None:
    """Evaluates into a folder that no other run uses; see `evaluate`."""
    protocols = _choose_protocols(config)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    views = _choose_views(config)
    predictions = open_predictions(config, views)
    scored = _score(config, views, predictions, protocols)
    poses = {views[index].name: pose for index, pose, _ in scored}
    method = {"name": config.name or predictions.name, "seed": predictions.seed, "model": predictions.model}
    found = []
    for place, protocol in enumerate(protocols):
        scores = [each[place] for _, _, each in scored]
        warnings = predictions.warnings(views, protocol)
        gaps = protocol.gaps(
            predictions.skeleton, {score.group for score in scores}, sum(score.frames for score in scores)
        )
        warnings += gaps
        results = evaluation_results(
            scores,
            protocol,
            method,
            {**predictions.settings, **predictions.file, "data": plain_dict(config.data), "view": config.view},
            warnings,
            example_poses(
                views,
                poses,
                scores,
                predictions.skeleton,
                protocol,
                lengths=predictions.lengths,
                partial=predictions.partial,
            ),
        )
        note = f"{'The whole protocol: ' * bool(gaps)}{protocol.note}"
        found.append((output if place == 0 else output / protocol.name, note, results, warnings))
    about = {**method, "settings": predictions.settings}
    save_predictions(
        output / "predictions.npz",
        Predictions(poses, predictions.skeleton, predictions.lengths, predictions.partial, about=about),
    )
    for folder, note, results, warnings in found:
        table = text_table(results)
        remove_partial_of(folder / "metrics.json")
        with atomic_files(folder, "metrics.json") as unfinished:
            write_text(unfinished / "table.txt", table)
            write_json(unfinished / "metrics.json", results)
        console.print(table, end="")
        for warning in warnings:
            console.print(f"warning: {warning}", style="yellow")
        console.print(note)
        console.print(f"Written to {folder}: metrics.json, table.txt{', predictions.npz' * (folder == output)}")
    report = shlex.join(["poselift", "report", *(str(folder) for folder, *_ in found)])
    console.print(f"Plots and pictures, alone or beside others: {report}")


def _choose_protocols(config: DictConfig) -> list[Protocol]:
    """The protocol of the config, then those of `also`."""
    names = [config.protocol, *(config.also or ())]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError(f"also={twice[0]} is a protocol that is scored already; name each protocol once")
    return [get_protocol(name) for name in names]


def _choose_views(config: DictConfig) -> list[View]:
    """All views of the data, or the one that `view=` names."""
    views = list(instantiate(config.data, _convert_="all"))
    names = [view.name for view in views]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"two views of the data are called {twice[0]}; predictions are told apart by view")
    if config.view is None:
        return views
    if config.view not in names:
        raise InputError(f"no view is called {config.view!r}; there are {len(names)}, e.g. {', '.join(names[:3])}")
    return [views[names.index(config.view)]]


def _score(
    config: DictConfig, views: Sequence[View], predictions: Predicted, protocols: Sequence[Protocol]
) -> list[Scored]:
    """Scores of all views in their order.

    `processes=` processes share them; this one is the first.
    """
    count = config.processes
    if count == 1:
        return _score_share(views, predictions, protocols, 0, 1)
    plain = OmegaConf.create(plain_dict(config))
    # As many threads in each process as here: the last digit of a matrix product can depend on their number.
    with ProcessPoolExecutor(
        count - 1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=torch.set_num_threads,
        initargs=(torch.get_num_threads(),),
    ) as pool:
        others = [pool.submit(_score_in_process, plain, rank) for rank in range(1, count)]
        own = _score_share(views, predictions, protocols, 0, count)  # this process has views and lifter already
        shares = [own, *(other.result() for other in others)]
        return sorted((scored for share in shares for scored in share), key=lambda scored: scored[0])


def _score_in_process(config: DictConfig, rank: int) -> list[Scored]:
    """One process's share of an evaluation.

    It reads the files itself, because views and lifters are larger than their files.
    """
    views = _choose_views(config)
    return _score_share(views, open_predictions(config, views), _choose_protocols(config), rank, config.processes)


def _score_share(
    views: Sequence[View], predictions: Predicted, protocols: Sequence[Protocol], rank: int, processes: int
) -> list[Scored]:
    """Scores of every view whose index modulo `processes` is `rank`."""
    output = Output(sys.stderr, quiet=rank > 0)
    done = []
    for index in track(range(rank, len(views), processes), description="Evaluating", output=output):
        view = views[index]
        pose = predictions.predict(view)
        scores = tuple(
            score_view(
                view, pose, predictions.skeleton, protocol, lengths=predictions.lengths, partial=predictions.partial
            )
            for protocol in protocols
        )
        done.append((index, pose, scores))
    return done
