"""Checkpoints of other programs' lifters."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from poselift.core.errors import InputError
from poselift.core.torch_files import read_foreign_weights
from poselift.models.motionbert import DSTformer, build_motionbert
from poselift.models.videopose3d import VideoPose3D, build_videopose3d

_MOTIONBERT, _OTHERS = "joints_embed.weight", {"Spatial_patch_to_embedding.weight": "PoseFormer or MixSTE"}
"""A parameter by which MotionBERT's checkpoints are known, and those of lifters that are not built in."""


def load_peer(path: Path, causal: bool = False) -> VideoPose3D | DSTformer:
    """The network of a checkpoint of VideoPose3D or MotionBERT.

    The names of its parameters tell which.

    Args:
        path: the checkpoint.
        causal: a checkpoint of VideoPose3D was trained with --causal, which the file does not say.

    Raises:
        InputError: the file cannot be read, or its network is another one.
    """
    content = read_foreign_weights(path)
    weights = content.get("model_pos", content.get("model", content))
    if not isinstance(weights, Mapping) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise InputError(f"{path} has no network under model_pos; give a checkpoint of VideoPose3D or MotionBERT")
    weights = {key.removeprefix("module."): value for key, value in weights.items()}
    if made := [program for key, program in _OTHERS.items() if key in weights]:
        why = f"it is of {made[0]}, and only the networks of VideoPose3D and MotionBERT are built in"
        raise InputError(_elsewhere(path, why))
    program = "MotionBERT" if _MOTIONBERT in weights else "VideoPose3D"
    try:
        return build_motionbert(weights) if program == "MotionBERT" else build_videopose3d(weights, causal)
    except (KeyError, IndexError, RuntimeError, ValueError) as error:
        lines = " ".join(str(error).split())
        raise InputError(_elsewhere(path, f"it is not {program}'s network for 17 joints ({lines:.120})")) from error


def _elsewhere(path: Path, why: str) -> str:
    return f"{path} cannot be evaluated: {why}; run the program that wrote it, and give its output as predictions="
