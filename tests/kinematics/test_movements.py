from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics.movements import (
    find_centre_of_mass,
    find_jumps,
    find_repetitions,
    measure_sway,
    time_up_and_go,
)
from poselift.structures import Height
from tests.kinematics.conftest import pose, turn

FPS = 60.0
LEG = 0.82


def at(heights, ahead=0.0, **about):
    """A standing body, arms out, whose pelvis is at these heights and places ahead."""
    heights = np.asarray(heights, np.float64)
    root = np.stack([0 * heights, heights, ahead + 0 * heights], 1)
    return pose(frames=len(heights), fps=FPS, root=root, **about)


def squat(depths):
    """A body whose hips go down by these ways, with the knees that this needs."""
    bend = np.degrees(2 * np.arccos(np.clip(1 - np.asarray(depths) / LEG, -1, 1)))
    turns = {f"{side}_hip": turn("x", -bend / 2) for side in ("left", "right")}
    turns |= {f"{side}_knee": turn("x", bend) for side in ("left", "right")}
    return pose(turns, frames=len(bend), fps=FPS, root=np.stack([0 * bend, 0.95 - np.asarray(depths), 0 * bend], 1))


@pytest.mark.parametrize("flight", [0.3, 0.5])
def test_a_jump_has_the_height_of_its_flight(flight):
    seconds = np.arange(0, 3, 1 / FPS)
    stretch = 0.1 * LEG
    air = seconds - 1.5
    up = np.where(np.abs(air) < flight / 2, 9.81 / 2 * ((flight / 2) ** 2 - air**2) + stretch, 0)
    # Onto the toes, and back onto the heels.
    near = (np.abs(air) >= flight / 2) & (np.abs(air) < flight / 2 + 0.1)
    up[near] = stretch * (1 - (np.abs(air[near]) - flight / 2) / 0.1)
    found = find_jumps(at(0.95 + up))
    assert len(found) == 1
    assert found[0].flight == pytest.approx(flight, abs=0.04)
    assert abs(found[0].height - 9.81 * flight**2 / 8) < found[0].height_uncertainty
    assert found[0].rise == pytest.approx(9.81 * flight**2 / 8 + stretch, abs=0.01)
    sized = find_jumps(at(0.95 + up, height=Height(1.7, 0.17)))[0]
    assert sized.rise_uncertainty > found[0].rise_uncertainty
    assert sized.height_uncertainty == found[0].height_uncertainty, "a fall needs no size"


def test_who_hops_most_of_the_time_stands_where_the_feet_rest():
    """The hips' commonest height is that of the bent knees between hops, or that in the air."""
    phase = np.arange(0, 6, 1 / FPS) % 0.6
    air = np.clip(1 - ((phase - 0.3) / 0.15) ** 2, 0, None) * 0.12
    knees = np.where(air > 0, 0.0, 0.06)
    body = squat(knees)
    standing = body.joints[:, body.skeleton.index("pelvis")].mean()
    hops = find_jumps(replace(body, root=body.root + np.stack([0 * air, air, 0 * air], 1)))
    assert len(hops) in (9, 10)
    for hop in hops:
        assert hop.rise == pytest.approx(0.12 + standing, abs=0.07)
        assert 0.1 < hop.rise < 0.2


def test_who_stands_on_the_toes_has_not_jumped():
    """A second in the air would be 1.2 m high."""
    up = np.where(np.abs(np.arange(0, 4, 1 / FPS) - 2) < 0.5, 0.11, 0.0)
    assert find_jumps(at(0.95 + up)) == []


def test_who_stands_or_goes_up_a_step_has_not_jumped():
    assert find_jumps(at(np.full(120, 0.95))) == []
    assert find_jumps(at(np.concatenate([np.full(60, 0.95), np.full(60, 1.15)]))) == [], "it never comes down"


