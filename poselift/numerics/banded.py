"""Linear equations whose matrix has few diagonals."""

import numpy as np
from jaxtyping import Float

_BLOCK = 48
"""Unknowns that are eliminated at once: fewer take more steps in Python, more take more arithmetic."""


def solve_banded(band: Float[np.ndarray, "diagonals n"], right: Float[np.ndarray, "n *c"]) -> Float[np.ndarray, "n *c"]:
    """Solves A x = right by blocks, forwards and back.

    Rows are exchanged within a block only, so A should be positive definite or have a heavy diagonal.

    Args:
        band: A's diagonals, of odd number 2 r + 1: `band[r + k, i]` is `A[i + k, i]`. Entries outside A do not count.
        right: right-hand sides of one unknown or more.

    Example:
        >>> solve_banded(np.array([[0.0, 1.0], [2.0, 2.0], [1.0, 0.0]]), np.array([3.0, 3.0])).round(6).tolist()
        [1.0, 1.0]
    """
    reach, size = len(band) // 2, max(_BLOCK, len(band))
    count = -(-len(right) // size)
    diagonals = np.zeros((len(band), count * size))
    diagonals[:, : len(right)] = band
    diagonals[reach, len(right) :] = 1.0
    sides = np.zeros((count, size, int(np.prod(right.shape[1:]))))
    sides.reshape(count * size, -1)[: len(right)] = right.reshape(len(right), -1)
    # Columns of A: of each block, those rows that are not zero.
    columns = np.zeros((count, size + 2 * reach, size))
    for row, values in enumerate(diagonals):
        columns[:, np.arange(size) + row, np.arange(size)] = values.reshape(count, size)
    own = columns[:, reach : size + reach]
    to_next, from_next = columns[:, size + reach :, size - reach :], columns[:, :reach, :reach]
    solved = []
    for block in range(count):
        unknown = np.zeros((size, reach))  # what the first unknowns of the next block add to these equations
        if block + 1 < count:
            unknown[size - reach :] = from_next[block + 1]
        solved.append(np.linalg.solve(own[block], np.concatenate([unknown, sides[block]], 1)))
        if block + 1 < count:
            change = to_next[block] @ solved[-1][size - reach :]
            own[block + 1, :reach, :reach] -= change[:, :reach]
            sides[block + 1, :reach] -= change[:, reach:]
    found = [solved[-1][:, reach:]]
    for each in solved[-2::-1]:
        found.append(each[:, reach:] - each[:, :reach] @ found[-1][:reach])
    return np.concatenate(found[::-1])[: len(right)].reshape(right.shape)
