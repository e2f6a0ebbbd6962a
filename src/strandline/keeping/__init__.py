"""What keepers of an archive do: take something down (`takedowns`)."""
