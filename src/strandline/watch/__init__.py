"""The loop that joins crawl, study, learn and plan, within a budget."""
