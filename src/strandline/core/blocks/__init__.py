"""A page as a tree of visual blocks: tree, partition, topic, roles."""
