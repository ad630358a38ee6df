"""The parts that lifters are built of: attention, feed-forward blocks, positions in time."""
