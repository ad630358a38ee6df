"""The same as `poselift evaluate`: python tools/evaluate.py protocol=NAME data.KEY=VALUE ... [overrides]."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["evaluate", *sys.argv[1:]])
