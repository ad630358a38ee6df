"""Makes cmu50.npz from the CMU motion capture database: python tools/prepare_cmu.py RAW cmu50.npz."""

import argparse
import sys

from poselift.core.errors import InputError
from poselift.data.cmu_asf import prepare

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", metavar="RAW", help="the folder with subjects/01/01.asf, 01_01.amc and so on")
    parser.add_argument("path", metavar="FILE", help="the file to write, cmu50.npz")
    parser.add_argument("--fps", type=float, default=120.0, help="frame rate of the recordings (default: %(default)g)")
    parser.add_argument(
        "--at-60",
        nargs="*",
        default=[],
        metavar="NAME",
        help="subjects (60) and trials (75_03) with 60 frames per second, as listed on the pages of the database",
    )
    arguments = parser.parse_args()
    try:
        print(prepare(arguments.raw, arguments.path, arguments.fps, arguments.at_60))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
