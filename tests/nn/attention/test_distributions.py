import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention.distributions import (
    DISTRIBUTIONS,
    entmax,
    get_distribution,
    proportional,
    sigmoid,
    softmax,
    sparsemax,
)

SIMPLEX = [name for name in DISTRIBUTIONS if name != "sigmoid"]


@pytest.fixture
def scores():
    return 3 * torch.randn(40, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def draw(name, scores):
    return scores.exp() if name == "proportional" else scores


def nearest_on_the_simplex(z):
    """Projection by trying every support: the one whose solution is feasible and nearest."""
    best, distance = None, float("inf")
    order = z.argsort(descending=True)
    for size in range(1, len(z) + 1):
        p = torch.zeros_like(z)
        chosen = order[:size]
        p[chosen] = z[chosen] - (z[chosen].sum() - 1) / size
        if (p >= 0).all() and (p - z).square().sum() < distance:
            best, distance = p, (p - z).square().sum()
    return best


def test_softmax_and_sigmoid_are_their_formulas():
    scores = torch.tensor([[0.0, 1.0, 2.0]])
    allowed = torch.tensor([[True, False, True]])
    e = torch.tensor(2.0).exp()
    torch.testing.assert_close(softmax(scores, allowed), torch.tensor([[1 / (1 + e), 0.0, e / (1 + e)]]))
    # 1 / (1 + exp(-(s - log 2))) = 1 / (1 + 2 exp(-s)), two keys being allowed
    torch.testing.assert_close(sigmoid(scores, allowed), torch.tensor([[1 / 3, 0.0, 1 / (1 + 2 / e)]]))
    torch.testing.assert_close(sigmoid(scores)[0, 0], torch.tensor(1 / 4))
    torch.testing.assert_close(proportional(scores, allowed), torch.tensor([[0.0, 0.0, 1.0]]))


def test_sparsemax_is_the_nearest_point_of_the_simplex(scores):
    for row in scores:
        torch.testing.assert_close(sparsemax(row), nearest_on_the_simplex(row))
    torch.testing.assert_close(sparsemax(torch.tensor([1.0, 0.5, -1.0])), torch.tensor([0.75, 0.25, 0.0]))


def test_entmax_solves_its_equation(scores):
    """At alpha = 1.5 the weights are max(s / 2 - tau, 0)^2 with tau such that they sum to 1."""
    weights = entmax(scores)
    torch.testing.assert_close(weights.sum(-1), torch.ones(40, dtype=torch.float64))
    for row, z in zip(weights, scores / 2, strict=True):
        inside = row > 0
        taus = z[inside] - row[inside].sqrt()
        torch.testing.assert_close(taus, taus[:1].expand_as(taus))
        assert (z[~inside] <= taus[0] + 1e-9).all()


def test_entmax_goes_from_softmax_to_sparsemax(scores):
    assert torch.equal(entmax(scores, alpha=1.0), softmax(scores))
    torch.testing.assert_close(entmax(scores, alpha=1.0001), softmax(scores), atol=1e-3, rtol=0)
    assert torch.equal(entmax(scores, alpha=2.0), sparsemax(scores))
    torch.testing.assert_close(entmax(scores, alpha=1.9999), sparsemax(scores), atol=1e-3, rtol=0)
    zeros = [(entmax(scores, alpha=alpha) == 0).sum() for alpha in (1.0, 1.25, 1.5, 2.0)]
    assert zeros == sorted(zeros)
    assert zeros[0] == 0


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_gradient_is_that_of_finite_differences(name):
    generator = torch.Generator().manual_seed(3)
    scores = draw(name, torch.randn(2, 5, dtype=torch.float64, generator=generator)).requires_grad_(True)
    allowed = torch.ones(2, 5, dtype=torch.bool)
    allowed[0, :2] = False
    assert torch.autograd.gradcheck(lambda s: DISTRIBUTIONS[name](s, allowed), scores, atol=1e-5)
    assert torch.autograd.gradcheck(DISTRIBUTIONS[name], scores, atol=1e-5)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_what_is_not_allowed_has_no_weight_and_changes_none(name, scores):
    function, scores = DISTRIBUTIONS[name], draw(name, scores)
    allowed = torch.rand(40, 9, generator=torch.Generator().manual_seed(1)) > 0.5
    allowed[:, 0], allowed[0] = True, False
    weights = function(scores, allowed)
    assert not weights[~allowed].any()
    torch.testing.assert_close(function(torch.where(allowed, scores, 1e6), allowed), weights)
    torch.testing.assert_close(function(scores[1][allowed[1]]), weights[1][allowed[1]])
    if name in SIMPLEX:
        expected = torch.ones(40, dtype=torch.float64)
        expected[0] = 0  # where nothing is allowed
        torch.testing.assert_close(weights.sum(-1), expected)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_gradient_is_finite_where_nothing_is_allowed_and_scores_are_large(name):
    scores = draw(name, torch.tensor([[0.0, 1.0], [80.0, -80.0]])).requires_grad_(True)
    weights = DISTRIBUTIONS[name](scores, torch.tensor([[False, False], [True, True]]))
    weights[:, 0].sum().backward()
    assert weights.isfinite().all()
    assert scores.grad.isfinite().all()
    assert not scores.grad[0].any()


def test_by_name():
    assert get_distribution("sparsemax") is sparsemax
    scores = torch.tensor([0.3, 0.1, -0.4])
    torch.testing.assert_close(get_distribution("entmax", 1.2)(scores, None), entmax(scores, None, 1.2))
    with pytest.raises(InputError, match="no distribution is called 'sofmax'; did you mean 'softmax'"):
        get_distribution("sofmax")
    with pytest.raises(InputError, match="distribution softmax has no alpha"):
        get_distribution("softmax", 1.5)
    with pytest.raises(InputError, match=r"alpha of entmax is 2.5; choose a number from 1 \(softmax\) to 2"):
        get_distribution("entmax", 2.5)
