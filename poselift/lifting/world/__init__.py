"""People in the world: Y up, the ground at Y = 0."""
