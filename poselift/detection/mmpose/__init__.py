"""Top-down pose estimation by MMPose (https://github.com/open-mmlab/mmpose); see docs/mmpose.md."""
