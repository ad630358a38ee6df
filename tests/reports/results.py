"""Contents of metrics.json as an evaluation writes them, of a few made-up numbers."""

import json
from copy import deepcopy
from pathlib import Path

from poselift.metrics import LIMBS
from poselift.reports.entries import Section, sections
from poselift.reports.protocols import PROTOCOLS
from poselift.reports.runs import Run

MODEL = {"name": "SimpleBaseline", "config": {}, "window": 9, "weights": "w", "sha256": "1"}


def results(error=50.0, protocol="cmu_bench", name="ours", seed=0, model=None, **settings):
    """An evaluation whose MPJPE is `error`, and whose other numbers follow from it.

    The groups differ by 1 mm about the mean, joints by 1 mm from the first on.

    Args:
        error: mm.
        protocol: by name.
        name: what tables call it.
        seed: of the training.
        model: as metrics.json has it.
        settings: beside those that every evaluation has; `data` among them.
    """
    chosen = PROTOCOLS[protocol]
    groups = list(chosen.groups) or ["29", "61", "86"]
    joints = list(chosen.joints)

    def metric(title, unit, better, mean):
        return {
            "title": title,
            "unit": unit,
            "better": better,
            "mean": mean,
            "frames": mean + 0.25,
            "count": 1000,
            "groups": {group: mean + place - (len(groups) - 1) / 2 for place, group in enumerate(groups)},
            "joints": {joint: mean + place for place, joint in enumerate(joints)},
        }

    def limbs(title, mean):
        values = {limb: mean - place for place, limb in enumerate(LIMBS)}
        return {"title": title, "unit": "%", "better": "higher", "values": values, "mean": mean}

    def curve(title, thresholds):
        shares = [100 * place / (len(thresholds) - 1) - error / 100 for place in range(len(thresholds))]
        return {
            "title": title,
            "x_title": "threshold",
            "x_unit": "",
            "thresholds": thresholds,
            "mean": shares,
            "joints": dict.fromkeys(joints, shares),
        }

    metrics = {
        "mpjpe": metric("MPJPE", "mm", "lower", error),
        "p_mpjpe": metric("P-MPJPE", "mm", "lower", error * 0.8),
        "n_mpjpe": metric("N-MPJPE", "mm", "lower", error * 0.9),
        "pck150": metric("PCK@150", "%", "higher", 100 - error / 10),
    }
    return deepcopy(
        {
            "format": "poselift-metrics",
            "version": 1,
            "protocol": protocol,
            "title": chosen.title,
            "name": name,
            "seed": seed,
            "group_by": chosen.group_by,
            "headline": chosen.headline,
            "metrics": metrics,
            "limbs": {"pcp": limbs("PCP@0.5", 90.0), "pcp_mean": limbs("PCP@0.5 (mean of ends)", 95.0)},
            "curves": {"pck3d": curve("PCK", [0.0, 75.0, 150.0]), "pdj": curve("PDJ", [0.0, 0.1, 0.2, 0.3, 0.4])},
            "over_time": {"clip": "a", "seconds": [0.0, 0.02, 0.04], "error": [error, None, error + 1]},
            "sequences": {},
            "poses": [],
            "skeleton": chosen.skeleton.name,
            "views": 2,
            "frames": chosen.frames or 300,
            "model": model,
            "settings": {"flip": True, "data": {}, "view": None, "warnings": [], **settings},
            "environment": {"poselift": "0", "torch": "2", "command": "poselift evaluate"},
        }
    )


def poses(error, joints=17):
    """The part "poses" of an evaluation: off by `error` mm, and 1 mm more in each; none has the first joint."""
    truth = [[0.1 * place, 0.05 * place, 0.0] for place in range(joints)]
    found = []
    for kind, off in (("best", error), ("median", error + 1), ("worst", error + 2)):
        prediction = [None, *([x, y, z + off / 1000] for x, y, z in truth[1:])]
        place = {"kind": kind, "view": "a", "frame": 7, "seconds": 0.14, "error": off}
        found.append({**place, "truth": truth, "prediction": prediction})
    return found


def runs(*contents) -> list[Run]:
    """Evaluations of these contents, in files 0/metrics.json, 1/metrics.json and so on."""
    return [Run(Path(f"{number}/metrics.json"), content) for number, content in enumerate(contents)]


def section(*contents) -> Section:
    """The one section of evaluations of these contents."""
    ((found,), _) = sections(runs(*contents))
    return found


def write(folder: Path, content) -> Path:
    """Writes `metrics.json` into a folder, which it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.json").write_text(json.dumps(content))
    return folder
