"""A site that does everything wrong on purpose, with twenty good pages among it. Start at server.py."""
