"""Plots for papers: one look, colours that colour-blind people can tell apart, units on every axis."""
