"""Stage 1: a track of keypoints becomes the network's input. And what is known of each frame."""
