"""Predictions for `poselift evaluate`: a lifter's, or a file's.

It passes 300 lines with a class for each source of predictions: they answer the same questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from omegaconf import DictConfig, ListConfig
from torch import Tensor

from poselift.core.device import choose_device
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.data.views import View
from poselift.geometry.camera import Camera, camera_for
from poselift.lifting import LiftOptions
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.lifting.prepare.lifter_joints import select_lifter_joints
from poselift.lifting.settled_sides import lift_settled, settle_sides
from poselift.models import load_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.models.motionbert import DSTformer
from poselift.models.peer_checkpoints import load_peer
from poselift.models.videopose3d import VideoPose3D
from poselift.reports.plausibility import find_suspicions
from poselift.reports.prediction_files import read_predictions
from poselift.reports.protocols import Protocol
from poselift.reports.training_settings import training_sha256
from poselift.skeleton import H36M17


class LifterPredictions:
    """Predictions of a lifter, view by view, as of `poselift lift`.

    Every frame counts in an evaluation, so frames in long gaps are lifted too (`LiftOptions.every_frame`).

    Attributes:
        name: in tables.
        skeleton: of the predictions.
        seed: of the training; None if unknown.
        model: as `metrics.json` describes it.
        settings: how the predictions are made.
        file: empty, because there is none.

    Args:
        config: of `poselift evaluate`.

    Raises:
        InputError: something that the config names cannot be used.
    """

    lengths = True
    partial = False
    file: Mapping[str, Any] = {}

    def __init__(self, config: DictConfig) -> None:
        self._options = lift_options(config)
        self._exchanged: dict[str, bool] = {}
        device = choose_device(config.device)
        if config.weights is None:
            raise InputError("weights= and predictions= are both null; give one of them")
        load = load_checkpoint if Path(config.weights).suffix == ".ckpt" else load_weights
        self._weights = load(config.weights, device)
        self._known_camera, self._known_depth = config.camera == "known", config.depth == "known"
        self.name = self._weights.name
        self.skeleton = self._weights.skeleton_out
        training = self._weights.card.get("training")  # cards of others may lack it
        training = training if isinstance(training, dict) else {}
        trained = training.get("config")
        self.seed = training.get("seed")
        self.model = {
            "name": self._weights.card["model"],
            "config": self._weights.card["config"],
            "window": self._weights.window,
            "pelvis": self._weights.pelvis,
            "weights": str(self._weights.path),
            "sha256": self._weights.sha256,
            "parameters": sum(parameter.numel() for parameter in self._weights.lifter.parameters()),
            **({"training": training_sha256(trained)} if isinstance(trained, dict) else {}),
        }
        self.settings = {
            **asdict(self._options),
            "window": self._options.window or self._weights.window,
            "camera": config.camera,
            **({"depth": "known"} if self._known_depth else {}),
            "device": str(device),
        }

    def predict(self, view: View) -> Float[np.ndarray, "t j 3"]:
        """The lifted view's joints relative to the root, camera frame, metres."""
        motion, sides = lift_settled(keypoints_of(view), self._weights, self._camera(view), self._options)
        self._exchanged[view.name] = bool(sides.cautions())
        if not self._known_depth:
            return motion.joints
        # What is seen has a fixed size in the picture, so that its size in metres is proportional to its distance.
        scale = view.root[:, 2].cpu().numpy() / motion.root[:, 2]
        return motion.joints * np.where(np.isfinite(scale), scale, 1.0)[:, None, None].astype(np.float32)

    def warnings(self, views: Sequence[View], protocol: Protocol) -> list[str]:
        """Says how many views have exchanged sides or a hidden pelvis.

        The lifter does not see a hidden pelvis. The pelvis is hidden where the lifter's own lies elsewhere.
        """
        found = []
        if exchanged := sum(self._exchanges_sides(view) for view in views):
            found.append(
                f"left and right of the keypoints are exchanged in a tenth or more of the frames of {exchanged} of "
                f"{len(views)} views; they are put back as far as they are sure, as `poselift lift` does"
            )
        hidden = sum(self._hides_pelvis(view) for view in views)
        if not hidden or protocol.root != "pelvis":
            return found
        return [
            *found,
            f"the pelvis of {self.name} lies at the base of the spine, and {hidden} of {len(views)} views have it "
            "between the hips: their keypoint of the pelvis is not used, as in `poselift lift`. Errors relative to the "
            "pelvis include the distance of the two; fine-tuning on this data removes it (init=)",
        ]

    def _exchanges_sides(self, view: View) -> bool:
        """Whether the view has exchanged sides. Another process may have predicted the view."""
        if view.name not in self._exchanged:
            sides = settle_sides(keypoints_of(view), self._weights, self._camera(view), self._options)
            self._exchanged[view.name] = bool(sides.cautions())
        return self._exchanged[view.name]

    def _camera(self, view: View) -> Camera:
        """The camera that the lifter gets."""
        return camera_of(view) if self._known_camera else camera_for(keypoints_of(view).image_size)

    def _hides_pelvis(self, view: View) -> bool:
        """Whether the view's pelvis differs from the lifter's."""
        skeleton, threshold = self._weights.skeleton_in, self._options.threshold
        given, used = (
            select_lifter_joints(keypoints_of(view), skeleton, threshold, pelvis)[1]
            for pelvis in (None, self._weights.pelvis)
        )
        return not np.array_equal(given, used)


