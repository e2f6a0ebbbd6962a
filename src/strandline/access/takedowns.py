"""What readers are told of something that is taken down: HTTP status 451, since when, why, and until when.

A notice names the decision, not what is behind it. Addresses under a block answer alike whether or not they were ever
captured.
"""

from typing import Final

from strandline.access.index import Holdings
from strandline.access.memento import key_of
from strandline.access.timestamps import iso
from strandline.core.keeping.takedowns import Act
from strandline.errors import TakenDown

STATUS: Final = 451
"""Unavailable For Legal Reasons (RFC 7725)."""


def notice_text(act: Act) -> str:
    """The notice, in one or two sentences."""
    done = "erased from this archive" if act.act == "erase" else "taken down"
    until = f", until {iso(act.until)}" if act.until is not None else ""
    reason = f": {act.reason}" if act.reason else "."
    return f"This was {done} on {iso(act.time)}{until}{reason}"


def refuse_hidden(holdings: Holdings, url: str, time: float | None = None) -> None:
    """Raise TakenDown when an address, or its capture of a second, is not to be shown."""
    act = holdings.taken_down(key_of(url), time)
    if act is not None:
        raise TakenDown(notice_text(act))
