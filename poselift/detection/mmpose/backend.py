"""MMPose as a detector: mmdet, then a top-down model."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, UInt8

from poselift.core.device import choose_device
from poselift.core.errors import InputError
from poselift.detection.duplicates import keep_each_once
from poselift.detection.mmpose.compat import mmpose_imports, silence
from poselift.detection.mmpose.configs import find_config, published_weights
from poselift.detection.mmpose.joints import recognise_skeleton
from poselift.detection.mmpose.mmpose_checkpoints import Checkpoint, load_checkpoint, load_state
from poselift.structures import Detections

DEFAULT_CONFIG = "rtmpose-m_8xb512-700e_body8-halpe26-256x192"
DEFAULT_PERSON_DETECTOR = "rtmdet_m_640-8xb32_coco-person"

_FRAMES = 8
"""Frames at most that are given to the person detector at once."""
_CROPS = 32
"""People at most that are given to the pose model at once."""
_MIN_PERSON_SCORE = 0.3
"""As in mmpose's own demos."""


class MMPose:
    """People by mmdet, keypoints by mmpose, in batches.

    Any top-down body model serves, batched over people and frames. The skeleton is recognised by the names of the
    model's joints; other joints (faces, fingers) are left out. A joint outside the picture, or without any response, is
    not seen: NaN with score 0. SimCC models give raw responses as scores, which are cut to 0 to 1.

    Source: https://github.com/open-mmlab/mmpose, version 1.3.2.

    Args:
        device: "cpu", "cuda", a GPU by number such as "cuda:1", or "auto" for CUDA if PyTorch can use it.
        config: of the pose model: a path, or the name of a config that mmpose ships. A config is Python code and is
            run: take none from people that you do not trust.
        checkpoint: its weights: a path, a name, or a URL with a SHA-256 (see `load_checkpoint`); if left out, those
            that OpenMMLab published for the config.
        person_detector: likewise the config of the person detector, which mmdet or mmpose ships.
        person_checkpoint: likewise.
        trust_checkpoint: also read checkpoints that may run code when they are read.
        offline: fetch nothing; weights that are not in the cache are missing.

    Raises:
        InputError: mmpose is not installed, a config or checkpoint cannot be used, or the device cannot be used.
    """

    name = "mmpose"

    def __init__(
        self,
        device: str = "auto",
        config: str = DEFAULT_CONFIG,
        checkpoint: str | None = None,
        person_detector: str = DEFAULT_PERSON_DETECTOR,
        person_checkpoint: str | None = None,
        trust_checkpoint: bool = False,
        offline: bool = False,
    ) -> None:
        place = choose_device(device)
        with mmpose_imports():
            from mmdet.apis import init_detector
            from mmpose.apis import init_model

            self._pose = _build(init_model, config)
            if self._pose.cfg.model.type != "TopdownPoseEstimator":
                raise InputError(
                    f"mmpose config {config}: a {self._pose.cfg.model.type} cannot be used, only top-down models for 2D"
                )
            self._person = _build(init_detector, person_detector)
            pose_weights = _load(self._pose, config, checkpoint, trust_checkpoint, offline)
            person_weights = _load(self._person, person_detector, person_checkpoint, trust_checkpoint, offline)
            self._pose.to(place)
            self._person.to(place)
            self._pose_pipeline = _pipeline(self._pose, "mmpose")
            self._person_pipeline = _pipeline(self._person, "mmdet")
        meta = {**self._pose.dataset_meta, **pose_weights.dataset_meta}
        self._pose.dataset_meta = meta
        names = [meta["keypoint_id2name"][index] for index in range(len(meta["keypoint_id2name"]))]
        # Models that learned from several data sets at once can be set to give some of their joints only.
        self._names = [names[index] for index in self._pose.test_cfg.get("output_keypoint_indices", range(len(names)))]
        self.skeleton, self._joints = recognise_skeleton(self._names)
        classes = person_weights.dataset_meta.get("classes") or self._person.dataset_meta["classes"]
        if "person" not in classes:
            raise InputError(f"mmdet config {person_detector}: the model does not know the class 'person'")
        self._person_label = list(classes).index("person")
        self.weights = {file.name: file.sha256 for file in (pose_weights, person_weights)}

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        found: list[Detections] = []
        for start in range(0, len(frames), _FRAMES):
            # OpenMMLab's models take BGR from whoever gives them pictures.
            pictures = [np.ascontiguousarray(frame[..., ::-1]) for frame in frames[start : start + _FRAMES]]
            with silence(), torch.inference_mode():
                people = self._find_people(pictures)
                poses = self._find_joints(pictures, [boxes for boxes, _ in people])
            for picture, (boxes, box_scores), pose in zip(pictures, people, poses, strict=True):
                found.append(keep_each_once(picture, pose, boxes, box_scores, self.skeleton))
        return found

    def _find_people(
        self, pictures: list[UInt8[np.ndarray, "_ _ 3"]]
    ) -> list[tuple[Float[np.ndarray, "_ 4"], Float[np.ndarray, " _"]]]:
        """Boxes of people and their scores in each picture, in its pixels."""
        prepared = [self._person_pipeline({"img": picture, "img_id": 0}) for picture in pictures]
        people = []
        for result in _run(self._person, prepared, _FRAMES):
            found = result.pred_instances.numpy()
            boxes, scores = found.bboxes.astype(np.float64), found.scores.astype(np.float64)
            there = (found.labels == self._person_label) & (scores >= _MIN_PERSON_SCORE)
            there &= (boxes[:, 2:] - boxes[:, :2] >= 1).all(-1)
            people.append((boxes[there], scores[there]))
        return people

    def _find_joints(
        self, pictures: list[UInt8[np.ndarray, "_ _ 3"]], boxes: list[Float[np.ndarray, "_ 4"]]
    ) -> list[Float[np.ndarray, "_ j 3"]]:
        """Everybody's joints x, y and score in each picture's pixels.

        What `mmpose.apis.inference_topdown` does with the people of one picture, for those of several. It makes a box
        of the whole picture where there is nobody, and would find somebody; here nobody is asked about.
        """
        prepared = [
            self._pose_pipeline(
                {
                    "img": picture,
                    "bbox": box[None].astype(np.float32),
                    "bbox_score": np.ones(1, np.float32),
                    **self._pose.dataset_meta,
                }
            )
            for picture, people in zip(pictures, boxes, strict=True)
            for box in people
        ]
        found = np.zeros((len(prepared), len(self._joints), 3))
        for person, result in enumerate(_run(self._pose, prepared, _CROPS)):
            points, scores = result.pred_instances.keypoints[0], result.pred_instances.keypoint_scores[0]
            if len(points) != len(self._names):
                raise InputError(f"the mmpose model gives {len(points)} joints but names {len(self._names)}")
            found[person] = np.column_stack([points[:, :2], scores])[self._joints]
        return np.split(found, np.cumsum([len(people) for people in boxes])[:-1])


