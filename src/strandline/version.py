"""The version of this package: for requests, records and reports."""

__version__ = "0.1.0"
