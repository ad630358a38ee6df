from dataclasses import replace

import pytest

from poselift.several_views.observations import TO_SPREAD
from poselift.several_views.report import CameraReport, Report, describe_bounds


def make_report(*turned, sized):
    """A report of cameras that are turned, and sizes that are off, by at most this: degrees and per cent."""
    cameras = tuple(CameraReport(f"c{k}", 1.0, 1.0, angle / TO_SPREAD, 0.0, 1.0) for k, angle in enumerate(turned))
    return Report(cameras, (), 2.0, sized / 1.645, ())


@pytest.mark.parametrize(
    ("turned", "sized", "unsure"), [(2.4, 4.8, False), (2.6, 4.8, True), (2.4, 5.2, True), (0.0, 0.0, False)]
)
def test_what_one_should_not_accept(turned, sized, unsure):
    assert make_report(0.0, turned, sized=sized).unsure == unsure


def test_the_line_says_how_far_off_and_what_helps():
    report = make_report(0.0, 6.2, sized=13.2)
    assert describe_bounds(report, 50.0, assumed=True) == (
        "the cameras may be turned by up to 6.2 degrees and all sizes may be off by up to 13 % (nine takes of ten are "
        "within that); what helps: --height, --fov, a third camera, 60 to 120 degrees between cameras, a longer take "
        "in which people walk through the space and turn"
    )
    # Nobody is told to do what is done.
    assert describe_bounds(make_report(0.0, 1.0, 3.4, sized=1.6), 85.0, assumed=False) == (
        "camera c2 may be turned by up to 3.4 degrees (nine takes of ten are within that); what helps: a longer take "
        "in which people walk through the space and turn"
    )
    assert describe_bounds(replace(report, cameras=report.cameras[:1]), 85.0, assumed=True) == (
        "all sizes may be off by up to 13 % (nine takes of ten are within that); what helps: --height"
    )
