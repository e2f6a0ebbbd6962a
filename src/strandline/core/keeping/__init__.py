"""What a keeper decides about an archive: what is taken down (`takedowns`), told in a journal that shows tampering."""
