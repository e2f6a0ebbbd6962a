"""What is believed of a page or directory, and how each capture changes it."""
