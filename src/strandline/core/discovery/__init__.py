"""Which addresses belong to a crawl: scope, traps, page weight over the link graph."""
