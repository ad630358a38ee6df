"""Plots for papers in one style, for colour-blind readers too. Units are on every axis."""
