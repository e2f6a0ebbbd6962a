"""From beliefs to visits: which pages to fetch next, when, and why."""
