"""Frozen data that every floor shares. Nothing here reads a clock, draws a random number or does I/O."""
