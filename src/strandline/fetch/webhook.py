"""One POST to an address that somebody configured, behind the same wall as every other connection.

The name is resolved once, each address is held against the policy, the connection is pinned to those that passed, and
the address that is really connected to is looked at again. Redirects are not followed: a receiver that moved is told
as a failure, and nothing is ever sent to where a page or a name server points. The whole exchange has a deadline.
"""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import ada_url
import pycurl

from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.options import trusted_certificates
from strandline.fetch.resolve import MOST_ADDRESSES, Lookup, system_lookup

_ANSWER: Final = 64 * 1024
"""Bytes of an answer that are read; nobody needs them."""
_PORTS: Final = {"http:": 80, "https:": 443}


@dataclass(frozen=True, slots=True)
class PostOptions:
    """How messages are sent. Times in seconds."""

    user_agent: str
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    connect: float = 10.0
    total: float = 30.0
    ca_file: str = ""
    """Certificates to trust; empty for those of the system."""
    keep: int = 0
    """Bytes of an answer that are wanted: a larger one counts as none. 0 when nobody needs them."""
    allowed_by: str = "alerts.allow_address"
    """The setting that allows private addresses."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What came of it: a status, or 0 and the reason why there is none."""

    status: int
    detail: str
    retry_after: str = ""
    body: bytes = b""

    @property
    def taken(self) -> bool:
        """Whether the receiver has it."""
        return 200 <= self.status < 300


def post(
    url: str, body: bytes, headers: Mapping[str, str], options: PostOptions, lookup: Lookup = system_lookup
) -> Posted:
    """Send a message and wait for the answer. Never raises for what the other side does."""
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return Posted(0, "not a URL")
    if parsed.protocol not in _PORTS:
        return Posted(0, f"{parsed.protocol} is not for messages")
    host = parsed.hostname.strip("[]")
    port = int(parsed.port or _PORTS[parsed.protocol])
    try:
        addresses = list(lookup(host))[:MOST_ADDRESSES]
    except (OSError, ValueError) as problem:
        return Posted(0, f"{host}: {getattr(problem, 'strerror', None) or problem}")
    refusals = {address: options.policy.check(address, port) for address in addresses}
    passed = [address for address, refusal in refusals.items() if refusal is None]
    if not passed:
        reason = next((refusal for refusal in refusals.values() if refusal), "no address")
        return Posted(0, f"not allowed: {reason} ({options.allowed_by})")
    return _Post(options, passed).send((parsed.href, host, port), body, headers)


class _Post:
    """One exchange on a libcurl handle."""

    def __init__(self, options: PostOptions, addresses: list[str]) -> None:
        self._options = options
        self._addresses = addresses
        self._refused = ""
        self._retry_after = ""
        self._read = 0
        self._kept: list[bytes] = []
        self._sockets: list[socket.socket] = []

    def send(self, place: tuple[str, str, int], body: bytes, headers: Mapping[str, str]) -> Posted:
        url, host, port = place
        curl: Any = pycurl.Curl()
        pins = ",".join(f"[{ip}]" if ":" in ip else ip for ip in self._addresses)
        values: dict[int, object] = {
            pycurl.URL: url,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.NOSIGNAL: 1,
            pycurl.PROXY: "",
            pycurl.CONNECTTIMEOUT_MS: int(self._options.connect * 1000),
            pycurl.TIMEOUT_MS: int(self._options.total * 1000),
            pycurl.USERAGENT: self._options.user_agent,
            pycurl.POST: 1,
            pycurl.POSTFIELDS: body,
            pycurl.HTTPHEADER: [f"{name}: {value}" for name, value in headers.items()] + ["Expect:"],
            pycurl.HEADERFUNCTION: self._on_header,
            pycurl.WRITEFUNCTION: self._on_body,
            pycurl.OPENSOCKETFUNCTION: self._on_socket,
            pycurl.CAINFO: self._options.ca_file or trusted_certificates(),
        }
        if self._addresses != [host]:  # a numeric host needs no pin
            values[pycurl.RESOLVE] = [f"+{host}:{port}:{pins}"]
        try:
            for option, value in values.items():
                if value != "" or option == pycurl.PROXY:
                    curl.setopt(option, value)
            try:
                curl.perform()
            except pycurl.error as problem:
                # A receiver that gave its answer and then talks without end, or breaks off, has given its answer.
                if self._options.keep and self._read > self._options.keep:
                    return Posted(0, f"the answer is larger than {self._options.keep} bytes")
                if self._options.keep or not curl.getinfo(pycurl.RESPONSE_CODE):
                    return Posted(0, self._refused or str(problem.args[1]))
            status = int(curl.getinfo(pycurl.RESPONSE_CODE))
        finally:
            curl.close()
            for made in self._sockets:
                made.close()
        moved = "; redirects are not followed" if 300 <= status < 400 else ""
        return Posted(status, f"answered {status}{moved}", self._retry_after, b"".join(self._kept))

    def _on_socket(self, purpose: int, address: Any) -> Any:  # noqa: ANN401 - pycurl's own types
        family, kind, protocol, place = address
        refusal = self._options.policy.check(place[0], place[1])
        if refusal:
            self._refused = f"not allowed: {refusal} ({self._options.allowed_by})"
            return pycurl.SOCKET_BAD
        made = socket.socket(family, kind, protocol)
        self._sockets.append(made)  # libcurl works on a duplicate of its own
        return made

    def _on_header(self, line: bytes) -> None:
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower() == b"retry-after":
            self._retry_after = value.strip().decode("latin-1")[:100]

    def _on_body(self, data: bytes) -> int | None:
        self._read += len(data)
        if self._options.keep:
            self._kept.append(data)
        return -1 if self._read > (self._options.keep or _ANSWER) else None
