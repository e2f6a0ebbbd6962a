"""What differs between two versions of a page or of a site, and how much it matters."""
