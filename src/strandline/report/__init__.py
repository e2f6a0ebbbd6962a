"""What happened in a span of time, and how good the archive is."""
