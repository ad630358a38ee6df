"""The same as `poselift train`: python tools/train.py [overrides]."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
