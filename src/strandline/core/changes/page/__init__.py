"""What the page as a whole tells of a change: what kind it is, what stands still on it, what comes back."""
