"""Experiments, simulations and plots. May use everything; only the faces use it."""
