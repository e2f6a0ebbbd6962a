"""Words for numbers, in everything that is told to people."""


def counted(number: int, word: str, words: str = "") -> str:
    """A number of things.

    >>> counted(1, "page"), counted(2, "page"), counted(0, "directory", "directories")
    ('1 page', '2 pages', '0 directories')
    """
    return f"{number} {word}" if number == 1 else f"{number} {words or word + 's'}"
