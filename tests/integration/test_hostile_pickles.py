"""A pickle that would create a file is refused by everything that reads files of users, and does not run."""

import os
import pickle
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.reading import load_arrays, load_mat, load_object_npz, load_pickle
from poselift.detection.mmpose.mmpose_checkpoints import load_checkpoint as load_detector
from poselift.keypoints import read_keypoints
from poselift.models import load_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.recordings.motion_arrays import read_npz
from poselift.reports.prediction_files import read_predictions
from poselift.training.checkpoints import read_checkpoint
from poselift.weights import __path__ as weights_folder


class Hostile:
    """Unpickled by the plain unpickler, it makes a folder."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def _objects(path, evil):
    np.savez(path, **{name: np.array([evil], object) for name in ("boxes", "keypoints", "metadata", "x", "joints")})


def _table(path, evil):
    with h5py.File(path, "w") as file:
        group = file.create_group("df_with_missing")
        group.attrs["pandas_type"] = np.bytes_(b"frame_table")
        table = group.create_dataset("table", data=np.zeros(2, [("index", "<i8"), ("values_block_0", "<f8", (3,))]))
        table.attrs.create("values_block_0_kind", np.bytes_(pickle.dumps(evil, 0)))


def _weights(path, evil):
    torch.save({"w": evil}, path)
    shutil.copy(Path(next(iter(weights_folder))) / "tiny.json", path.with_suffix(".json"))


def _pickle(path, evil):
    path.write_bytes(pickle.dumps({"a": [evil]}))


def _npy(path, evil):
    np.save(path, np.array([evil], object))


def _checkpoint(path, evil):
    torch.save({"model": evil, "loops": {}, "state_dict": {}, "global_step": 1}, path)


def _old_checkpoint(path, evil):
    torch.save({"state_dict": evil}, path, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize(
    ("name", "write", "read"),
    [
        ("a.pkl", _pickle, load_pickle),
        ("a.npz", _objects, lambda path: load_object_npz(path, "x")),
        ("a.npz", _objects, lambda path: load_arrays(path, {"x": (1,)}, "help")),
        ("a.npz", _objects, read_npz),
        ("a.npz", _objects, read_keypoints),
        ("a.h5", _table, read_keypoints),
        ("a.mat", _pickle, lambda path: load_mat(path, {"x": None})),
        ("a.pkl", _pickle, lambda path: read_predictions(path, [])),
        ("a.npz", _objects, lambda path: read_predictions(path, [])),
        ("a.npy", _npy, lambda path: read_predictions(path, [])),
        ("a.safetensors", _weights, load_weights),
        ("a.ckpt", _checkpoint, load_checkpoint),
        ("a.ckpt", _checkpoint, read_checkpoint),
        ("a.ckpt", _old_checkpoint, load_checkpoint),
        ("a.pth", _checkpoint, lambda path: load_detector(str(path))),
        ("a.pth", _old_checkpoint, lambda path: load_detector(str(path))),
    ],
)
def test_it_is_refused_and_does_not_run(tmp_path, name, write, read):
    proof = tmp_path / "it ran"
    write(tmp_path / name, Hostile(proof))
    with pytest.raises(InputError):
        read(tmp_path / name)
    assert not proof.exists()
