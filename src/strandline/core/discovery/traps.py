"""Addresses without end: calendars, facets, session ids, growing paths, soft 404, random pages.

Three defences, from certain to suspected:

1. *Session ids* are taken out of an address before it is looked at, so one page stays one page.
2. *Shapes that never end well*: paths too deep, or with a segment that repeats, are refused.
3. *Groups*: addresses that differ only in numbers, codes or queries form a group. A trap feeds itself: its pages are
   named by pages of the same group and by nobody else. Such pages queue behind all others, the further back the more
   of them there are, so good pages come first; and each is asked whether its text says anything the group has not
   said before. A group that goes on without saying anything new is closed, and the report names it. Pages that an
   index, a sitemap or a feed names are never counted: a trap is endless sameness, a large site is not.
4. *Soft 404*: when many pages of a group say the same few words, whoever names them, an address that cannot exist is
   asked for once (`suspects`, `probed`). A site that greets it like the others has no page behind any of them.
5. *Dead groups*: pages that carry an advertisement or a token name another address each time they are looked at. When
   as many addresses of a group as close it otherwise lead nowhere, and none led anywhere, no further one is asked for,
   whoever names it, until one of them is there after all.

All state is bounded, and none of it needs to survive a restart.
"""

import math
import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache

from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority

_SESSION_PATH = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#;]*", re.I)
_SESSION_QUERY = re.compile(
    r"(?<=[?&])(?:jsessionid|phpsessid|aspsessionid[a-z]*|sessionid|session_id|sessid|sid|cfid|cftoken|zenid|oscsid|s_id)=[^&#]*(?:&|$)",
    re.I,
)
_CODE = re.compile(
    r"(?=[^/]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}|\d+", re.I
)
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20|21)\d\d[-/_]?(?:0?[1-9]|1[0-2])(?!\d)|[?&](?:year|month|date|day|week)=", re.I)
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
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


@lru_cache(maxsize=1024)
def group_of(url: str) -> str:
    """The group of an address: numbers and codes masked, all queries of a path together; empty when it has neither.

    >>> group_of("http://h/2024/05/12.html"), group_of("http://h/list?color=red"), group_of("http://h/about")
    ('h/#/#/#.html', 'h/list?', '')
    """
    path, question, _ = url.partition("?")
    _, _, place, *below = path.split("/", 3)
    written = below[0] if below else ""
    masked = _CODE.sub("#", written) if _DIGIT.search(written) else written
    return f"{place}/{masked}{question}" if question or masked != written else ""


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """When an address or a group of addresses is taken for a trap."""

    path_depth: int = 20
    repeated_segments: int = 2
    query_variants: int = 40
    """Pages without anything new among the queries of one path, or the dates of a calendar, that close it."""
    similar_pages: int = 150
    """Pages without anything new among addresses that differ in numbers or codes that close the group."""
    largest_group: int = 5000
    """Largest group that feeds itself, however new its pages are."""


_SIMILAR = "endless similar pages"
_SHORT = 8 * 1024
"""Bytes of a page that may be an apology for not being there. Origin: a guess."""
_ALIKE = 30
"""Pages of a group that say the same few words, after which an address that cannot exist is asked for.
Origin: a guess."""
_LONG = 500
"""Words from which on a sample of the text is enough. Origin: a bound on time."""
_SHINGLE = 6
"""Words in a row that are compared: two texts drawn from the same few words still differ in these. Origin: a guess."""