def lift_options(config: DictConfig) -> LiftOptions:
    """The options of an evaluation.

    They are those of its config; null takes the default of `poselift lift`.

    Raises:
        InputError: a value makes no sense.
    """
    chosen = {each.name: config[each.name] for each in fields(LiftOptions) if config.get(each.name) is not None}
    return LiftOptions(**chosen, every_frame=True)


class SavedPredictions:
    """Predictions read from a file.

    Attributes:
        name: in tables.
        skeleton: of the predictions.
        lengths: False if the predictions have no unit of length.
        partial: whether frames are left out on purpose.
        seed: of the training; None if unknown.
        model: as `metrics.json` describes it; None for a model of others.
        settings: how the predictions were made, if the file says so.
        file: its path, and how it was read.

    Args:
        config: of `poselift evaluate`.
        views: that are scored.

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
            "predictions": config.predictions,
            "layout": self._predictions.layout,
            "joints": self.skeleton.name,
            "lengths": self.lengths,
        }

    def predict(self, view: View) -> Float[np.ndarray, "t j 3"]:
        """The view's poses in the file."""
        return self._predictions.poses[view.name]

    def warnings(self, views: Sequence[View], protocol: Protocol) -> list[str]:
        """What looks wrong in the file (`find_suspicions`)."""
        return find_suspicions(views, self._predictions, protocol)


class PeerPredictions:
    """Predictions of another program's network with its public weights.

    See `LifterPredictions`.

    Args:
        config: of `poselift evaluate`.

    Raises:
        InputError: the checkpoint is of another network, or a setting has no effect on it.
    """

    lengths = True
    partial = False
    seed = None
    skeleton = H36M17

    def __init__(self, config: DictConfig) -> None:
        path = Path(config.weights)
        device = choose_device(config.device)
        causal = config.causal is True
        self._network, self._device = load_peer(path, causal).to(device), device
        self._program = "VideoPose3D" if isinstance(self._network, VideoPose3D) else "MotionBERT"
        theirs = ("weights", "flip", "causal" if self._program == "VideoPose3D" else "depth")
        for name, usual in _OF_LIFTERS.items():
            if name not in theirs and config[name] not in (usual, None):
                raise InputError(
                    f"{name}={config[name]} has no effect on a checkpoint of {self._program}; leave it out"
                )
        if self._program == "MotionBERT" and config.depth != "known":
            raise InputError(
                "MotionBERT's network gives pixels, not metres; take the scale of the truth by depth=known"
            )
        self._other = load_peer(path, not causal).to(device)
        self._flip = config.flip is not False
        self.name = path.stem
        parameters = sum(parameter.numel() for parameter in self._network.parameters())
        self.model = {
            "name": self._program,
            "config": _shape_of(self._network),
            "window": self._network.field,
            "weights": str(path),
            "sha256": sha256(path),
            "parameters": parameters,
        }
        self.settings = {"flip": self._flip, "device": str(device)} | (
            {"causal": causal} if self._program == "VideoPose3D" else {"depth": "known"}
        )
        self.file: Mapping[str, Any] = {}

    def predict(self, view: View) -> Float[np.ndarray, "t j 3"]:
        """The joints of the view, relative to the pelvis, camera frame, metres.

        Raises:
            InputError: a keypoint is missing: these networks have no mask for them; or the scale of the truth is.
        """
        return self._lift(view, self._network)

    def _lift(self, view: View, network: VideoPose3D | DSTformer) -> Float[np.ndarray, "t j 3"]:
        view = view.convert(H36M17, view.skeleton)
        if not bool(view.keypoints.isfinite().all()):
            missing = [name for name, at in zip(H36M17.joints, view.keypoints.isnan().any((0, 2)), strict=True) if at]
            raise InputError(
                f"{view.name}: {', '.join(missing)} missing in some frames, which {self._program}'s network cannot "
                "take; choose data.keypoints= that have all joints of Human3.6M"
            )
        width, height = (float(side) for side in view.image_size)
        points = view.keypoints.float().to(self._device)
        if isinstance(network, VideoPose3D):
            joints = network.lift(points, (width, height), self._flip).cpu()
        else:
            pixels = network.lift(points, view.scores.float().to(self._device), (width, height), self._flip).cpu()
            joints = pixels * _metres_of_pixels(view)[:, None, None]
        return (joints - joints[:, :1]).numpy()

    def warnings(self, views: Sequence[View], protocol: Protocol) -> list[str]:
        """Says that the checkpoint's other kind, causal or not, fits better.

        The first view decides, and the difference must be large.
        """
        if self._program != "VideoPose3D":
            return []
        truth = views[0].convert(H36M17, H36M17).joints.numpy()
        errors = [
            float(np.nanmean(np.linalg.norm(self._lift(views[0], network) - truth, axis=-1)))
            for network in (self._network, self._other)
        ]
        if not errors[1] < _MUCH_BETTER * errors[0]:
            return []
        kind, value = ("not causal", "null") if self.settings["causal"] else ("causal", "true")
        return [
            f"the checkpoint seems to be {kind}: {1000 * errors[1]:.1f} mm on {views[0].name} instead of "
            f"{1000 * errors[0]:.1f}; evaluate again with causal={value}"
        ]


