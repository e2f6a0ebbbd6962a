"""Addresses that workers find: new pages, better ways to known ones, the link graph, claims of sitemaps and feeds.

Part of a commit (store/postgres/recording.py), which has locked the hosts of all pages that are new.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from strandline.core import urls
from strandline.core.capture import Kind
from strandline.ports import Found, Link
from strandline.store.postgres.addresses import Known, clean, host_numbers, key, known_pages
from strandline.store.postgres.frontier import RESTING, SharedFrontier
from strandline.store.postgres.hosts import HostChanges, columns
from strandline.store.postgres.session import Connection
from strandline.store.recording import ENDORSING, OUTLINKS


class SharedFindings:
    """Writes what was found, in a running transaction."""

    def __init__(self, connection: Connection, frontier: SharedFrontier, changes: HostChanges) -> None:
        self._connection = connection
        self._frontier = frontier
        self._changes = changes

    def record(self, found: Sequence[Found], known: dict[str, Known], seen: float) -> dict[str, int]:
        """Add new addresses, note better ways to known ones, keep links and claims; numbers of all."""
        merged: dict[str, Found] = {}
        for one in found:
            merged[one.url] = _better(merged[one.url], one) if one.url in merged else one
        new = [one for url, one in merged.items() if url not in known]
        pages = {url: page.page for url, page in known.items()} | self._insert(new)
        self._improve([(known[url], one) for url, one in merged.items() if url in known])
        links = [
            (one.source, pages[one.url], one.via)
            for one in found
            if one.source and one.source != pages[one.url] and one.via in ENDORSING
        ]
        self._link(links)
        claims = {(pages[one.url], one.via, one.lastmod) for one in found if one.lastmod is not None}
        if claims:
            self._connection.execute(
                """INSERT INTO claims SELECT page, source, time, %s FROM
                   unnest(%s::bigint[], %s::text[], %s::float8[]) AS v (page, source, time) ON CONFLICT DO NOTHING""",
                (seen, *columns(sorted(claims), 3)),
            )
        return pages

    def _insert(self, new: Sequence[Found]) -> dict[str, int]:
        if not new:
            return {}
        hosts = host_numbers(self._connection, {urls.authority(one.url): one.url for one in new})
        table = [
            (
                key(one.url),
                clean(one.url),
                hosts[urls.authority(one.url)],
                one.kind.value,
                one.via,
                one.hops,
                self._frontier.state_for(one.due, 0.0),
                one.priority,
                one.due,
            )
            for one in new
        ]
        done = self._connection.execute(
            """INSERT INTO pages (key, url, host, kind, via, hops, state, priority, due)
               SELECT * FROM unnest(%s::uuid[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::int[],
                   %s::smallint[], %s::float8[], %s::float8[])
               ON CONFLICT (key) DO NOTHING RETURNING key, host, state""",
            columns(table, 9),
        ).fetchall()
        for _, host, state in done:
            change = self._changes[int(str(host))]
            change.pages += 1
            change.moved(None, int(str(state)))
        return {url: page.page for url, page in known_pages(self._connection, [one.url for one in new]).items()}

    def _improve(self, known: Sequence[tuple[Known, Found]]) -> None:
        """A known page may be nearer or more wanted than thought; one known only from records becomes the crawl's."""
        table = []
        for page, one in known:
            if one.via == "archive":
                continue
            adopted = page.via == "archive"
            kind = one.kind.value if page.kind == "requisite" or adopted else page.kind
            nearer = page.hops > one.hops or page.priority > one.priority
            if not (nearer or kind != page.kind or adopted):
                continue
            state = page.state
            if adopted and state == RESTING:
                state = self._frontier.state_for(one.due, 0.0)
                self._changes[page.host].moved(page.state, state)
            via = one.via if adopted else page.via
            due = one.due if adopted else math.inf
            table.append((page.page, one.hops, one.priority, kind, via, state if state != page.state else None, due))
        if not table:
            return
        table.sort()
        numbers = [line[0] for line in table]
        self._connection.execute(
            "SELECT FROM pages WHERE page = ANY (%s::bigint[]) ORDER BY page FOR NO KEY UPDATE", (numbers,)
        )
        self._connection.execute(
            """UPDATE pages SET hops = CASE WHEN pages.via = 'archive' THEN v.hops ELSE least(pages.hops, v.hops) END,
                   priority = least(pages.priority, v.priority), kind = v.kind, via = v.via,
                   state = coalesce(v.state, pages.state), due = least(pages.due, v.due)
               FROM unnest(%s::bigint[], %s::int[], %s::float8[], %s::text[], %s::text[], %s::smallint[], %s::float8[])
                   AS v (page, hops, priority, kind, via, state, due)
               WHERE pages.page = v.page""",
            columns(table, 7),
        )

    def links(self, links: Sequence[Link]) -> None:
        """Keep links to pages that are known; one whose page is not is left out."""
        wanted = [link for link in links if link.source and link.via in ENDORSING]
        known = known_pages(self._connection, {link.url for link in wanted})
        named = [(link.source, known[link.url].page, link.via) for link in wanted if link.url in known]
        self._link([link for link in named if link[0] != link[1]])

    def _link(self, links: Sequence[tuple[int, int, str]]) -> None:
        if not links:
            return
        rows_held = self._connection.execute(
            "SELECT source, count(*) FROM links WHERE source = ANY (%s::bigint[]) GROUP BY source",
            (list({source for source, _, _ in links}),),
        )
        held: Counter[int] = Counter({int(str(source)): int(str(count)) for source, count in rows_held})
        first = {(source, target): via for source, target, via in reversed(links)}
        kept = []
        for (source, target), via in sorted(first.items()):
            held[source] += 1
            if held[source] <= OUTLINKS:
                kept.append((source, target, via))
        self._connection.execute(
            """INSERT INTO links SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[])
               ON CONFLICT DO NOTHING""",
            columns(kept, 3),
        )


def _better(one: Found, other: Found) -> Found:
    """Two ways to one address, as if the second had come to a page already known."""
    if one.via == "archive" != other.via:
        return other
    kind = other.kind if one.kind is Kind.REQUISITE else one.kind
    return replace(one, kind=kind, hops=min(one.hops, other.hops), priority=min(one.priority, other.priority))
