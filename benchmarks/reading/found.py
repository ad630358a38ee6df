"""What a reader hands back to benchmarks/readers.py."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def save(version: str, names: Any = (), positions: Any = None, rate: float | None = None, note: str = "") -> None:
    """Writes what was read to the file that the last argument of the command names.

    Args:
        version: of the program that read.
        names: of the joints.
        positions: metres, Y up or the axes of the file; (t, j, 3). Without them only the note counts.
        rate: frames a second.
        note: what else was seen.
    """
    out = Path(sys.argv[-1])
    np.save(out.with_suffix(".npy"), np.zeros((0, 0, 3)) if positions is None else np.asarray(positions, np.float64))
    about = {"version": version, "names": [str(name) for name in names], "rate": rate, "note": note}
    out.write_text(json.dumps(about), encoding="utf-8")
