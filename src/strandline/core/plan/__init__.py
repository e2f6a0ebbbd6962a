"""Which pages to fetch next: strategies behind one interface, and the budget they spend."""
