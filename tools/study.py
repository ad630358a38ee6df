"""Trains and measures every mechanism: python tools/study.py [--budget smoke|full] [--corpus FILE --bench FILE]."""

from poselift.cli.study.command import main

if __name__ == "__main__":
    main()
