import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext
from poselift.nn.attention.hierarchical import HierarchicalAttention, limb_of
from poselift.skeleton import H36M17, SKELETONS

LIMBS = {"trunk", "head", "left_arm", "right_arm", "left_leg", "right_leg"}


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=lambda skeleton: skeleton.name)
def test_every_joint_is_in_a_limb_of_its_side(skeleton):
    for joint in skeleton.joints:
        limb = limb_of(joint)
        assert limb in LIMBS
        side = joint.split("_")[0]
        assert limb.startswith(side) or side not in ("left", "right") or limb == "head"


def test_agrees_with_the_formula():
    torch.manual_seed(0)
    layer = HierarchicalAttention(12, 3, skeleton="h36m17").double()
    tokens = torch.randn(1, 17, 12, dtype=torch.float64)
    mask = torch.ones(1, 17, dtype=torch.bool)
    mask[0, H36M17.indices(["left_knee", "right_shoulder", "right_elbow", "right_wrist", "head_top"])] = False
    values = layer.values(tokens[0])

    def score(level, head, vector):
        return level.context[head] @ level.hidden(vector).tanh()[4 * head : 4 * head + 4]

    limbs = {}
    for name in LIMBS:
        joints = [j for j, joint in enumerate(H36M17.joints) if limb_of(joint) == name and mask[0, j]]
        parts = []
        for head in range(3):
            scores = [score(layer.joint_score, head, tokens[0, j]).exp() for j in joints]
            part = values[:, 4 * head : 4 * head + 4]
            parts.append(sum((s / sum(scores) * part[j] for s, j in zip(scores, joints, strict=True)), torch.zeros(4)))
        if joints:
            limbs[name] = torch.cat(parts)
    assert set(LIMBS) - set(limbs) == {"right_arm", "head"}
    body = torch.cat(
        [
            sum(
                score(layer.limb_score, head, limb).exp()
                / sum(score(layer.limb_score, head, other).exp() for other in limbs.values())
                * limb[4 * head : 4 * head + 4]
                for limb in limbs.values()
            )
            for head in range(3)
        ]
    )
    out = layer(AttentionContext(tokens, mask))
    for j, joint in enumerate(H36M17.joints):
        if mask[0, j]:
            torch.testing.assert_close(out[0, j], layer.out((limbs[limb_of(joint)] + body) / 2))


def test_tokens_that_are_not_the_skeletons_joints_are_refused():
    with pytest.raises(InputError, match="the 28 joints of cmu28 and got 12 tokens"):
        HierarchicalAttention(12, 3)(AttentionContext(torch.zeros(1, 12, 12)))
    with pytest.raises(InputError, match="no skeleton is called 'nonsense'"):
        HierarchicalAttention(12, 3, skeleton="nonsense")
