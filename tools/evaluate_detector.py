"""Measures a detector's 2D keypoints on COCO: python tools/evaluate_detector.py --annotations FILE --images DIR."""

from poselift.cli.evaluate_detector import main

if __name__ == "__main__":
    main()
