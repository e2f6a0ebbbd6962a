"""Every text of the interface, in one file: texts.toml beside this module."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def texts() -> dict[str, str]:
    """All texts by name."""
    found: dict[str, str] = tomllib.loads((files("strandline.web") / "texts.toml").read_text("utf-8"))
    return found


def say(name: str, /, **values: object) -> str:
    """A text with values filled in; KeyError for one that does not exist.

    >>> say("group_number", number=3)
    'Group 3'
    """
    text = texts()[name]
    return text.format(**values) if values else text
