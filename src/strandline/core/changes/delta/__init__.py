"""What differs between two versions of a page, block by block, and how much of it (ViDIFF, ImpCh)."""
