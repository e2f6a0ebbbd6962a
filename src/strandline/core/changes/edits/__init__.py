"""What an edit changes in a sentence: terms, quantities, negations, and how much that weighs."""
