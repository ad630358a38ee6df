"""A lifter from a training run's checkpoint, without pickled objects."""

import pickle
from pathlib import Path
from zipfile import BadZipFile

import torch

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.models.build import model_from_dict
from poselift.models.weights import Weights, read_pelvis

_PREFIX = "lifter."


def load_checkpoint(path: str | Path, device: torch.device | str = "cpu") -> Weights:
    """The lifter of a Lightning checkpoint, with averaged weights if the run averages them.

    Args:
        path: a .ckpt of `tools/train.py`.
        device: the lifter goes there.

    Raises:
        InputError: there is no such file, it is not a checkpoint of a lifter, or a value in it is wrong.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}; give a .ckpt file that tools/train.py wrote into checkpoints/")
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, BadZipFile, RuntimeError, EOFError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path} cannot be read as a checkpoint of tensors and plain data ({reason})") from error
    try:
        about = checkpoint["model"]
        lifter = model_from_dict(about["name"], about["config"])
        state = {key.removeprefix(_PREFIX): value for key, value in checkpoint["state_dict"].items()}
        lifter.load_state_dict(state)
        card = {
            "model": about["name"],
            "config": about["config"],
            "window": int(about["window"]),
            "training": {"epoch": checkpoint["epoch"], "steps": checkpoint["global_step"]},
        } | ({"pelvis": about["pelvis"]} if about.get("pelvis") is not None else {})
    except InputError as error:
        raise InputError(f"{path} is not a checkpoint of a lifter: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path} is not a checkpoint of a lifter ({type(error).__name__}: {error})") from error
    except RuntimeError as error:
        raise InputError(f"{path}: its weights do not fit the lifter that it describes") from error
    return Weights(
        path.stem, lifter.eval().to(device), card["window"], sha256(path), path, card, read_pelvis(card, path)
    )
