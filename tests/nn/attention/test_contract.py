"""What holds for every mechanism of `ATTENTION`, whatever it computes."""

import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import ATTENTION, build_attention
from poselift.nn.positions import RotaryTime
from poselift.skeleton import H36M17

DIM, HEADS, ROWS, MEMORY = 16, 2, 3, 9
LENGTH = len(H36M17)
SPECS = {name: {"name": name} for name in ATTENTION}
SPECS["hierarchical"] |= {"skeleton": H36M17.name}
CAUSAL = [name for name, mechanism in ATTENTION.items() if mechanism.can_be_causal]
CROSS = [name for name, mechanism in ATTENTION.items() if mechanism.can_cross]
every = pytest.mark.parametrize("name", ATTENTION)
each_causal = pytest.mark.parametrize("name", CAUSAL)
each_cross = pytest.mark.parametrize("name", CROSS)


def build(name, depth=2, dtype=torch.float64, **options):
    """Layers with random biases too: many start at zero, where a mistake would not show."""
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(build_attention(SPECS[name], DIM, HEADS, depth, **options)).to(dtype)
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return layers.eval()


def through(layers, tokens, *arguments, **keywords):
    """The tokens after all layers, each a residual branch."""
    for layer in layers:
        tokens = tokens + layer(tokens, *arguments, **keywords)
    return tokens


