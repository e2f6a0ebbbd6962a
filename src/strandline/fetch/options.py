"""How the web is asked: limits, identity, trust. Plain values; the settings file is someone else's business."""

from collections.abc import Callable
from dataclasses import field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import time
from typing import Literal

from strandline.core.quick_dataclass import dataclass
from strandline.fetch.addresses import AddressPolicy


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Where an exchange is cut. Times in seconds, sizes in bytes."""

    connect: float = 10.0
    """Name, connection and TLS handshake together."""
    first_byte: float = 30.0
    """From the request to the first header line."""
    between_reads: float = 20.0
    total: float = 300.0
    lowest_rate: int = 1024
    """Bytes per second, looked at over each `rate_after` seconds."""
    rate_after: float = 30.0
    burst: int = 2 * 1024 * 1024
    """Body bytes taken from one host within a quarter of a second. One endless body must not starve its neighbours."""
    body: int = 1024**3
    header_block: int = 256 * 1024
    header_line: int = 64 * 1024
    header_fields: int = 500
    memory: int = 1024 * 1024
    """Body bytes held in memory before a temporary file is used."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """Everything an HttpFetcher needs to know."""

    user_agent: str
    limits: FetchLimits = field(default_factory=FetchLimits)
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    connections: int = 25
    tls_verify: Literal["strict", "archive"] = "strict"
    """`archive` keeps what a host with a bad certificate says, with a note."""
    ca_file: str = ""
    """Certificates to trust; empty for those of the system."""
    proxy: str = ""
    """Proxies of the environment are never used."""
    proxy_password: str = field(default="", repr=False)
    secret_query: str = field(default="", repr=False)
    """Arguments added to every address that is asked of `secret_places`; never recorded."""
    secret_places: frozenset[str] = frozenset()
    """Host, with the port where it is not the usual one, of each site the secret is meant for."""
    spool_folder: Path | None = None
    keep_secrets: bool = False
    """Hand over the request as it was sent, with everything."""
    headers: tuple[tuple[str, str], ...] = ()
    """More request header fields, such as Cookie: sent, recorded only with `keep_secrets` when secret."""
    site_headers: Callable[[str], tuple[tuple[str, str], ...]] = lambda _: ()
    """Those of the host of an address: asked for every request."""
    logins: Callable[[str], tuple[tuple[str, str], ...]] = lambda _: ()
    """Cookie and Authorization for an address, where there is a login: asked for every request."""
    now: Callable[[], float] = time
    """UTC epoch seconds: when an exchange began, for its record. Limits go by the machine's own clock."""


def user_agent(version: str, contact: str) -> str:
    """The form archives use, so that a webmaster finds out whom to write to.

    >>> user_agent("1.0", "https://archive.example/crawler")
    'Mozilla/5.0 (compatible; strandline/1.0 +https://archive.example/crawler)'
    """
    suffix = f" +{contact}" if contact else ""
    return f"Mozilla/5.0 (compatible; strandline/{version}{suffix})"


def trusted_certificates() -> str:
    """Those of the system; on a system without any those of certifi, which our dependencies bring."""
    import ssl  # noqa: PLC0415 - a crawl over plain http starts without

    found = ssl.get_default_verify_paths().cafile
    if not found and find_spec("certifi"):
        found = str(import_module("certifi").where())
    return found or ""
