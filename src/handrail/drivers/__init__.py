"""Drivers do the I/O and decide nothing: they serve the effects of a state, and bring the inputs back."""
