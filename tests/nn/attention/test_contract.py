"""What holds for every mechanism of `ATTENTION`, whatever it computes."""

import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import ATTENTION, AttentionContext, build_attention
from poselift.nn.positions import RotaryTime
from poselift.skeleton import H36M17

DIM, HEADS, ROWS, MEMORY = 16, 2, 3, 9
LENGTH = len(H36M17)
SPECS = {name: {"name": name} for name in ATTENTION}
SPECS["hierarchical"] |= {"skeleton": H36M17.name}
CAUSAL = [name for name, mechanism in ATTENTION.items() if mechanism.can_be_causal]
CROSS = [name for name, mechanism in ATTENTION.items() if mechanism.can_cross]
WITHOUT_MAP = ["fnet", "fastformer"]
WITH_MAP = [name for name in ATTENTION if name not in WITHOUT_MAP]
every = pytest.mark.parametrize("name", ATTENTION)
each_causal = pytest.mark.parametrize("name", CAUSAL)
each_cross = pytest.mark.parametrize("name", CROSS)


def build(name, depth=None, dtype=torch.float64, **options):
    """Layers with random biases too: many start at zero, where a mistake would not show.

    One layer will do, except where the second works in another way.
    """
    torch.manual_seed(0)
    depth = depth or (2 if name == "shared" else 1)
    layers = torch.nn.ModuleList(build_attention(SPECS[name], DIM, HEADS, depth, **options)).to(dtype)
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return layers.eval()


def through(layers, tokens, *rest, **others):
    """Tokens after all layers, each a residual branch; the arguments are those of `AttentionContext`."""
    for layer in layers:
        tokens = tokens + layer(AttentionContext(tokens, *rest, **others))
    return tokens


def draw(*shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def some(*shape, seed=2):
    """A mask with an empty last row; the other rows are not empty."""
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) > 0.4
    mask[:-1, 0], mask[:-1, 2], mask[-1] = True, False, False
    return mask


