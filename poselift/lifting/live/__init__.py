"""Lifting while frames arrive."""
