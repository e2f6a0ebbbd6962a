"""Settings of an archive: schema (what there is), units (durations, sizes), file (strandline.toml)."""
