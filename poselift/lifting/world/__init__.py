"""The world of a still camera: Y up, the ground at Y = 0."""
