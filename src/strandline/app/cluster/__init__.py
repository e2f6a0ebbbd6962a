"""An archive on more than one machine.

Reading order: shared, worker, agenda, desks, studying, learning, watching; archive is what readers see.
"""
