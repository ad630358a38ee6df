"""Checkpoints of configs that mmpose ships, with seeded random weights."""

import importlib.util

import numpy as np
import pytest
import torch
from torch import nn

from poselift.detection.mmpose.backend import _pipeline
from poselift.detection.mmpose.compat import mmpose_imports
from poselift.detection.mmpose.configs import find_config

PERSON = "rtmdet_nano_320-8xb32_coco-person"


def skip_without_mmpose():
    """Skips the test where mmpose is not installed."""
    if importlib.util.find_spec("mmpose") is None:
        pytest.skip("needs mmpose: bash tools/install_mmpose.sh")


def write_checkpoint(name, pictures, path):
    """Builds the model of a config, and saves it as mmengine does.

    Args:
        name: of the config; all but `PERSON` are of pose models.
        pictures: that its normalisation is set by.
        path: the file to write.
    """
    with mmpose_imports():
        _write(name, pictures, path)


def _write(name, pictures, path):
    from mmdet.apis import init_detector
    from mmengine.runner import save_checkpoint
    from mmpose.apis import init_model

    torch.manual_seed(0)
    model = (init_detector if name == PERSON else init_model)(str(find_config(name)), None, device="cpu")
    pipeline = _pipeline(model, "mmdet" if name == PERSON else "mmpose")
    height, width = pictures[0].shape[:2]
    whole = {"bbox": np.array([[0, 0, width, height]], np.float32), "bbox_score": np.ones(1, np.float32)}
    bgr = [np.ascontiguousarray(picture[..., ::-1]) for picture in pictures]
    samples = [pipeline({"img": picture, "img_id": 0, **whole, **model.dataset_meta}) for picture in bgr]
    # Random layers let little through. With the statistics of real pictures in their normalisation, what comes out
    # depends on what goes in, as in a trained model.
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.momentum = None
    model.train()
    with torch.no_grad():
        model.test_step({key: [sample[key] for sample in samples] for key in ("inputs", "data_samples")})
        for key, value in model.named_parameters():
            if "rtm_reg" in key and key.endswith("bias"):
                value.fill_(8.0)  # boxes of people's sizes, and few of them
            if "rtm_cls" in key:
                value.mul_(5.0) if key.endswith("weight") else value.fill_(-10.0)
    state = {"meta": {"dataset_meta": model.dataset_meta, "epoch": 7}, "state_dict": model.state_dict()}
    save_checkpoint(state, str(path))
