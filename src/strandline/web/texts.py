"""Every text of the interface, in one file: texts.toml beside this module."""

import tomllib
from functools import cache
from importlib.resources import files
from string import Formatter


@cache
def texts() -> dict[str, str]:
    """All texts by name."""
    found: dict[str, str] = tomllib.loads((files("strandline.web") / "texts.toml").read_text("utf-8"))
    return found


class _Counting(Formatter):
    """Knows one more thing than str.format: {count:page|pages} is the count and the word that goes with it."""

    def format_field(self, value: object, format_spec: str) -> str:
        if "|" not in format_spec:
            return str(super().format_field(value, format_spec))
        one, many = format_spec.split("|")
        return f"{value} {one if str(value) == '1' else many}"


def say(name: str, /, **values: object) -> str:
    """A text with values filled in; KeyError for one that does not exist.

    >>> say("group_size", pages=1, changes="1,234")
    '1 page, 1,234 changes'
    """
    text = texts()[name]
    return _Counting().vformat(text, (), values) if values else text
