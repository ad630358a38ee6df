"""Data to train and test on.

It has datasets, windows, augmentation, virtual cameras and detector-like noise.

All of it is batched tensor code on the device of the corpus, so that a training step never waits for data.
"""
