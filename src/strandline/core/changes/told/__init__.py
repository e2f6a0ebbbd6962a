"""What people are shown of a change: blocks with their reasons, and one sentence."""