def draw(*shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def some(*shape, seed=2):
    """A mask with its last row empty, and the others not."""
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
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_shape_and_dtype_stay(name, dtype, tokens):
    out = through(build(name, dtype=dtype), tokens.to(dtype), some(ROWS, LENGTH))
    assert (out.shape, out.dtype) == (tokens.shape, dtype)
    assert out.isfinite().all()


@every
def test_autocast_to_bfloat16_changes_little(name, tokens):
    layer = build(name, depth=1, dtype=torch.float32)[0]
    mask = some(ROWS, LENGTH)
    exact = layer(tokens.float(), mask)
    with torch.autocast("cpu", torch.bfloat16):
        rough = layer(tokens.float(), mask)
    assert rough.dtype == torch.bfloat16 or not list(layer.parameters())
    # Where a mechanism chooses (a key, a bucket), rounding may choose otherwise: the middle of the errors is judged.
    assert (rough - exact).abs().median() < 0.05 * exact.abs().max()


@every
@pytest.mark.parametrize("n", [1, 2, 12, 100])
def test_any_number_of_tokens(name, n):
    layers = build(name)
    if layers[0].length in (None, n):
        assert through(layers, draw(1, n, DIM)).isfinite().all()
    else:
        with pytest.raises(InputError, match=f"not {n} tokens"):
            layers[0](draw(1, n, DIM))


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
    before, after = through(layers, tokens, mask), through(layers, changed, mask)
    torch.testing.assert_close(after[mask], before[mask])
    everything = torch.ones_like(mask)
    torch.testing.assert_close(through(layers, tokens, everything), through(layers, tokens))
    assert not torch.allclose(through(layers, tokens)[mask], before[mask])


@every
def test_padding_at_the_end_changes_nothing_unless_length_counts(name, tokens):
    layers = build(name)
    if layers[0].length is None:
        padded = torch.cat((tokens, draw(ROWS, 6, DIM, seed=5)), 1)
        mask = torch.arange(LENGTH + 6).expand(ROWS, -1) < LENGTH
        short, long = through(layers, tokens), through(layers, padded, mask)[:, :LENGTH]
        assert torch.allclose(long, short) != layers[0].knows_length


@every
def test_rows_of_a_batch_are_apart(name, tokens):
    layers = build(name)
    torch.testing.assert_close(through(layers, tokens[:1]), through(layers, tokens)[:1])


@each_causal
@pytest.mark.parametrize("masked", [False, True])
def test_a_later_token_changes_nothing_earlier(name, masked, tokens):
    layers = build(name, causal=True)
    mask = some(ROWS, LENGTH) if masked else None
    before = through(layers, tokens, mask)
    for place in range(1, LENGTH):
        changed = tokens.clone()
        changed[:, place:] += draw(ROWS, LENGTH - place, DIM, seed=place)
        after = through(layers, changed, mask)
        torch.testing.assert_close(after[:, :place], before[:, :place])
    assert not torch.allclose(through(build(name), tokens)[:, :5], before[:, :5])


@each_cross
def test_it_looks_at_the_memory_and_not_at_what_is_masked_there(name, tokens, memory):
    layers, memory_mask = build(name, cross=True), some(ROWS, MEMORY)
    out = through(layers, tokens, memory=memory, memory_mask=memory_mask)
    assert out.shape == tokens.shape
    changed = torch.where(memory_mask[..., None], memory, 5 * draw(*memory.shape, seed=4))
    torch.testing.assert_close(through(layers, tokens, memory=changed, memory_mask=memory_mask), out)
    assert not torch.allclose(through(layers, tokens, memory=memory)[0], out[0])
    # A query sees the memory and itself: other queries are nothing to it.
    alone = through(layers[:1], tokens[:, 3:4], memory=memory)
    if not layers[0].knows_order:
        torch.testing.assert_close(alone, through(layers[:1], tokens, memory=memory)[:, 3:4])


@each_cross
def test_an_empty_memory_gives_what_no_memory_gives(name, tokens, memory):
    layer = build(name, depth=1, cross=True)[0]
    memory_mask = some(ROWS, MEMORY)  # its last row is empty
    memory.requires_grad_(True)
    out = layer(tokens, memory=memory, memory_mask=memory_mask)
    # The same for every query, whatever the memory: the bias of the output projection.
    torch.testing.assert_close(out[-1], out[-1, :1].expand(LENGTH, -1))
    out.square().sum().backward()
    assert memory.grad.isfinite().all()
    assert not memory.grad[-1].any()


@every
def test_what_it_cannot_do_it_refuses_when_it_is_built(name):
    if name not in CAUSAL:
        with pytest.raises(InputError, match="causal"):
            build(name, causal=True)
    if name not in CROSS:
        with pytest.raises(InputError, match="memory"):
            build(name, cross=True)
    with pytest.raises(InputError, match="choose one of the two"):
        build(name, causal=True, cross=True)
    with pytest.raises(InputError, match="a width of 16 cannot be split into 3 heads"):
        build_attention(SPECS[name], DIM, 3, 1)


@every
def test_a_memory_where_none_is_looked_at_is_an_error(name, tokens, memory):
    with pytest.raises(InputError, match="looks at no memory"):
        build(name)[0](tokens, memory=memory)
    if name in CROSS:
        with pytest.raises(InputError, match="needs a memory"):
            build(name, cross=True)[0](tokens)


@every
def test_permuted_tokens_give_the_permuted_result_unless_order_counts(name, tokens):
    layers = build(name)
    order = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(6))
    permuted, expected = through(layers, tokens[:, order]), through(layers, tokens)[:, order]
    assert torch.allclose(permuted, expected) != layers[0].knows_order


@every
def test_the_rotary_code_counts_where_it_is_taken_and_only_by_differences(name, tokens):
    layers = build(name)
    times = draw(ROWS, LENGTH, seed=7).cumsum(1).float()
    plain, turned = through(layers, tokens), through(layers, tokens, None, code(times))
    if layers[0].takes_rotation:
        assert not torch.allclose(plain, turned)
        torch.testing.assert_close(through(layers, tokens, None, code(times + 1.5)), turned, atol=1e-3, rtol=1e-3)
    else:
        assert torch.equal(plain, turned)


@every
@pytest.mark.parametrize("training", [False, True])
def test_a_seed_decides_everything(name, training, tokens):
    def run():
        layers = build(name).train(training)
        torch.manual_seed(5)
        return through(layers, tokens, some(ROWS, LENGTH))

    assert torch.equal(run(), run())


