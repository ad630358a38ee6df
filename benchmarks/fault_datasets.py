"""The loaders of datasets and the manifests of batches, each with a small valid folder and the way to change a file."""

import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet
from fsspec.implementations.local import LocalFileSystem
from scipy.io import savemat

from benchmarks.fault_inputs import Parser, file, of_tests
from benchmarks.mutations import Mutation, bytes_changed, json_changed, npz_changed, pickle_changed, text_changed
from poselift.cli.batch.manifest import read_manifest
from poselift.data.aist import load_aist
from poselift.data.asf_amc import pose_bones, read_amc, read_asf
from poselift.data.cmu import load_cmu
from poselift.data.cmu_asf import prepare
from poselift.data.coco import load_coco
from poselift.data.h36m import load_h36m
from poselift.data.h36m_cdf import read_cdf
from poselift.data.h36m_mmpose import load_h36m_mmpose
from poselift.data.h36m_motionbert import load_h36m_motionbert
from poselift.data.humaneva import load_humaneva
from poselift.data.jta import load_jta
from poselift.data.mpi_inf_3dhp import load_mpi_inf_3dhp, read_calibration
from poselift.data.mpi_inf_3dhp_npz import load_mpi_inf_3dhp_npz
from poselift.data.mpii import load_mpii
from poselift.data.pw3d import load_pw3d
from poselift.data.reading import load_mat
from poselift.data.surreal import load_surreal
from poselift.data.totalcapture import load_totalcapture

CHANGES: dict[str, Mutation] = {
    ".npz": npz_changed,
    ".pkl": pickle_changed,
    ".json": json_changed,
    ".mat": bytes_changed,
    ".cdf": bytes_changed,
    ".parquet": bytes_changed,
    **dict.fromkeys((".asf", ".amc", ".txt", ".cal", ".calibration", ".csv"), text_changed),
}
"""How the files of each kind are changed."""


