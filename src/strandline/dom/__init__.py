"""Bytes of a page, sitemap or feed, or a browser's dump, turned into links and layout trees."""
