"""Chromium, driven over the DevTools protocol on a pair of pipes; every request of its pages is answered by us.

Reading order: chromium.py (the process and what keeps it from the network), pipe.py (messages), targets.py (pages,
frames and workers, each stopped before its first request), page_load.py (one page from its document to its views),
behaviours.py (what a reader would do), pages.py (the port: `ports.Browser`).
"""
