"""From the frontier to the commit: what is due is asked for politely, kept, and read for further addresses."""
