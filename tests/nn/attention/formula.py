"""Attention by loops over its formula, which the tests of mechanisms share."""

import itertools

import torch


def softmax(scores):
    return scores.exp() / scores.exp().sum()


def share(scores):
    return scores / scores.sum()


def scaled(head, q, k, i, j):
    """The score of scaled dot-product attention."""
    return q @ k / len(q) ** 0.5


def mix(heads, q, k, v, score, keys, weights=softmax):
    """The values mixed for one query, head and key at a time.

    `score(head, q, k, i, j)` is that of query i and key j, and `keys(row, head, i)` lists what query i looks at.
    """
    width = q.shape[-1] // heads
    mixed = torch.zeros_like(q)
    for row, head, i in itertools.product(range(len(q)), range(heads), range(q.shape[1])):
        part = slice(head * width, (head + 1) * width)
        if seen := keys(row, head, i):
            scores = torch.stack([score(head, q[row, i, part], k[row, j, part], i, j) for j in seen])
            mixed[row, i, part] = weights(scores) @ v[row, seen, part]
    return mixed


def visible(layer, mask, itself=True):
    """The `keys` of a layer that looks everywhere: the tokens that are there, and `itself`."""

    def keys(row, head, i):
        there = [j for j in range(mask.shape[1]) if mask[row, j] or (itself and i == j)]
        return [j for j in there if j <= i or not layer.causal]

    return keys


def everything(tokens):
    """The mask of tokens that are all there."""
    return torch.ones(tokens.shape[:2], dtype=torch.bool)