@dataclass(slots=True)
class _Group:
    own: set[int] = field(default_factory=set)
    """Addresses that only pages of the group itself have named."""
    fetched: int = 0
    dull: int = 0
    said: set[int] = field(default_factory=set)
    closed: str = ""
    alike: int = 0
    """Short pages in a row, whoever named them, that said nothing new."""
    greets_anything: bool = False
    """An address that cannot exist was answered like all others."""
    absent: set[int] = field(default_factory=set)
    """Addresses that were asked for, and led nowhere."""
    dead: bool = False
    """Nothing was ever there."""

    def hears(self, shingles: set[int]) -> bool:
        """Whether a text is dull: it says (almost) nothing the group has not said before."""
        new = shingles - self.said
        if len(self.said) < 100_000:
            self.said |= new
        return len(new) <= max(12, len(shingles) // 20)


class TrapWatch:
    """Watches the addresses found and the pages fetched in one crawl."""

    def __init__(self, limits: TrapLimits, most_groups: int = 100_000) -> None:
        self._limits = limits
        self._groups: dict[str, _Group] = {}
        self._most_groups = most_groups
        self._vouched: set[int] = set()
        self._most_vouched = 100_000
        self._alive: set[int] = set()
        """Groups with a page that was there."""
        self.suspects: deque[str] = deque()
        """Addresses that cannot exist, to be asked for once each; the answers go to `probed`."""
        self._probes: dict[str, str] = {}
        self.named: Counter[str] = Counter()
        """Traps by name, with the number of addresses each kept out."""

    def met(self, url: str, source_group: str) -> tuple[str, float]:
        """An address named by a page of some group: why it is taken for part of a trap (empty when it is not), and
        how far back in the queue it belongs, in hops.
        """
        reason = self._shape(url)
        if reason:
            return self._name(reason), 0.0
        key = group_of(url)
        if not key:
            return "", 0.0
        mark = hash(url)
        if (dead := self._groups.get(key)) is not None and dead.dead:
            return self._name(dead.closed), 0.0
        if key != source_group:
            self._vouch(key, mark)
            return "", 0.0
        group = self._group(key)
        if mark in self._vouched:
            return "", 0.0
        if group.closed:
            return self._name(group.closed), 0.0
        if len(group.own) < self._limits.largest_group:
            group.own.add(mark)
        return "", 1.0 + math.log2(1 + len(group.own))

    def _shape(self, url: str) -> str:
        segments = url.split("?", 1)[0].split("/")[3:]
        if len(segments) > self._limits.path_depth + 1:
            return f"endless path on {authority(url)}"
        most = self._limits.repeated_segments
        if len(segments) > most and len(set(segments)) + most <= len(segments):
            counts = Counter(part for part in segments if part and not part.isdigit())
            if counts and max(counts.values()) > most:
                return f"repeated path segment {counts.most_common(1)[0][0]!r} on {authority(url)}"
        return ""

    def _vouch(self, key: str, mark: int) -> None:
        """Somebody outside the group names this address: it is no part of a trap."""
        if len(self._vouched) >= self._most_vouched:
            self._vouched.clear()
        self._vouched.add(mark)
        group = self._groups.get(key)
        if group is not None:
            group.own.discard(mark)

    def drops(self, url: str) -> str:
        """Why an address that already waits is not fetched after all: its group was closed meanwhile."""
        group = self._groups.get(group_of(url))
        if group is None or not group.closed:
            return ""
        if group.dead and hash(url) in group.absent:
            return ""  # it may be there by now, and then the others may
        return self._name(group.closed) if group.greets_anything or group.dead or hash(url) in group.own else ""

    def absent(self, url: str) -> None:
        """Note an address that was never there; closes its group when nothing of it ever was."""
        key = group_of(url)
        if not key or hash(key) in self._alive:
            return
        group = self._group(key)
        if group.closed:
            return
        group.absent.add(hash(url))
        if len(group.absent) >= self._most_dull(_kind(key, url)):
            group.dead = True
            group.closed = f"dead links: {key} led nowhere {len(group.absent)} times"

    def _lives(self, key: str) -> None:
        if len(self._alive) >= self._most_vouched:
            self._alive.clear()
        self._alive.add(hash(key))
        group = self._groups.get(key)
        if group is not None and group.dead:
            group.dead, group.closed = False, ""

    def _most_dull(self, kind: str) -> int:
        return self._limits.similar_pages if kind == _SIMILAR else self._limits.query_variants

    def fetched(self, url: str, body: bytes) -> None:
        """Note a fetched page (decoded bytes); closes its group when it goes on without saying anything new."""
        key = group_of(url)
        if key:
            self._lives(key)
        if not key or (len(body) > _SHORT and key not in self._groups):
            return
        group = self._group(key)
        own = hash(url) in group.own
        if group.closed or not (own or len(body) <= _SHORT):
            return
        shingles = _shingles(body)
        dull = group.hears(shingles)
        self._suspect(key, url, group, dull and len(body) <= _SHORT)
        if not own:
            return
        group.fetched += 1
        group.dull += dull
        kind = _kind(key, url)
        if group.dull >= self._most_dull(kind) and group.dull * 2 >= group.fetched:
            group.closed = f"{kind}: {key} shows nothing new after {group.fetched} pages"
        elif group.fetched >= self._limits.largest_group:
            group.closed = f"{_SIMILAR}: {key} after {group.fetched} pages"
        if group.closed:
            group.said.clear()

    def _suspect(self, key: str, url: str, group: _Group, alike: bool) -> None:
        group.alike = group.alike + 1 if alike else 0
        if group.alike == _ALIKE:
            directory, _, name = url.partition("?")[0].rpartition("/")
            probe = f"{directory}/no-such-page-{abs(hash(name)) % 10**9:09}"
            self._probes[probe] = key
            self.suspects.append(probe)

    def probed(self, url: str, status: int, body: bytes) -> None:
        """How an address that cannot exist was answered."""
        key = self._probes.pop(url, "")
        group = self._groups.get(key)
        if group is not None and status == 200 and group.hears(_shingles(body)):
            group.greets_anything = True
            group.closed = f"soft 404: {key} answers what does not exist"

    def _group(self, key: str) -> _Group:
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= self._most_groups:
                self._groups.pop(next(iter(self._groups)))
            group = self._groups[key] = _Group()
        return group

    def _name(self, trap: str) -> str:
        self.named[trap] += 1
        return f"trap: {trap}"


def _shingles(body: bytes) -> set[int]:
    """Runs of words, as numbers; a short text gives all of them, a long one a sample that depends on its words only."""
    words = _WORD.findall(_TAG.sub(b" ", body[:60_000]))
    starts: Iterable[int] = range(max(1, len(words) - _SHINGLE + 1))
    if len(words) > _LONG:
        starts = [i for i in starts if not hash(words[i]) & 7]
    return {hash(tuple(words[i : i + _SHINGLE])) for i in starts}


def _kind(key: str, url: str) -> str:
    if _DATE.search(url):
        return "calendar"
    return "facets or search results" if key.endswith("?") else _SIMILAR
