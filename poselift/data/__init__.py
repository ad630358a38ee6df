"""Data to train and test on.

Datasets, windows, augmentation, virtual cameras, detector-like noise.

All of it is batched tensor code on the device of the corpus, so that a training step never waits for data.
"""
