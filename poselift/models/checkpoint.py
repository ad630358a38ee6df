"""A lifter from a training run's checkpoint, without pickled objects."""

from pathlib import Path

from torch import Tensor

from poselift.core.errors import InputError, reason
from poselift.core.files import sha256
from poselift.core.torch_files import read_checkpoint_file
from poselift.models.restore import restore
from poselift.models.saved_weights import Weights, read_pelvis, read_window

_PREFIX = "lifter."


def load_checkpoint(path: str | Path, device: str = "cpu") -> Weights:
    """The lifter of a Lightning checkpoint.

    It has averaged weights if the run averages them.

    Args:
        path: a .ckpt of `tools/train.py`.
        device: the lifter goes there.

    Raises:
        InputError: there is no such file, it is not a checkpoint of a lifter, or a value in it is wrong.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}; give a .ckpt file that tools/train.py wrote into checkpoints/")
    checkpoint = read_checkpoint_file(path)
    try:
        about = checkpoint["model"]
        name, config = about["name"], about["config"]
        state = {key.removeprefix(_PREFIX): value for key, value in checkpoint["state_dict"].items()}
        if not all(isinstance(value, Tensor) for value in state.values()):
            raise InputError("its state_dict has more than tensors")
        card = {
            "model": name,
            "config": config,
            "window": read_window(about["window"]),
            "training": {"epoch": checkpoint["epoch"], "steps": checkpoint["global_step"]},
        } | ({"pelvis": about["pelvis"]} if about.get("pelvis") is not None else {})
        lifter = restore(name, config, state)
    except InputError as error:
        raise InputError(f"{path} is not a checkpoint of a lifter: {error}") from error
    except Exception as error:  # wrong types can fail in many ways
        raise InputError(f"{path} is not a checkpoint of a lifter ({type(error).__name__}: {reason(error)})") from error
    pelvis = read_pelvis(card, path)
    return Weights(path.stem, lifter.to(device), card["window"], sha256(path), path, card, pelvis, device)
