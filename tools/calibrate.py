"""The same as `poselift calibrate`: python tools/calibrate.py FILE.safetensors --corpus FILE --bench FILE."""

import sys

from poselift.cli.main import main

if __name__ == "__main__":
    main(["calibrate", *sys.argv[1:]])
