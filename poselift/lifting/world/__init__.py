"""A still camera's world: Y up, the ground at Y = 0."""
