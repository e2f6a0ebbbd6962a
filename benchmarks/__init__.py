"""Speed as ratios, measured side by side in one run: `make bench`, or one of them: python -m benchmarks crawl."""
