"""The parts of lifters: attention, feed-forward blocks, positions in time."""