@pytest.mark.parametrize("count", [1, 5])
def test_squats_are_counted_with_depth_time_and_knees(count):
    seconds = np.arange(0, 2 * count + 1, 1 / FPS)
    inside = (seconds > 0.5) & (seconds < 0.5 + 2 * count)
    depth = np.where(inside, 0.15 * (1 - np.cos(2 * np.pi * (seconds - 0.5) / 2)), 0)
    found = find_repetitions(squat(depth))
    assert len(found) == count
    expected = np.degrees(2 * np.arccos(1 - 0.3 / LEG))
    for number, each in enumerate(found):
        assert each.depth == pytest.approx(0.3, abs=0.02)
        assert each.depth_uncertainty == pytest.approx(0.22 * each.depth), "for a known height too"
        assert each.knees == pytest.approx((expected, expected), abs=2)
        assert each.knee_symmetry == pytest.approx(0, abs=0.1)
        assert each.down == pytest.approx(0.59, abs=0.06), "from a tenth to nine tenths of a cosine of 1 s"
        assert each.up == pytest.approx(0.59, abs=0.06)
        assert each.low == pytest.approx(1.5 + 2 * number, abs=0.25)


def test_a_clip_that_begins_on_the_seat_has_a_way_up_alone():
    seconds = np.arange(0, 4, 1 / FPS)
    depth = 0.3 * (0.5 - 0.5 * np.tanh((seconds - 2) * 4))
    (found,) = find_repetitions(squat(depth))
    assert np.isnan(found.down)
    assert found.up == pytest.approx(0.55, abs=0.1)


def test_the_timed_up_and_go_has_its_moments():
    seconds = np.arange(0, 12, 1 / FPS)
    depth = 0.35 * (np.clip(1.5 - seconds, 0, 1) + np.clip(seconds - 10.5, 0, 1))
    ahead = np.interp(seconds, [1.5, 5.5, 6.0, 10.0], [0.0, 3.0, 3.0, 0.0])
    motion = squat(depth)
    root = motion.root.copy()
    root[:, 2] = ahead
    test = time_up_and_go(replace(motion, root=root))
    assert test.start == pytest.approx(0.6, abs=0.15)
    assert test.end == pytest.approx(11.4, abs=0.15)
    assert test.total == pytest.approx(10.8, abs=0.25)
    assert test.distance == pytest.approx(3.0, abs=0.05)
    assert 5.4 < test.turned < 6.1
    with pytest.raises(InputError, match="does not sit at the start"):
        time_up_and_go(squat(0 * depth))
    with pytest.raises(InputError, match="less than 1 m"):
        time_up_and_go(motion)


def test_sway_is_that_of_the_centre_of_mass():
    seconds = np.arange(0, 20, 1 / FPS)
    motion = at(np.full(len(seconds), 0.95))
    root = motion.root.copy()
    root[:, 0] += 0.02 * np.sin(2 * np.pi * 0.3 * seconds)
    found = measure_sway(replace(motion, root=root))
    assert found.across == pytest.approx(0.02 / np.sqrt(2), rel=0.05)
    assert found.along < 1e-6
    assert found.path == pytest.approx(4 * 0.02 * 0.3 * 20, rel=0.05)
    with pytest.raises(InputError, match="the person moves"):
        measure_sway(at(np.full(180, 0.95), np.linspace(0, 2, 180)))
    with pytest.raises(InputError, match="2 s without a gap"):
        measure_sway(at(np.full(30, 0.95)))


def test_the_centre_of_mass_of_a_standing_body_is_near_its_hips():
    body = at(np.full(3, 0.95))
    centre = find_centre_of_mass(body)
    assert np.allclose(centre[:, 0], 0, atol=1e-6)
    assert 0 < centre[0, 1] - 0.90 < 0.2, "arms out, a little above the hips"
    raised = find_centre_of_mass(at(np.full(3, 1.05)))
    assert np.allclose(raised - centre, [0, 0.1, 0])


def test_movements_need_a_world():
    for measure in (find_jumps, find_repetitions, time_up_and_go, measure_sway):
        with pytest.raises(InputError, match="lift with --world"):
            measure(at(np.full(30, 0.95), frame="camera"))