def _dataset(
    form: str, write: str, load: Callable[[Path], Any], *suffixes: str, inside: str = "", **sizes: Any
) -> Parser:
    """A dataset whose files of some kinds are changed.

    Args:
        form: module below `tests/data/formats` that writes it.
        write: its function.
        load: reads the folder, or the file `inside` it.
        suffixes: of the files to change; all are changed in the way of the first.
        inside: see `Parser`.
        sizes: arguments of the function.
    """

    def written(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        getattr(of_tests(f"data.formats.{form}"), write)(folder, **sizes)
        return folder

    return Parser(written, load, CHANGES[suffixes[0]], suffixes, inside)


def _posed(path: Path) -> None:
    skeleton = read_asf(path)
    pose_bones(skeleton, read_amc(path.with_name("01_01.amc"), skeleton))


def _write_cdf(path: Path) -> Path:
    path = path.with_suffix(".cdf")
    with tempfile.TemporaryDirectory() as folder:
        of_tests("data.formats.h36m").write_h36m_cdf(folder, 2)
        shutil.copyfile(next(Path(folder).rglob("Directions.cdf")), path)
    return path


def _write_manifest(path: Path, suffix: str) -> Path:
    path = path.with_suffix(suffix)
    if suffix == ".csv":
        path.write_text('path,start,end,person,height\na.mp4,,2.5,1,1.8\nsub/b.mp4,1,,"1,2","1:1.8,2:1.7"\n')
    else:
        columns = {"path": ["a.mp4", "b.mp4"], "start": [0.5, None], "person": [[1, 2], None]}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def _manifest(suffix: str) -> Parser:
    def read(path: Path) -> None:
        read_manifest(LocalFileSystem(), str(path))

    return Parser(partial(_write_manifest, suffix=suffix), read, CHANGES[suffix])


def _corpus(path: Path) -> Path:
    """A corpus in the layout of cmu50.npz."""
    with tempfile.TemporaryDirectory() as folder:
        of_tests("data.formats.asf_amc").write_cmu_subjects(Path(folder), {"01_01": 90})
        prepare(folder, path.with_suffix(".npz"))
    return path.with_suffix(".npz")


def _hdf5(path: Path) -> None:
    with h5py.File(path, "w", userblock_size=512) as content:
        content.create_dataset("annot2", data=np.zeros((28, 3, 5)), compression="gzip")
        content["fps"] = np.array([[25.0]])
    with path.open("r+b") as begin:
        begin.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


def _mat(write: Callable[[Path], object], *nested: str) -> Parser:
    shapes = {"annot2": (None, 3, 28), "fps": None, **dict.fromkeys(nested)}
    return Parser(file(".mat", write), lambda path: load_mat(path, shapes), bytes_changed)


_MAT = {"annot2": np.arange(420.0).reshape(5, 3, 28), "fps": np.array([[25.0]])}
_NESTED = {
    "cells": np.array([[np.zeros((2, 3)), "text"], [np.int8(3), np.array([])]], object),
}
_SOME: dict[str, Any] = {"frames": 4, "some": ("Directions",)}
_TRIAL: dict[str, Any] = {"trials": {"01_01": 3}, "inside": "subjects/01/01.asf"}

DATASETS: dict[str, Parser] = {
    "mat 5": _mat(lambda path: savemat(path, _MAT, do_compression=True)),
    "mat 5, not compressed": _mat(lambda path: savemat(path, _MAT | _NESTED), *_NESTED),
    "mat 7.3": _mat(_hdf5),
    "CMU: asf": _dataset("asf_amc", "write_cmu_subjects", _posed, ".asf", **_TRIAL),
    "CMU: amc": _dataset("asf_amc", "write_cmu_subjects", _posed, ".amc", **_TRIAL),
    "CMU: npz": Parser(_corpus, lambda path: load_cmu(path, "train"), npz_changed),
    "Human3.6M: cdf": Parser(_write_cdf, read_cdf, bytes_changed),
    "Human3.6M: VideoPose3D": _dataset("h36m", "write_h36m", load_h36m, ".npz", **_SOME),
    "Human3.6M: MotionBERT": _dataset("h36m", "write_h36m_motionbert", load_h36m_motionbert, ".pkl", **_SOME),
    "Human3.6M: MMPose": _dataset("h36m", "write_h36m_mmpose", load_h36m_mmpose, ".npz", **_SOME),
    "HumanEva": _dataset("humaneva", "write_humaneva", load_humaneva, ".npz", frames=3),
    "3DHP: annot.mat": _dataset(
        "mpi_inf_3dhp",
        "write_mpi_inf_3dhp_train",
        partial(load_mpi_inf_3dhp, split="train", subjects=["S1"]),
        ".mat",
        sequences={"S1/Seq1": 3, "S1/Seq2": 3},
    ),
    "3DHP: calibration": _dataset(
        "mpi_inf_3dhp",
        "write_mpi_inf_3dhp_train",
        read_calibration,
        ".calibration",
        sequences={"S1/Seq1": 3},
        inside="S1/Seq1/camera.calibration",
    ),
    "3DHP: annot_data.mat": _dataset(
        "mpi_inf_3dhp",
        "write_mpi_inf_3dhp_test",
        partial(load_mpi_inf_3dhp, subjects=["TS1"]),
        ".mat",
        clips={"TS1": 5},
    ),
    "3DHP: npz": _dataset(
        "mpi_inf_3dhp",
        "write_mpi_inf_3dhp_npz",
        load_mpi_inf_3dhp_npz,
        ".npz",
        sequences={"S1 Seq1": 3},
        clips={"TS1": 5},
    ),
    "3DPW: pkl": _dataset("pw3d", "write_pw3d", load_pw3d, ".pkl", sequences={"test/a_00": (4, 1)}),
    "SURREAL: mat": _dataset(
        "surreal", "write_surreal", partial(load_surreal, runs=[0]), ".mat", clips={"train/run0/01_01/1": 3}
    ),
    "AIST++: pkl": _dataset("aist", "write_aist", partial(load_aist, keypoints="detected"), ".pkl", frames=3),
    "AIST++: json": _dataset("aist", "write_aist", partial(load_aist, cameras=["c01"]), ".json", frames=3),
    "AIST++: txt": _dataset("aist", "write_aist", partial(load_aist, cameras=["c01"]), ".txt", frames=3),
    "Total Capture: txt": _dataset(
        "totalcapture", "write_totalcapture", partial(load_totalcapture, cameras=["cam1"]), ".txt", ".cal", frames=3
    ),
    "JTA: json": _dataset("jta", "write_jta", load_jta, ".json", sequences={"test/seq_1": 3}),
    "COCO: json": _dataset("pictures", "write_coco", load_coco, ".json", people=3),
    "MPII: json": _dataset("pictures", "write_mpii", load_mpii, ".json", people=3),
    "manifest: csv": _manifest(".csv"),
    "manifest: parquet": _manifest(".parquet"),
}
"""All of them by name."""
