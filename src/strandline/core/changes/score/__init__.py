"""How much a change matters, and of each of its items why."""
