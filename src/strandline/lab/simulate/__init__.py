"""Worlds whose every change is known, and strategies run in them. Uses core only."""
