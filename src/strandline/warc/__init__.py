"""WARC files: write, read, index, verify, recover, exchange. Here a block is WARC's record block."""
