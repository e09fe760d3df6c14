"""The heart: three pure functions over a journal, and the protocols that the ring and the tools keep to.

`react` judges, `evolve` folds, `outstanding` reads. Nothing here does I/O, reads a clock or draws a random number.
"""
