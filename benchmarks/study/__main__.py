"""python -m benchmarks.study."""

from benchmarks.study import main

if __name__ == "__main__":
    main()
