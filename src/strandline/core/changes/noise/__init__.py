"""What moves by itself: rotates, counts and comes back, as far as comparisons have shown it."""
