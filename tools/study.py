"""The same as `poselift study`: python tools/study.py [--budget smoke|short|full]."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["study", *sys.argv[1:]])
