"""Numerical methods without scipy: time stamps, curves through samples, sliding windows, solvers."""
