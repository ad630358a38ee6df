"""The camera's pose in each frame, found from the background."""
