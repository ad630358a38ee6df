"""The same as `poselift lift`: python tools/lift_video.py [VIDEO] [--out DIR]."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["lift", *sys.argv[1:]])
