"""What is found in a text by its form: figures, prices, dates, names, lists, and the words of each language."""
