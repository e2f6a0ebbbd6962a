"""What is found in a whole history: patterns, directory rules, change classes, rates of sites."""
