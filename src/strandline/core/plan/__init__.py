"""The priced plan and its parts: which pages to fetch next, within a budget."""
