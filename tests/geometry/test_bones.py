import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from poselift.geometry import bone_lengths, bone_vectors, points_from_bones, set_bone_lengths


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
    assert_close(bone_lengths(points, parents), torch.tensor([0.0, 5, 2]))
    assert_close(bone_lengths(points, (1, 2, -1)), torch.tensor([5.0, 2, 0]))


def test_an_unknown_bone_leaves_the_others():
    vectors = torch.ones(4, 3)
    vectors[1] = math.nan
    points = points_from_bones(vectors, torch.zeros(3), (-1, 0, 1, 0))
    assert points.isnan().any(-1).tolist() == [False, True, True, False]


def test_other_lengths_keep_root_and_directions():
    points = torch.randn(4, 5, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    parents, lengths = (3, 0, 0, -1, 3), torch.tensor([0.4, 0.3, 0.2, 9.0, 0.1], dtype=torch.float64)
    placed = set_bone_lengths(points, lengths, parents)
    assert_close(placed[:, 3], points[:, 3])
    lengths[3] = 0
    assert_close(bone_lengths(placed, parents), lengths.expand(4, -1))
    before, after = (torch.nn.functional.normalize(bone_vectors(x, parents), dim=-1) for x in (points, placed))
    assert_close(after, before)


def test_a_bone_without_length_has_no_direction_to_grow_in():
    points = set_bone_lengths(torch.zeros(2, 3), torch.ones(2), (-1, 0))
    assert (points == 0).all()


@pytest.mark.parametrize("function", [bone_vectors, lambda x, p: points_from_bones(x, x[0], p)])
@pytest.mark.parametrize("parents", [(-1, 0), (-1, -1, 0), (-1, 2, 1), (-1, 0, -2)])
def test_what_is_not_a_tree_is_refused(function, parents):
    with pytest.raises(ValueError, match="parents"):
        function(torch.zeros(3, 3), parents)
