"""Wiring: an archive folder with its settings, adapters and use cases. Reading order: archive, crawling, moving."""
