"""How a host that somebody typed without a scheme is reached: over https where it speaks it, else over http."""

import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final, Literal

from strandline.archive.folder import web_address
from strandline.core.urls import authority
from strandline.crawl.preparing import address_policy
from strandline.settings.schema import Settings

Scheme = Literal["https", "http", ""]
Lookup = Callable[[str, int], Sequence[str]]

_PATIENCE: Final = 4.0
"""Seconds a host has for a connection. Origin: a guess."""
_TRIES: Final = 2
"""Addresses of a host that are tried. Origin: a guess."""


def scheme_of(typed: str, settings: Settings, lookup: Lookup | None = None) -> Scheme:
    """The scheme a host answers to: https unless it only speaks http; empty when there is no such host.

    Behind a proxy nothing is looked up or tried: https. So it is where neither answers just now.
    """
    if settings.fetch.proxy:
        return "https"
    place = authority(web_address(f"https://{typed.strip()}"))
    host, _, port = place.rpartition(":") if place.rpartition(":")[2].isdigit() else (place, "", "")
    host = host.strip("[]")
    try:
        addresses = (lookup or _looked_up)(host, int(port or 443))
    except socket.gaierror as fault:
        return "" if fault.errno == socket.EAI_NONAME else "https"
    policy = address_policy(settings.fetch)
    for address in addresses[:_TRIES]:
        ends = [int(port)] if port else [443, 80]
        allowed = [end for end in ends if policy.check(address, end) is None]
        if ends[0] in allowed and _speaks_tls(address, ends[0], host):
            return "https"
        if ends[-1] in allowed and _listens(address, ends[-1]):
            return "http"
    return "https"


def _looked_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _listens(address: str, port: int) -> bool:
    try:
        with closing(socket.create_connection((address, port), _PATIENCE)):
            return True
    except OSError:
        return False


def _speaks_tls(address: str, port: int, host: str) -> bool:
    """Whether a handshake succeeds; whose certificate it is, the crawl looks at."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            closing(socket.create_connection((address, port), _PATIENCE)) as connection,
            closing(context.wrap_socket(connection, server_hostname=host)),
        ):
            return True
    except (OSError, ValueError):  # ssl.SSLError is an OSError; ValueError: a name TLS cannot carry
        return False
