"""Makes a frozen benchmark of virtual views of a corpus: python tools/prepare_bench.py cmu50.npz bench.npz."""

import argparse
import sys

from poselift.core.errors import InputError
from poselift.data.prepare_bench import prepare_bench

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", metavar="CORPUS", help="cmu50.npz, or another file of its layout")
    parser.add_argument("path", metavar="FILE", help="the file to write")
    parser.add_argument("--split", default="test", choices=["train", "val", "test"], help="(default: %(default)s)")
    parser.add_argument("--views", type=int, default=2, help="cameras of each clip (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(default: %(default)s)")
    arguments = parser.parse_args()
    try:
        print(prepare_bench(**vars(arguments)))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
