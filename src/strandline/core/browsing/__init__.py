"""Where a browser shows more than the answer: signs of a document, what a look in a browser gained, and what follows.

Reading order: signs.py, gain.py, worth.py.
"""
