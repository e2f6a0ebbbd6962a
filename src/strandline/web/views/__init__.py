"""What the pages show and the API tells: one module per page, functions from a desk to a dataclass. Start at `site`."""
