"""A bundled living site, served on loopback, whose every change is known."""
