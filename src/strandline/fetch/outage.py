"""Is it the host, or are we offline? A local outage must never count against a page."""

import errno
import socket
from contextlib import closing

_ANYWHERE = ((socket.AF_INET, "198.41.0.4"), (socket.AF_INET6, "2001:503:ba3e::2:30"))
"""A root name server. Connecting a datagram socket asks the routing table and sends nothing."""


def has_route() -> bool:
    """Whether this machine knows a way to the public network at all."""
    for family, address in _ANYWHERE:
        try:
            with closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
                probe.connect((address, 53))
        except OSError as fault:
            if fault.errno in (errno.EMFILE, errno.ENFILE):
                return True
            continue
        return True
    return False


class Outage:
    """Counts different hosts that could not be reached since any host last answered."""

    def __init__(self, hosts: int = 4) -> None:
        self._hosts = hosts
        self._failed: set[str] = set()

    def answered(self) -> None:
        """Some host answered: the network is there."""
        if self._failed:
            self._failed.clear()

    def suspected(self, host: str) -> bool:
        """A host failed in a way that may be our fault; True when it is taken to be."""
        if len(self._failed) <= self._hosts:
            self._failed.add(host)
        return len(self._failed) >= self._hosts or not has_route()
