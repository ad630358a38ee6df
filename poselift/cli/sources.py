"""Where the predictions that `tools/evaluate.py` scores come from: a lifter, or a file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from omegaconf import DictConfig, ListConfig
from torch import Tensor

from poselift.cli.device import torch_device
from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.lifting import camera_for
from poselift.lifting.bones import with_constant_bones
from poselift.lifting.pelvis import without_strange_pelvis
from poselift.lifting.rays import keypoint_rays, towards_rays, ways_to_rays
from poselift.models import lift_sequence, load_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.reports.plausibility import suspicions
from poselift.reports.predictions import read_predictions
from poselift.reports.protocols import Protocol


class Lifted:
    """Predictions of a lifter, made as they are asked for.

    Attributes:
        name: what the table calls it.
        skeleton: the joint set of its predictions.
        seed: of the training; None where it is not known.
        model: what `metrics.json` says of the model.
        settings: how the predictions are made.
        file: where they are from: no file.

    Args:
        config: of `tools/evaluate.py`.

    Raises:
        InputError: something that the config names cannot be used.
    """

    lengths = True
    partial = False
    file: Mapping[str, Any] = {}

    def __init__(self, config: DictConfig) -> None:
        if config.camera not in ("known", "assumed"):
            raise InputError(f"camera={config.camera} is not known; choose known or assumed")
        for key in ("flip", "rays", "steady"):
            if type(config[key]) is not bool:
                raise InputError(f"{key}={config[key]} is neither true nor false")
        # By its type: true is an int too, and 2.5 would be cut to 2.
        if config.window is not None and (type(config.window) is not int or config.window < 1):
            raise InputError(
                f"window={config.window} must be a whole number of 1 or more, or null for that of the weights"
            )
        self._device = torch_device(config.device)
        load = load_checkpoint if Path(config.weights).suffix == ".ckpt" else load_weights
        weights = load(config.weights, self._device)
        self._lifter, self._camera, self._flip = weights.lifter, config.camera, config.flip
        self._rays, self._steady = config.rays, config.constant_bones
        self._window = weights.window if config.window is None else config.window
        self.name = weights.name
        self.skeleton = weights.lifter.skeleton_out
        self.seed = weights.card["training"].get("seed")
        self.model = {
            "name": weights.card["model"],
            "config": weights.card["config"],
            "window": weights.window,
            "weights": str(weights.path),
            "sha256": weights.sha256,
            "parameters": sum(parameter.numel() for parameter in weights.lifter.parameters()),
        }
        self.settings = {
            "camera": config.camera,
            "flip": config.flip,
            "rays": config.rays,
            "steady": config.constant_bones,
            "window": self._window,
            "device": str(self._device),
        }

    def predict(self, view: View) -> Float[np.ndarray, "t j 3"]:
        """Lifts the view, without the keypoint of a pelvis that is not where the lifter's own is."""
        view = self._as_it_goes_in(view)
        view = replace(view, scores=self._usable(view))
        joints = self._lift(view)
        if self._rays:
            rays, trust = keypoint_rays(
                view.keypoints.numpy(),
                view.scores.numpy(),
                view.K,
                view.keypoint_skeleton,
                self.skeleton,
                view.distortion,
            )
            joints = joints.astype(np.float64)
            ways = ways_to_rays(joints, rays, trust, view.times.double().numpy(), self.skeleton)
            joints = towards_rays(joints, ways)
        return with_constant_bones(joints, self.skeleton, np.ones(len(joints), bool)) if self._steady else joints

    def warnings(self, views: Sequence[View], protocol: Protocol) -> list[str]:
        """A lifter's unit, joints and axes are its own: only where its pelvis is may be another place."""
        strange = sum(not torch.equal(self._usable(view), view.scores) for view in map(self._as_it_goes_in, views))
        if not strange:
            return []
        return [
            f"the keypoint of the pelvis is between the hips in {strange} of {len(views)} views, where that of "
            f"{self.name} is not: it was not used, as in `poselift lift`. Errors relative to the pelvis count the "
            "distance of the two; training on from these weights on such data removes it (init=)"
        ]

    def _as_it_goes_in(self, view: View) -> View:
        """The view with the lifter's keypoints and the camera that is asked for."""
        view = view.converted(self._lifter.skeleton_in, view.skeleton)
        if self._camera == "known":
            return view
        width, height = (int(size) for size in view.image_size)
        return replace(view, K=camera_for((width, height)).K, distortion=None)

    def _usable(self, view: View) -> Float[Tensor, "t j"]:
        """The scores, 0 for a pelvis that is not where the lifter's own is: a window without it shows where that is."""

        def lift(hidden: Float[np.ndarray, "t j"]) -> Float[np.ndarray, "n k 3"]:
            first = int(hidden.any(1).argmax())
            rows = slice(first, first + self._window)
            part = {name: getattr(view, name)[rows] for name in ("keypoints", "times", "joints", "root")}
            return self._lift(replace(view, scores=torch.from_numpy(hidden[rows]), **part), flip=False)

        scores = without_strange_pelvis(
            view.keypoints.numpy(), view.scores.numpy(), view.keypoint_skeleton, lift, self.skeleton
        )
        return torch.from_numpy(scores)

    def _lift(self, view: View, flip: bool = True) -> Float[np.ndarray, "t j 3"]:
        """What the lifter gives of a view with its keypoints."""
        predicted = lift_sequence(
            self._lifter,
            view.keypoints.to(self._device),
            view.scores.to(self._device),
            view.times.to(self._device),
            view.K.to(self._device),
            view.image_size.to(self._device),
            window=self._window,
            flip=flip and self._flip,
            distortion=None if view.distortion is None else view.distortion.to(self._device),
        )
        return predicted.float().cpu().numpy()


class Saved:
    """Predictions that a file holds.

    Attributes:
        name: what the table calls it.
        skeleton: the joint set of its predictions.
        lengths: False where they have no unit of length.
        partial: whether frames are left out on purpose.
        seed: of the training; None where it is not known.
        model: what `metrics.json` says of the model; None where it is not ours.
        settings: how the predictions were made, where the file says so.
        file: where they are from, and how it was read.

    Args:
        config: of `tools/evaluate.py`.
        views: those that are scored.

    Raises:
        InputError: the file cannot be used.
    """

    def __init__(self, config: DictConfig, views: Sequence[View]) -> None:
        joints = list(config.joints) if isinstance(config.joints, ListConfig) else config.joints
        self._predictions = read_predictions(config.predictions, views, joints=joints, unit=config.unit)
        about = self._predictions.about
        self.name = about.get("name", Path(config.predictions).stem)
        self.seed, self.model = about.get("seed"), about.get("model")
        self.skeleton = self._predictions.skeleton
        self.lengths, self.partial = self._predictions.lengths, self._predictions.partial
        self.settings = about.get("settings", {})
        self.file = {
            "predictions": str(config.predictions),
            "layout": self._predictions.layout,
            "joints": self.skeleton.name,
            "lengths": self.lengths,
        }

    def predict(self, view: View) -> Float[np.ndarray, "t j 3"]:
        """Looks the view up."""
        return self._predictions.poses[view.name]

    def warnings(self, views: Sequence[View], protocol: Protocol) -> list[str]:
        """See `suspicions`."""
        return suspicions(views, self._predictions, protocol)


Source = Lifted | Saved
"""Whatever has the prediction for a view."""


def open_source(config: DictConfig, views: Sequence[View]) -> Source:
    """The source that a config asks for: a file where `predictions` names one, else a lifter."""
    return Lifted(config) if config.predictions is None else Saved(config, views)
