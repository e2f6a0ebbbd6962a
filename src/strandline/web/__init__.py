"""The interface, the replay origin and the HTTP API."""
