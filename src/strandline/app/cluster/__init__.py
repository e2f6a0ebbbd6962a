"""An archive on more than one machine.

Reading order: shared, worker, watching, agenda, purse, desks, skipping, studying, learning, lookout; archive and place
are what readers see.
"""
