"""Motion to train and test on: sources, windows, augmentation, virtual cameras, detector-like noise.

All of it is batched tensor code that runs where the corpus lives, so that a training step never waits.
"""
