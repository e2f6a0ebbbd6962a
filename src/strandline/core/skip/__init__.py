"""What a pass over a site may leave out, and how it is found out when that was wrong."""
