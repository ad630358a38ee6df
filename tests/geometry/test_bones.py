import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from poselift.geometry import bone_lengths, bone_vectors, points_from_bones


@st.composite
def trees(draw):
    """A tree of up to 8 joints in any order."""
    n = draw(st.integers(1, 8))
    order = draw(st.permutations(range(n)))
    parents = [-1] * n
    for place in range(1, n):
        parents[order[place]] = order[draw(st.integers(0, place - 1))]
    return tuple(parents)


@given(trees(), st.integers(0, 1000))
@settings(max_examples=30, derandomize=True)
def test_points_and_bones_are_inverse(parents, seed):
    points = torch.randn(2, len(parents), 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    root = points[:, parents.index(-1)]
    vectors = bone_vectors(points, parents)
    assert_close(points_from_bones(vectors, root, parents), points)
    assert (vectors[:, parents.index(-1)] == 0).all()


def test_by_hand():
    points = torch.tensor([[0.0, 0, 0], [3, 4, 0], [3, 4, 2]])
    parents = (-1, 0, 1)
    assert_close(bone_vectors(points, parents), torch.tensor([[0.0, 0, 0], [3, 4, 0], [0, 0, 2]]))
    assert_close(bone_lengths(points, parents), torch.tensor([5.0, 2]))
    assert_close(bone_lengths(points, (1, 2, -1)), torch.tensor([5.0, 2]))


def test_an_unknown_bone_leaves_the_others():
    vectors = torch.ones(4, 3)
    vectors[1] = math.nan
    points = points_from_bones(vectors, torch.zeros(3), (-1, 0, 1, 0))
    assert points.isnan().any(-1).tolist() == [False, True, True, False]


@pytest.mark.parametrize("function", [bone_vectors, bone_lengths, lambda x, p: points_from_bones(x, x[0], p)])
@pytest.mark.parametrize("parents", [(-1, 0), (-1, -1, 0), (0, 0, 1), (-1, 2, 1), (-1, 0, 3), (-1, 0, -2)])
def test_what_is_not_a_tree_is_refused(function, parents):
    with pytest.raises(ValueError, match="parents"):
        function(torch.zeros(3, 3), parents)