def code(times):
    return RotaryTime(DIM // HEADS)(times).double()


@pytest.fixture
def tokens():
    return draw(ROWS, LENGTH, DIM)


@pytest.fixture
def memory():
    return draw(ROWS, MEMORY, DIM, seed=3)


@every
def test_shape_and_dtype_stay_under_autocast_too(name, tokens):
    layer, tokens, mask = build(name, dtype=torch.float32)[0], tokens.float(), some(ROWS, LENGTH)
    exact = layer(AttentionContext(tokens, mask))
    assert (exact.shape, exact.dtype) == (tokens.shape, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        rough = layer(AttentionContext(tokens, mask))
    assert rough.dtype == torch.bfloat16 or not list(layer.parameters())
    # Where a mechanism chooses (a key, a bucket), rounding may choose otherwise: the middle of the errors is judged.
    assert (rough - exact).abs().median() < 0.05 * exact.abs().max()


@every
def test_any_number_of_tokens(name):
    layers = build(name)
    for n in (1, 2, 12, 70):
        if layers[0].length in (None, n):
            assert through(layers, draw(1, n, DIM)).isfinite().all()
        else:
            with pytest.raises(InputError, match=f"got {n} tokens"):
                through(layers, draw(1, n, DIM))


@every
def test_every_parameter_gets_a_gradient_and_none_is_nan(name, tokens):
    layers = build(name).train()
    tokens.requires_grad_(True)
    through(layers, tokens, some(ROWS, LENGTH)).square().sum().backward()
    gradients = {key: parameter.grad for key, parameter in layers.named_parameters()}
    assert [key for key, gradient in gradients.items() if gradient is None or not gradient.any()] == []
    assert all(gradient.isfinite().all() for gradient in gradients.values())
    assert tokens.grad.isfinite().all()


@every
def test_a_masked_token_changes_nothing(name, tokens):
    layers, mask = build(name), some(ROWS, LENGTH)
    changed = torch.where(mask[..., None], tokens, 5 * draw(*tokens.shape, seed=4))
    masks = torch.cat((mask, mask, torch.ones_like(mask)))
    before, after, unmasked = through(layers, torch.cat((tokens, changed, tokens)), masks).chunk(3)
    torch.testing.assert_close(after[mask], before[mask])
    whole = through(layers, tokens)
    torch.testing.assert_close(unmasked, whole)
    assert not torch.allclose(whole[mask], before[mask])
    torch.testing.assert_close(through(layers, tokens[:1]), whole[:1], msg="rows of a batch are apart")


@each_causal
def test_a_later_token_changes_nothing_earlier(name, tokens):
    layers = build(name, causal=True)
    tokens, places = tokens[1:], (1, 7, 8, 16)
    for mask in (None, some(ROWS, LENGTH)[1:]):
        rows = [tokens]
        for place in places:
            later = torch.arange(LENGTH)[:, None] >= place
            rows.append(torch.where(later, draw(*tokens.shape, seed=place), tokens))
        before, *after = through(layers, torch.cat(rows), mask if mask is None else mask.repeat(5, 1)).chunk(5)
        for place, changed in zip(places, after, strict=True):
            torch.testing.assert_close(changed[:, :place], before[:, :place])
        if mask is None:
            assert not torch.allclose(through(build(name), tokens)[:, :5], before[:, :5])


@each_cross
def test_it_looks_at_the_memory_and_not_at_what_is_masked_there(name, tokens, memory):
    layers, memory_mask = build(name, cross=True), some(ROWS, MEMORY)
    out = through(layers, tokens, memory=memory, memory_mask=memory_mask)
    assert out.shape == tokens.shape
    changed = torch.where(memory_mask[..., None], memory, 5 * draw(*memory.shape, seed=4))
    torch.testing.assert_close(through(layers, tokens, memory=changed, memory_mask=memory_mask), out)
    assert not torch.allclose(through(layers, tokens, memory=memory)[0], out[0])
    # A query sees the memory and itself, and no other query.
    if not layers[0].knows_order:
        alone = through(layers[:1], tokens[:, 3:4], memory=memory)
        torch.testing.assert_close(alone, through(layers[:1], tokens, memory=memory)[:, 3:4])


@each_cross
def test_an_empty_memory_gives_what_no_memory_gives(name, tokens, memory):
    layer = build(name, cross=True)[0]
    memory_mask = some(ROWS, MEMORY)  # its last row is empty
    memory.requires_grad_(True)
    out = layer(AttentionContext(tokens, memory=memory, memory_mask=memory_mask))
    # The same for every query, whatever the memory: the bias of the output projection.
    torch.testing.assert_close(out[-1], out[-1, :1].expand(LENGTH, -1))
    out.square().sum().backward()
    assert memory.grad.isfinite().all()
    assert not memory.grad[-1].any()


@every
def test_it_refuses_what_it_cannot_do(name, tokens, memory):
    if name not in CAUSAL:
        with pytest.raises(InputError, match="cannot be causal"):
            build(name, causal=True)
    if name in CROSS:
        with pytest.raises(InputError, match="needs a memory"):
            build(name, cross=True)[0](AttentionContext(tokens))
    else:
        with pytest.raises(InputError, match="cannot look at a memory"):
            build(name, cross=True)
    layer = build(name)[0]
    for call in (layer, layer.attention_map):
        with pytest.raises(InputError, match="looks at no memory; build it with cross=True"):
            call(AttentionContext(tokens, memory=memory))
    with pytest.raises(InputError, match="choose one of the two"):
        build(name, causal=True, cross=True)
    with pytest.raises(InputError, match="a width of 16 cannot be split into 3 heads"):
        build_attention(SPECS[name], DIM, 3, 1)


@every
def test_permuted_tokens_give_the_permuted_result_unless_order_counts(name, tokens):
    layers = build(name)
    order = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(6))
    permuted, plain = through(layers, torch.cat((tokens[:, order], tokens))).chunk(2)
    assert torch.allclose(permuted, plain[:, order]) != layers[0].knows_order


@every
def test_the_rotary_code_counts_where_it_is_taken_and_only_by_differences(name, tokens):
    layers = build(name)
    times = draw(ROWS, LENGTH, seed=7).cumsum(1).float()
    twice, codes = torch.cat((tokens, tokens)), torch.cat((code(times), code(times + 1.5)))
    plain, (turned, later) = through(layers, tokens), through(layers, twice, None, codes).chunk(2)
    if layers[0].takes_rotation:
        assert not torch.allclose(plain, turned)
        torch.testing.assert_close(later, turned, atol=1e-3, rtol=1e-3)
    else:
        torch.testing.assert_close(plain, turned)


@every
def test_a_seed_decides_training_and_nothing_is_drawn_in_eval_mode(name, tokens):
    def train():
        layers = build(name).train()
        torch.manual_seed(5)
        return through(layers, tokens, some(ROWS, LENGTH))

    assert torch.equal(train(), train())
    layers = build(name)
    assert torch.equal(through(layers, tokens), through(layers, tokens))


@every
def test_layers_start_different_and_their_state_loads(name, tokens):
    layers = build(name, depth=2)
    other = torch.nn.ModuleList(build_attention(SPECS[name], DIM, HEADS, 2)).double().eval()
    one, two = (layer(AttentionContext(tokens)) for layer in layers)
    assert torch.allclose(one, two) != bool(list(layers.parameters()))
    other.load_state_dict(layers.state_dict())
    assert torch.equal(through(other, tokens), through(layers, tokens))


@every
def test_nothing_is_made_on_another_device(name):
    """A tensor made on the CPU would not go with tokens that are elsewhere."""
    layers = build(name, dtype=torch.float32).to("meta")
    mask = torch.ones(ROWS, LENGTH, device="meta") > 0
    try:
        out = through(layers, torch.zeros(ROWS, LENGTH, DIM, device="meta"), mask)
    except (NotImplementedError, RuntimeError) as error:
        if "meta tensors" not in str(error):
            raise
        pytest.skip(f"what it does depends on the numbers: {error}")
    assert out.device.type == "meta"


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, {}) for name in WITH_MAP]
    + [(name, {"causal": True}) for name in WITH_MAP if name in CAUSAL]
    + [(name, {"cross": True}) for name in WITH_MAP if name in CROSS],
)
def test_the_result_is_the_map_times_the_values(name, options, tokens, memory):
    """Rows sum to 1, masked tokens have no part, and a causal map does not look ahead."""
    layer, mask, memory_mask = build(name, **options)[0], some(ROWS, LENGTH), some(ROWS, MEMORY)
    context = AttentionContext(tokens, mask)
    if layer.cross:
        context = AttentionContext(tokens, memory=memory, memory_mask=memory_mask)
        mask = torch.ones_like(mask)
        mask[-1] = False  # its memory is empty
    weights = layer.attention_map(context)
    assert weights.shape == (ROWS, layer.heads, LENGTH, context.source.shape[1])
    for row in range(ROWS - 1):
        seen = weights[row][:, mask[row]]
        assert not seen[..., ~context.source_mask[row]].any()
        if layer.normalised:
            torch.testing.assert_close(seen.sum(-1), torch.ones_like(seen[..., 0]))
    assert not layer.causal or not weights.triu(1).any()
    if name == "longformer":  # its global tokens have values of their own
        return
    inner, captured = getattr(layer, "pairwise", layer), []
    inner.out.register_forward_pre_hook(lambda _, arguments: captured.append(arguments[0]))
    layer(context)
    mixed = (weights @ value_projection(inner, context)).transpose(1, 2).flatten(2)
    torch.testing.assert_close(captured[0][mask], mixed[mask])


def value_projection(layer, context):
    if hasattr(layer, "project"):
        return layer.project(context)[2]
    name = next(name for name in ("qkv", "kv", "values", "value") if hasattr(layer, name))
    values = getattr(layer, name)(context.source)[..., -DIM:]  # the last of what is projected
    return values.unflatten(-1, (layer.heads, -1)).transpose(1, 2)
