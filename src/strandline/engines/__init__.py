"""Where visits are run: here, or on many machines."""
