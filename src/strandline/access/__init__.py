"""The reading side: memento time maps, replay, comparison, quality. Writes nothing."""
