"""Addresses without end: calendars, facets, session ids, growing paths, soft 404, random pages.

Three defences, from certain to suspected:

1. *Session ids* are taken out of an address before it is looked at, so one page stays one page.
2. *Shapes that never end well*: paths too deep, or with a segment that repeats, are refused.
3. *Groups*: addresses that differ only in numbers, codes or queries form a group. While a group is new its pages
   queue behind all other pages the more of them there are, so good pages come first. Once a group has had some
   pages, each further one is asked whether it shows words the group has not shown before. A group whose pages stop
   saying anything new is closed, and the report names it: a trap is endless sameness, a large site is not.

All state is bounded, and none of it needs to survive a restart.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from strandline.core.urls import authority

_SESSION_PATH = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#;]*", re.I)
_SESSION_QUERY = re.compile(
    r"(?<=[?&])(?:jsessionid|phpsessid|aspsessionid[a-z]*|sessionid|session_id|sessid|sid|cfid|cftoken|zenid|oscsid|s_id)=[^&#]*(?:&|$)",
    re.I,
)
_CODE = re.compile(
    r"(?=[^/]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}|\d+", re.I
)
_DATE = re.compile(r"(?:19|20|21)\d\d[-/_]?(?:0?[1-9]|1[0-2])(?!\d)|[?&](?:year|month|date|day|week)=", re.I)
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{4,}")
_TAG = re.compile(rb"<(?:script|style)\b.*?</(?:script|style)\s*>|<[^>]*>", re.I | re.S)


def without_session(url: str) -> str:
    """The address without a session id.

    >>> without_session("http://h/a;jsessionid=1A2B?x=1&PHPSESSID=77&y=2")
    'http://h/a?x=1&y=2'
    """
    bare = _SESSION_PATH.sub("", url)
    if "?" in bare:
        bare = _SESSION_QUERY.sub("", bare).rstrip("?&")
    return bare


def group_of(url: str) -> str:
    """The group of an address: numbers and codes masked, all queries of a path together; empty when it has neither.

    >>> group_of("http://h/2024/05/12.html"), group_of("http://h/list?color=red"), group_of("http://h/about")
    ('h/#/#/#.html', 'h/list?', '')
    """
    bare = url.split("//", 1)[1]
    path, question, _ = bare.partition("?")
    place, slash, below = path.partition("/")
    masked = _CODE.sub("#", below)
    return f"{place}{slash}{masked}{question}" if question or masked != below else ""


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """When an address or a group of addresses is taken for a trap."""

    path_depth: int = 20
    repeated_segments: int = 2
    query_variants: int = 500
    """Pages fetched from the queries of one path before a share of them must show something new."""
    similar_pages: int = 2000
    """Largest group, however new its pages are."""
    trial: int = 12
    """Pages of a group fetched before it is asked for new words."""
    dull_in_a_row: int = 12
    """Pages in a row without new words that close a group."""


@dataclass(slots=True)
class _Group:
    found: int = 0
    fetched: int = 0
    dull: int = 0
    vocabulary: set[int] = field(default_factory=set)
    closed: str = ""


class TrapWatch:
    """Watches the addresses found and the pages fetched in one crawl."""

    def __init__(self, limits: TrapLimits, largest: int = 200_000) -> None:
        self._limits = limits
        self._groups: dict[str, _Group] = {}
        self._largest = largest
        self.named: Counter[str] = Counter()
        """Traps by name, with the number of addresses each kept out."""

    def refuses(self, url: str) -> str:
        """Why an address is taken for part of a trap; empty when it is not."""
        segments = url.split("?", 1)[0].split("/")[3:]
        if len(segments) > self._limits.path_depth + 1:
            return self._name(f"endless path on {authority(url)}")
        counts = Counter(part for part in segments if part and not part.isdigit())
        if counts and max(counts.values()) > self._limits.repeated_segments:
            return self._name(f"repeated path segment {counts.most_common(1)[0][0]!r} on {authority(url)}")
        group = self._groups.get(group_of(url))
        if group is not None and group.closed:
            return self._name(group.closed)
        return ""

    def found(self, url: str) -> float:
        """Note a new address and say how far back in the queue it belongs (added to its hops)."""
        key = group_of(url)
        if not key:
            return 0.0
        group = self._group(key)
        group.found += 1
        return math.log2(1 + group.found / 4)

    def fetched(self, url: str, body: bytes) -> None:
        """Note a fetched page (decoded bytes); closes its group when it has stopped saying anything new."""
        key = group_of(url)
        if not key:
            return
        group = self._group(key)
        group.fetched += 1
        if group.closed:
            return
        words = {hash(word) for word in _WORD.findall(_TAG.sub(b" ", body[:100_000]))}
        new = words - group.vocabulary
        if len(group.vocabulary) < 50_000:
            group.vocabulary |= new
        # A page with hardly any words of its own cannot be told from its neighbours: it is dull, too.
        group.dull = group.dull + 1 if len(new) <= len(words) // 50 else max(0, group.dull - 2)
        if group.fetched < self._limits.trial:
            return
        if group.dull >= self._limits.dull_in_a_row:
            group.closed = f"{_kind(key, url)}: {key} shows nothing new after {group.fetched} pages"
        elif group.fetched >= self._limits.similar_pages:
            group.closed = f"too many similar pages: {key} after {group.fetched}"
        elif key.endswith("?") and group.fetched >= self._limits.query_variants and group.dull:
            group.closed = f"too many queries on one path: {key} after {group.fetched}"

    def _group(self, key: str) -> _Group:
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= self._largest:
                self._groups.pop(next(iter(self._groups)))
            group = self._groups[key] = _Group()
        return group

    def _name(self, trap: str) -> str:
        self.named[trap] += 1
        return f"trap: {trap}"


def _kind(key: str, url: str) -> str:
    if _DATE.search(url):
        return "calendar"
    return "facets or search results" if key.endswith("?") else "endless similar pages"
