"""The camera's pose in each frame of a video, found from the background."""
