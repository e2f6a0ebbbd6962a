"""Since when an archive reads its pages for as much as it does now.

A page that did not change is not read again: what it names is known. That holds only for what was in scope when it was
read. The rules of the last run are kept in the catalog; a run that lets in more than they did remembers its time, and
every page that was read before it is fetched whole and read once more.

The workers of a cluster do not take over new settings at the same moment: what one of them still reads by the old rules
after another knows the new ones counts as read before, too.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Protocol

from strandline.core.discovery.scope import ScopeRules, SiteScope, wider
from strandline.crawl.orders import Orders
from strandline.store.reading import Reading

_KIND: Final = "scope"
_KEY: Final = "read"


class Notes(Protocol):
    """What is needed of a catalog."""

    @property
    def reading(self) -> Reading:
        """The catalog as it is read."""

    def note(self, kind: str, values: Iterable[tuple[str, bytes | None]]) -> None:
        """Keep something small."""


def reading_anew(orders: Orders, catalog: Notes, now: float, followed: float = 0.0) -> Orders:
    """The orders of a run, which know since when pages were read by a scope as wide as theirs.

    `followed` are the seconds within which all others that read pages go by the same rules.
    """
    scope = orders.scope
    rules = {
        "reach": scope.reach,
        "include": list(scope.include),
        "exclude": list(scope.exclude),
        "hops": scope.hops,
        "requisites": scope.requisites,
        "sitemaps": orders.sitemaps,
        "feeds": orders.feeds,
        "sites": [[one.name, one.reach, list(one.include), list(one.exclude), one.hops] for one in scope.sites],
    }
    kept = catalog.reading.note(_KIND, _KEY)
    before: dict[str, Any] = json.loads(kept) if kept else {**rules, "since": 0.0}
    sites = tuple(SiteScope(*one) for one in before.get("sites", ()))
    last = ScopeRules((), *(before[name] for name in ("reach", "include", "exclude", "hops", "requisites")))
    last = replace(last, sites=sites)
    more = wider(scope, last) or any(rules[name] and not before[name] for name in ("sitemaps", "feeds"))
    since = now + followed if more else float(before["since"])
    told = json.dumps({**rules, "since": since}).encode()
    if told != kept:
        catalog.note(_KIND, [(_KEY, told)])
    return replace(orders, read_since=since)
