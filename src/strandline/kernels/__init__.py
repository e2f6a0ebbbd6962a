"""Kernels: the numeric loops of planning, study and learning, as machine code that comes with the package.

Written in Python, compiled ahead of time by `scripts/compile` into one extension module for each version of Python and
architecture. Where none fits, numba compiles them at the first call.
"""
