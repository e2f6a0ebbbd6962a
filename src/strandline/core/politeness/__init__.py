"""What a host asks of us: robots.txt and delays."""
