"""What is mined from histories: patterns, directory rules, change classes, first-sight rates."""