def _build(init: Callable[..., Any], name: str) -> Any:
    """The model of a config, built by `init_model` or `init_detector`, without weights."""
    config = find_config(name)
    try:
        return init(str(config), None, device="cpu")
    except InputError:
        raise
    except Exception as error:  # a config is code, and may fail in any way
        raise InputError(f"mmpose config {config} cannot be used: {error}") from error


def _load(model: Any, name: str, source: str | None, trust: bool, offline: bool) -> Checkpoint:
    """Loads a model's weights, given or published. From `source`, or else those that were published for its config."""
    config = find_config(name)
    source = source or published_weights(config)
    if source is None:
        raise InputError(f"no weights were published for mmpose config {name}; give a checkpoint")
    checkpoint = load_checkpoint(source, trust, offline)
    load_state(model, checkpoint, config)
    return checkpoint


def _pipeline(model: Any, scope: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The pipeline of a model's pictures, as its config says."""
    from mmengine.dataset import Compose
    from mmengine.registry import init_default_scope

    init_default_scope(scope)
    steps = [dict(step) for step in model.cfg.test_dataloader.dataset.pipeline]
    # The first step reads a file.
    steps[0] = {"type": f"{scope}.LoadImageFromNDArray"} if scope == "mmdet" else steps[0]
    return Compose(steps)


def _run(model: Any, prepared: list[dict[str, Any]], at_once: int) -> Iterator[Any]:
    """A model's results, in order, batched by size.

    Inputs that follow each other and have one size go through it together.
    """
    for _, alike in groupby(prepared, key=lambda one: one["inputs"].shape):
        group = list(alike)
        for start in range(0, len(group), at_once):
            batch = group[start : start + at_once]
            yield from model.test_step({key: [one[key] for one in batch] for key in ("inputs", "data_samples")})
