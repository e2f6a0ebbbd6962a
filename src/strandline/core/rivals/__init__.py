"""Strategies of papers and other crawlers, behind the same interface as the priced plan."""
