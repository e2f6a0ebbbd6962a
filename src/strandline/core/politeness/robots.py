"""What a host's robots.txt lets us do (RFC 9309), from the last copy that could be had.

    answer                         meaning
    2xx                            the rules in the first 500 KiB
    3xx, more than 5 hops          no rules: everything may be fetched
    4xx but 429                    no rules: everything may be fetched
    5xx, 429, no answer at all     nothing may be fetched, until 30 days have passed; an older copy goes on counting

The last line is where archives and the standard differ; `unreachable="allow"` is the archives' way, chosen by name.
Redirects are followed by the caller. Crawl-delay is not in the standard, but what a webmaster asks for is heard.
"""

import re
from typing import Final, Literal
from urllib.parse import urlsplit

from protego import Protego

from strandline.core.quick_dataclass import dataclass

MOST_BYTES: Final = 500 * 1024
"""Of a robots.txt that are read. Origin: RFC 9309, section 2.5."""
MOST_REDIRECTS: Final = 5
"""That are followed to one. Origin: RFC 9309, section 2.3.1.2."""
FRESH_SECONDS: Final = 24 * 3600.0
"""After which it is read anew. Origin: RFC 9309, section 2.4."""
GIVE_UP_SECONDS: Final = 30 * 24 * 3600.0
"""After which a host that gives none is taken to have none. Origin: RFC 9309, section 2.3.1.4."""
LONGEST_DELAY: Final = 24 * 3600.0
"""Seconds of a Crawl-delay that are understood; how much of it is honoured is a setting, `politeness.crawl_delay_cap`.
Origin: a guess."""
TOKEN: Final = "strandline"
_AGENT: Final = re.compile(r"^([ \t]*user[- ]?agent[ \t]*:)([^\n#]*)", re.IGNORECASE | re.MULTILINE)
UNHEARD: Final = "robots.txt unreachable (no answer)"
"""Why pages may not be asked for whose host was not heard at all."""
_TOKEN: Final = re.compile(r"[A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """robots.txt of a host as last fetched. All plain values: this is what is kept over a restart."""

    time: float = 0.0
    """UTC time of the answer; of the first failure when there never was an answer."""
    status: int = 0
    """HTTP status, 0 when no answer came."""
    body: bytes = b""

    @property
    def reached(self) -> bool:
        """Whether the host told us anything."""
        return 200 <= self.status < 500 and self.status != 429

    def fresh(self, now: float) -> bool:
        """Whether it need not be asked for again. A failure is never fresh: the host's back-off sets the pace."""
        return self.reached and 0 <= now - self.time < FRESH_SECONDS


def renewed(old: RobotsCopy | None, status: int, body: bytes, now: float) -> RobotsCopy:
    """The copy to go on with after robots.txt was asked for; `status` 0 when no answer came.

    >>> good = RobotsCopy(10.0, 200, b"User-agent: *")
    >>> renewed(good, 503, b"", 90.0) == good, renewed(None, 503, b"", 90.0)
    (True, RobotsCopy(time=90.0, status=503, body=b''))
    """
    new = RobotsCopy(now, status, _first_lines(body) if 200 <= status < 300 else b"")
    if new.reached or old is None:
        return new
    return old if old.reached else RobotsCopy(old.time, status)


def _first_lines(body: bytes) -> bytes:
    """At most 500 KiB, cut at a line end: half a rule can mean the opposite of the whole."""
    if len(body) <= MOST_BYTES:
        return body
    cut = body[:MOST_BYTES]
    return cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]


def _text(body: bytes) -> str:
    """The rules as protego wants them: no mark, no NUL, and agents by their exact product token."""
    text = body.decode("utf-8-sig", "replace").replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return _AGENT.sub(_exact_agent, text)


def _exact_agent(match: re.Match[str]) -> str:
    """`strandline/2.0` names us, `strand` and `strandlines` do not: protego would read both the other way round."""
    value = match[2].strip()
    if value.startswith("*"):
        return f"{match[1]} *"
    token = _TOKEN.match(value)
    ours = token is not None and token[0].lower() == TOKEN
    return f"{match[1]} {TOKEN if ours else 'another'}"


class Robots:
    """The rules of one host for us."""

    def __init__(self, copy: RobotsCopy, now: float, unreachable: Literal["disallow", "allow"] = "disallow") -> None:
        self._rules = Protego.parse("")
        self._open = True
        if 200 <= copy.status < 300:
            self._rules = Protego.parse(_text(copy.body))
            self.reason = "robots.txt"
        elif copy.reached:
            self.reason = f"no robots.txt (status {copy.status})"
        else:
            since = now - copy.time
            self._open = unreachable == "allow" or since >= GIVE_UP_SECONDS
            self.reason = f"robots.txt unreachable (status {copy.status})" if copy.status else UNHEARD
            if self._open:
                chosen = "allowed by setting" if unreachable == "allow" else "for 30 days"
                self.reason += f", {chosen}"

    def allows(self, url: str) -> bool:
        r"""Whether a URL of this host may be fetched.

        >>> copy = RobotsCopy(0.0, 200, b"User-agent: *\nDisallow: /private\nAllow: /private/open$")
        >>> robots = Robots(copy, 0.0)
        >>> [robots.allows("http://a.example" + path) for path in ("/", "/private/x", "/private/open")]
        [True, False, True]
        """
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        if parts.path == "/robots.txt":
            return True
        return self._open and bool(self._rules.can_fetch(url, TOKEN))

    @property
    def delay(self) -> float | None:
        """Seconds between two requests the host asks for, None when it asks for none."""
        asked = self._rules.crawl_delay(TOKEN)
        rate = self._rules.request_rate(TOKEN)
        if asked is None and rate is not None and rate.requests > 0:
            asked = rate.seconds / rate.requests
        if asked is None or not asked >= 0:
            return None
        return min(float(asked), LONGEST_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Sitemaps the host names, as it spells them."""
        return tuple(dict.fromkeys(self._rules.sitemaps))
