"""Training of lifters in Lightning."""
