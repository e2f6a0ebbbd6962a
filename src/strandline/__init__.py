"""Strandline: an adaptive web archiver."""

__version__ = "0.1.0"
