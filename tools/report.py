"""The same as `poselift report`: python tools/report.py RUN [RUN ...] [--out DIR]."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["report", *sys.argv[1:]])
