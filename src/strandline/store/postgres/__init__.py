"""The catalog in PostgreSQL, for many machines at once.

Reading order: session, catalog, frontier, recording, reading; the rest is one table or task each.
"""
