"""Makes data_3d_h36m.npz from the official download of Human3.6M: python tools/prepare_h36m.py RAW ROOT."""

import argparse
import sys

from poselift.core.errors import InputError
from poselift.data.h36m_cdf import prepare

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", metavar="RAW", help="the folder with S1/MyPoseFeatures/D3_Positions and so on")
    parser.add_argument("root", metavar="ROOT", help="the folder for data_3d_h36m.npz")
    arguments = parser.parse_args()
    try:
        print(prepare(arguments.raw, arguments.root))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
