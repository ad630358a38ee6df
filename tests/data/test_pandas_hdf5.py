import gzip
from pathlib import Path

import h5py
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.data.pandas_hdf5 import read_frame

FILES = Path(__file__).parents[1] / "keypoints" / "files"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "clip.h5"
    path.write_bytes(gzip.decompress((FILES / "deeplabcut_single_table.h5.gz").read_bytes()))
    return path


def test_no_code_is_run_from_the_labels(path):
    with h5py.File(path, "r+") as file:
        table = file["df_with_missing/table"]
        del table.attrs["values_block_0_kind"]
        table.attrs["values_block_0_kind"] = np.bytes_(b"cos\nsystem\n(S'echo hacked'\ntR.")
    with pytest.raises(InputError, match=r"cannot be read as a table.*may run code"):
        read_frame(path)


def test_damaged_files(path, tmp_path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"clip\.h5: cannot be read"):
        read_frame(path)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.zeros(3)
    with pytest.raises(InputError, match="holds 0 tables"):
        read_frame(tmp_path / "other.h5")