def _shape_of(network: VideoPose3D | DSTformer) -> dict[str, int]:
    """What tells two networks of one program apart."""
    if isinstance(network, VideoPose3D):
        return {"channels": network.shrink.in_channels, "receptive_field": network.field}
    return {"dim": network.joints_embed.out_features, "depth": len(network.blocks_st), "frames": network.field}


def _metres_of_pixels(view: View) -> Float[Tensor, " t"]:
    """Metres of a pixel at the true depth of the pelvis.

    The `2.5d_factor` of MotionBERT's file; see `poselift.data.h36m_motionbert`. Frames that do not count, and
    have no depth, take the mean of the others.

    Raises:
        InputError: the depth is unknown.
    """
    depth = view.root[:, 2]
    known = depth.isfinite()
    if not known.any() or not bool(known[view.joints.isfinite().all((1, 2))].all()):
        raise InputError(f"{view.name}: the truth has no depth of the pelvis, which this network's scale needs")
    return (1 / (view.K[0, 0] / depth.where(known, depth[known].mean()) + 0.5)).float()


_OF_FILES: Mapping[str, Any] = {"joints": None, "unit": None}
_OF_LIFTERS: Mapping[str, Any] = {
    "weights": "small",
    "camera": "known",
    "depth": "estimated",
    **dict.fromkeys(("threshold", "flip", "refine", "constant_bones", "window", "causal")),
}
"""Settings that say how a file is read and how a lifter is run, with the defaults of conf/evaluate.yaml."""

_MUCH_BETTER = 0.95
"""Share of the error at which a causal network, read as one that is not, or the reverse, is told."""

_PEERS = (".bin", ".pth", ".pt", ".tar")
"""Endings of other programs' checkpoints."""

Predicted = LifterPredictions | SavedPredictions | PeerPredictions
"""Whatever has the prediction of a view."""


def open_predictions(config: DictConfig, views: Sequence[View]) -> Predicted:
    """The predictions that a config asks for.

    They are in a file if `predictions` names one; otherwise weights make them.

    Raises:
        InputError: a setting is one of the other kind, or something that the config names cannot be used.
    """
    read = config.predictions is not None
    usual = _OF_LIFTERS if read else _OF_FILES
    if useless := [f"{name}={config[name]}" for name, value in usual.items() if config[name] not in (value, None)]:
        where, without = ("predictions=", "predictions=null") if read else ("a lifter", "a file as predictions=")
        raise InputError(f"{useless[0]} has no effect on {where}; leave it out, or give {without}")
    if read:
        return SavedPredictions(config, views)
    peer = config.weights is not None and Path(config.weights).suffix in _PEERS
    if not peer and config.causal is not None:
        raise InputError(f"causal={config.causal} is of checkpoints of VideoPose3D; leave it out")
    return PeerPredictions(config) if peer else LifterPredictions(config)
