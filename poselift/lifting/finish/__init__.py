"""Stage 3: the joints that the network gives become a motion."""
