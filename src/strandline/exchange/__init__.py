"""What comes in and goes out: imports, exports, Parquet, compaction, and the catalog made anew."""
