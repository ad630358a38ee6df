"""The same as the console script: python -m poselift COMMAND ..."""

from poselift.cli.main import main

if __name__ == "__main__":
    main()
