"""Checks of HDF5 files: over damaged ones its library may loop for ever, or allocate without an end.

Source: The HDF Group, "HDF5 File Format Specification", version 3.0, II.A (superblock) and III.D (local heap).
"""

import struct
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HEAP = b"HEAP\0"
"""Signature and version; three bytes follow that are not used."""
_NO_BLOCK = 1
_BLOCK = 16
"""Bytes of the smallest free block: where the next one is, and its size."""


def check_heaps(path: Path) -> None:
    """Checks that the list of free blocks of each local heap has an end: the library follows it for ever.

    Heaps hold the names of a group's members.

    Args:
        path: the file.

    Raises:
        ValueError: a list leads back to one of its blocks, or the file's numbers do not have 8 bytes.
        IndexError: the file ends in its first block.
    """
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        base = content.find(SIGNATURE)
        if base < 0:
            return
        version = content[base + 8]
        sizes = base + (13 if version < 2 else 9)
        if content[sizes : sizes + 2] != b"\x08\x08":
            raise ValueError("its addresses and sizes do not have 8 bytes")
        spare, at = len(content) // _BLOCK, content.find(_HEAP)
        while at >= 0:
            spare -= _free_blocks(content, at, base, spare)
            at = content.find(_HEAP, at + 1)


def _free_blocks(content: mmap, at: int, base: int, most: int) -> int:
    """The number of free blocks of a heap; the library refuses a block outside of the heap itself."""
    if at + 32 > len(content):
        return 0
    size, block, start = struct.unpack_from("<QQQ", content, at + 8)
    end = min(size, len(content) - base - start) - _BLOCK
    count = 0
    while block != _NO_BLOCK and block <= end:
        if count == most:
            raise ValueError("the list of free blocks of a heap has no end")
        block, count = struct.unpack_from("<Q", content, base + start + block)[0], count + 1
    return count


def dataset_array(dataset: Any, most: int) -> np.ndarray:
    """The array of a dataset.

    Args:
        dataset: an `h5py.Dataset`.
        most: largest accepted size, bytes (`poselift.core.bounded.room`).

    Raises:
        ValueError: it declares more, or its values lie in other files.
    """
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"the values of {dataset.name} lie in other files")
    if dataset.size is None or dataset.dtype.itemsize * dataset.size > most:
        raise ValueError(f"{dataset.name} declares the shape {dataset.shape}, more than the {most} bytes that are read")
    return np.asarray(dataset[()])
