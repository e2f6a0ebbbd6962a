"""A month of a watch in an hour: what happens when, the sites, the run, and what is checked of it."""
