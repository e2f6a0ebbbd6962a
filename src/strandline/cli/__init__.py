"""Commands. Each file imports what it runs when it runs it, so that start-up stays short."""
