"""What opens an archive for the faces, and answers that need more than one stage."""
