"""How good the archive is: completeness, coherence, maintenance measures."""
