"""Everybody in a clip: the pipeline around `lift`, and its warnings."""
