"""Plots for papers: one look, colours that colour-blind people can tell apart, units on every axis."""

from poselift.viz.plots.accuracy_cost import Method, cost_plot
from poselift.viz.plots.angle_panels import angle_plot, cycle_plot
from poselift.viz.plots.examples import Example, example_plot
from poselift.viz.plots.groups import Bars, group_plot
from poselift.viz.plots.joint_time import joint_plot
from poselift.viz.plots.over_time import Trace, time_plot
from poselift.viz.plots.pose import pose_plot
from poselift.viz.plots.share_found import Curve, curve_plot
from poselift.viz.plots.skeleton_diagram import Body, skeleton_plot
from poselift.viz.plots.strip import PictureCamera, strip_plot
from poselift.viz.plots.style import ENDINGS, MOST_SERIES, save_figure, save_plot
from poselift.viz.plots.training import Line, training_plot

__all__ = [
    "ENDINGS",
    "MOST_SERIES",
    "Bars",
    "Body",
    "Curve",
    "Example",
    "Line",
    "Method",
    "PictureCamera",
    "Trace",
    "angle_plot",
    "cost_plot",
    "curve_plot",
    "cycle_plot",
    "example_plot",
    "group_plot",
    "joint_plot",
    "pose_plot",
    "save_figure",
    "save_plot",
    "skeleton_plot",
    "strip_plot",
    "time_plot",
    "training_plot",
]
