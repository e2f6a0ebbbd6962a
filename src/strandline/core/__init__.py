"""Pure algorithms: arrays or dataclasses in, frozen dataclasses out. No I/O, no clock, no hidden randomness.

Reading order is the data flow: urls, capture, content, discovery, politeness, blocks, changes, history,
learn, plan, quality.
"""
