"""Who hears of captures while their WARC file is written: the index, which then need not read the file again."""

import contextlib
from typing import Protocol

from strandline.core.capture import Capture


class Listing(Protocol):
    """Hears of captures. An OSError out of it costs no capture: the list of that file is dropped, and can be made again
    from the file.
    """

    def kept(self, capture: Capture, content_type: str | None) -> None:
        """A capture of the file being written, with its Content-Type as sent (None for none)."""

    def sealed(self, file: str) -> None:
        """The file has its final name, and all its captures were told."""

    def dropped(self) -> None:
        """Forget the captures that were told since the last finished file."""


class Told:
    """Tells a listing, if there is one, as long as it can hear."""

    def __init__(self, listing: Listing | None) -> None:
        self._listing = listing
        self._hears = True

    def kept(self, capture: Capture, content_type: str | None) -> None:
        """A capture of the file being written."""
        if self._listing is None or not self._hears:
            return
        try:
            self._listing.kept(capture, content_type)
        except OSError:
            self._listing.dropped()
            self._hears = False

    def sealed(self, file: str) -> None:
        """The file has its final name."""
        if self._listing is not None and self._hears:
            with contextlib.suppress(OSError):  # an index can be made again; the captures are safe
                self._listing.sealed(file)
        self.dropped()

    def dropped(self) -> None:
        """The next capture is the first of another file."""
        self._hears = True
        if self._listing is not None:
            self._listing.dropped()
