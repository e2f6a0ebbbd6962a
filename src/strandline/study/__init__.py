"""From commit to change: what differs between two captures of a page, and how much it matters."""
