"""An archive on more than one machine.

Reading order: shared, worker, following, watching, agenda, purse, desks, skipping, studying, learning, monitor,
auditing; archive and place are what readers see.
"""
