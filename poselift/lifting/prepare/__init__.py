"""Stage 1: a track of keypoints becomes what the network gets, and what is known of each frame."""
