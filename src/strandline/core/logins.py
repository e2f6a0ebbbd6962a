"""Logins: cookies and names with passwords, each sent only to whom it belongs.

A cookie goes to its host (and the hosts below it where it says so), below its path, over TLS only where it says so, as
long as it lasts: RFC 6265. A name with a password (basic authentication) goes to one origin, scheme and port included.
"""

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any, Final

from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority, origin, site

Fields = tuple[tuple[str, str], ...]
_HTTP_ONLY: Final = "#HttpOnly_"
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\x20-\x3a\x3c-\x7e\x80-\xff]*")
_COLUMNS: Final = 7
"""Of a line of a file of cookies. Origin: a standard, the format of Netscape."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie and whom it belongs to."""

    name: str
    value: str = field(repr=False)
    host: str
    """Without a dot before it."""
    below: bool = False
    """Whether the hosts below it get it, too."""
    path: str = "/"
    secure: bool = False
    """Over TLS only."""
    expires: float = 0.0
    """UTC epoch seconds; 0 for as long as the login is kept."""
    http_only: bool = False
    """Not for scripts."""

    def goes_to(self, url: str, now: float) -> bool:
        """Whether it is sent with a request for an address."""
        host = host_of(url)
        meant = host == self.host or (self.below and host.endswith(f".{self.host}"))
        if not meant or (self.expires and self.expires <= now) or (self.secure and not url.startswith("https://")):
            return False
        path = "/" + url.split("/", 3)[3].partition("?")[0] if url.count("/") >= 3 else "/"
        return path == self.path or path.startswith(self.path if self.path.endswith("/") else f"{self.path}/")


Cookies = Callable[[], tuple[Cookie, ...]]
"""Those of logins, as they are now."""


def no_cookies() -> tuple[Cookie, ...]:
    """Where there is no login."""
    return ()


@dataclass(frozen=True, slots=True)
class Password:
    """A name with a password, for one origin."""

    origin: str
    name: str
    password: str = field(repr=False)

    @property
    def value(self) -> str:
        """As the field of a request has it."""
        return "Basic " + base64.b64encode(f"{self.name}:{self.password}".encode()).decode("ascii")


@dataclass(frozen=True, slots=True)
class Logins:
    """All logins of an archive."""

    cookies: tuple[Cookie, ...] = ()
    passwords: tuple[Password, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cookies or self.passwords)

    def fields(self, url: str, now: float) -> Fields:
        """What is sent with a request; cookies with the longest path first.

        >>> known = Logins((Cookie("a", "1", "example.org", secure=True),))
        >>> known.fields("https://example.org/x", 0.0), known.fields("http://example.org/x", 0.0)
        ((('Cookie', 'a=1'),), ())
        """
        meant = sorted((one for one in self.cookies if one.goes_to(url, now)), key=lambda one: -len(one.path))
        found = [("Cookie", "; ".join(f"{one.name}={one.value}" for one in meant))] if meant else []
        found += [("Authorization", one.value) for one in self.passwords if one.origin == origin(url)][:1]
        return tuple(found)

    def sites(self) -> list[str]:
        """Sites there is a login for."""
        of_cookies = {site(f"http://{one.host}/") for one in self.cookies}
        return sorted(of_cookies | {site(f"{one.origin}/") for one in self.passwords})

    def with_cookies(self, cookies: Iterable[Cookie]) -> "Logins":
        """With these, which replace those of the same name and place."""
        known = {(one.name, one.host, one.path): one for one in (*self.cookies, *cookies)}
        return Logins(tuple(known.values()), self.passwords)

    def with_password(self, password: Password) -> "Logins":
        """With this, which replaces that of the same origin."""
        others = tuple(one for one in self.passwords if one.origin != password.origin)
        return Logins(self.cookies, (*others, password))

    def without(self, name: str) -> "Logins":
        """Without those of a site; by the host of a cookie alone where ports do not matter."""
        bare = name.partition(":")[0]
        return Logins(
            tuple(one for one in self.cookies if site(f"http://{one.host}/") != bare),
            tuple(one for one in self.passwords if site(f"{one.origin}/") != name),
        )

    def as_data(self) -> dict[str, Any]:
        """For `from_data`."""
        return {
            "cookies": [
                [one.name, one.value, one.host, one.below, one.path, one.secure, one.expires, one.http_only]
                for one in self.cookies
            ],
            "passwords": [[one.origin, one.name, one.password] for one in self.passwords],
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Logins":
        """What `as_data` gave."""
        return cls(
            tuple(Cookie(*values) for values in data["cookies"]),
            tuple(Password(*values) for values in data["passwords"]),
        )


def host_of(url: str) -> str:
    """The host of a canonical address, without its port.

    >>> host_of("http://a.example:8080/x"), host_of("https://[::1]:8443/")
    ('a.example', '[::1]')
    """
    return re.sub(r":\d+$", "", authority(url))


def cookie_of(values: dict[str, Any]) -> Cookie | None:
    """A cookie as a browser or a file has it; None when it cannot be sent. One for a whole public suffix (`.co.uk`)
    goes to that very host only.
    """
    domain = str(values["domain"]).lower()
    host, name, value = domain.lstrip("."), str(values["name"]), str(values["value"])
    if not host or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return None
    below = domain.startswith(".") and site(f"http://x.{host}/") != f"x.{host}"
    path = str(values.get("path") or "/")
    expires = max(0.0, float(values.get("expires") or 0.0))
    return Cookie(
        name, value, host, below, path if path.startswith("/") else "/", bool(values.get("secure")), expires,
        bool(values.get("http_only")),
    )  # fmt: skip


def read_cookies(text: str) -> tuple[Cookie, ...]:
    r"""The cookies of a file in the format of Netscape, which browsers' extensions and curl write; ValueError names the
    line that is none.

    >>> [one.host for one in read_cookies(".example.org\tTRUE\t/\tTRUE\t0\tsession\tabc\n# a remark\n")]
    ['example.org']
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        http_only = line.startswith(_HTTP_ONLY)
        line = line.removeprefix(_HTTP_ONLY)
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS or not re.fullmatch(r"-?\d+(\.\d+)?", columns[4]):
            raise ValueError(f"line {number} is no cookie: seven columns with tabs between them are expected")
        host, below, path, secure, expires, name, value = columns
        domain = f".{host.lstrip('.')}" if below.upper() == "TRUE" else host.lstrip(".")
        cookie = cookie_of({
            "domain": domain, "name": name, "value": value, "path": path, "secure": secure.upper() == "TRUE",
            "expires": expires, "http_only": http_only,
        })  # fmt: skip
        if cookie is None:
            raise ValueError(f"line {number} is a cookie that cannot be sent")
        found.append(cookie)
    return tuple(found)