@every
def test_in_use_nothing_is_drawn(name, tokens):
    layers = build(name)
    assert torch.equal(through(layers, tokens), through(layers, tokens))


@every
def test_layers_start_different_and_their_state_loads(name, tokens):
    layers = build(name)
    other = torch.nn.ModuleList(build_attention(SPECS[name], DIM, HEADS, 2)).double().eval()
    assert torch.allclose(layers[0](tokens), layers[1](tokens)) != bool(list(layers.parameters()))
    other.load_state_dict(layers.state_dict())
    assert torch.equal(through(other, tokens), through(layers, tokens))


@every
def test_nothing_is_made_on_another_device(name):
    """A tensor made on the CPU would not go with tokens that are elsewhere."""
    layers = build(name, dtype=torch.float32).to("meta")
    try:
        out = through(
            layers, torch.zeros(ROWS, LENGTH, DIM, device="meta"), torch.ones(ROWS, LENGTH, device="meta") > 0
        )
    except (NotImplementedError, RuntimeError) as error:
        if "meta tensors" not in str(error):
            raise
        pytest.skip(f"what it does depends on the numbers: {error}")
    assert out.device.type == "meta"


def maps(layer, *arguments, **keywords):
    try:
        return layer.attention_map(*arguments, **keywords)
    except InputError as error:
        assert "no attention matrix" in str(error)  # noqa: PT017 - having none is allowed
        pytest.skip(str(error))


@every
def test_rows_of_the_map_sum_to_one_and_masked_tokens_have_no_part(name, tokens):
    layer, mask = build(name, depth=1)[0], some(ROWS, LENGTH)
    weights = maps(layer, tokens, mask)
    assert weights.shape == (ROWS, layer.heads, LENGTH, LENGTH)
    for row in range(ROWS - 1):
        assert not weights[row][:, mask[row]][..., ~mask[row]].any()
        if layer.normalised:
            sums = weights[row][:, mask[row]].sum(-1)
            torch.testing.assert_close(sums, torch.ones_like(sums))


@each_causal
def test_the_map_is_causal_too(name, tokens):
    layer = build(name, depth=1, causal=True)[0]
    assert not maps(layer, tokens).triu(1).any()


@each_cross
def test_the_map_of_a_memory_is_as_wide_as_it(name, tokens, memory):
    layer, memory_mask = build(name, depth=1, cross=True)[0], some(ROWS, MEMORY)
    weights = maps(layer, tokens, memory=memory, memory_mask=memory_mask)
    assert weights.shape == (ROWS, layer.heads, LENGTH, MEMORY)
    assert not weights.transpose(1, 3)[~memory_mask].any()


@every
def test_the_result_is_the_map_times_the_values(name, tokens):
    layer, mask = build(name, depth=1)[0], some(ROWS, LENGTH)
    weights = maps(layer, tokens, mask)
    inner = getattr(layer, "pairwise", layer)
    if not layer.exact_map:
        pytest.skip("the map is a picture of what happens, and not all of it")
    captured = []
    inner.out.register_forward_pre_hook(lambda _, arguments: captured.append(arguments[0]))
    layer(tokens, mask)
    values = value_projection(inner, tokens, mask)
    mixed = (weights @ values).transpose(1, 2).flatten(2)
    torch.testing.assert_close(captured[0][mask], mixed[mask])


def value_projection(layer, tokens, mask):
    if hasattr(layer, "weights_and_values"):
        return layer.project(tokens, mask, None, None, None)[2]
    name = next(name for name in ("qkv", "kv", "values", "value") if hasattr(layer, name))
    values = getattr(layer, name)(tokens)[..., -DIM:]  # the last of what is projected
    return values.unflatten(-1, (layer.heads, -1)).transpose(1, 2)
