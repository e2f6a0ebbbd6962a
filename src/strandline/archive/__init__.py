"""An archive folder: opened, locked, mended and read; its sites, seeds, clocks and room on disk."""
