"""Ask the web: addresses that may be connected to, and many connections in one process."""
