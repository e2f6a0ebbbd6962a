"""What is known about pages, in a database that can always be rebuilt from the WARC files."""
