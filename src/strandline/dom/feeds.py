"""Feeds: RSS 2.0 and 1.0, Atom, JSON Feed. Each entry names a page and when it was last updated, as evidence."""

import contextlib
import json
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import ada_url
from lxml import etree

from strandline.core.discovery.hints import feed_period
from strandline.core.urls import canonical
from strandline.dom.sitemaps import local, time_of, xml_elements
from strandline.ports import Discovery, Named

ENTRIES = 10_000
BYTES = 50 * 1024 * 1024

_LONGEST = 2_000
"""Letters of the address of a hub."""
_TIMES = ("updated", "modified", "pubDate", "published", "date", "issued")
"""In the order they tell of the last change: Atom, RSS, Dublin Core."""


def feed_time(text: str) -> float | None:
    """UTC seconds of an RSS (RFC 822) or Atom (RFC 3339) time; None if it is none.

    >>> feed_time("Sun, 01 Mar 2026 12:00:00 GMT"), feed_time("2026-03-01T12:00:00Z"), feed_time("soon")
    (1772366400.0, 1772366400.0, None)
    """
    plain = time_of(text)
    if plain is not None or not text.strip():
        return plain
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def discover_feed(url: str, body: bytes) -> Discovery:
    """Addresses of a feed's entries, each as "link" with the time the feed claims."""
    named: dict[str, Named] = {}
    lost = "" if len(body) <= BYTES else f"larger than {BYTES} bytes"
    data = body[:BYTES]
    try:
        entries = _of_json(data) if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else _of_xml(data)
        for written, updated in entries:
            if len(named) >= ENTRIES:
                lost = f"more than {ENTRIES} entries"
                break
            try:
                address = canonical(written.strip(), url)
            except ValueError:
                continue
            named.setdefault(address, Named(address, "link", updated))
    except (ValueError, RecursionError, etree.LxmlError) as problem:
        lost = str(problem)[:200] or "not readable"
    hub, topic = (_absolute(written, url) for written in _hub(data))
    return Discovery(tuple(named.values()), lost=lost, asks=_asks(data), hub=hub, topic=topic)


def _absolute(written: str, url: str) -> str:
    """An address as it is to be asked for, resolved and otherwise as it was written: hubs compare letter by letter."""
    try:
        found = ada_url.URL(written.strip(), url).href if written.strip() else ""
    except ValueError:
        return ""
    return found if found.startswith(("http://", "https://")) and len(found) <= _LONGEST else ""


def _hub(data: bytes) -> tuple[str, str]:
    """The hub a feed names before its first entry, and its own address there; empty for none."""
    said: dict[str, str] = {}
    if b"hub" not in data:
        return "", ""
    with contextlib.suppress(ValueError, RecursionError, etree.LxmlError):
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return _hub_of_json(data)
        for element in xml_elements(data, ("link", "item", "entry")):
            if local(element) != "link":
                break
            if local(element.getparent()) in ("feed", "channel"):
                for relation in (element.get("rel") or "").lower().split():
                    said.setdefault(relation, element.get("href") or "")
    return said.get("hub", ""), said.get("self", "")


def _hub_of_json(data: bytes) -> tuple[str, str]:
    document = json.loads(data.decode("utf-8-sig", "replace"))
    hubs = document.get("hubs") if isinstance(document, dict) else None
    for one in hubs if isinstance(hubs, list) else ():
        if isinstance(one, dict) and one.get("type") == "WebSub" and isinstance(one.get("url"), str):
            topic = document.get("feed_url")
            return one["url"], topic if isinstance(topic, str) else ""
    return "", ""


def _asks(data: bytes) -> float:
    """Seconds for which a feed asks to be left alone, as it says before its first entry; 0 for nothing."""
    said: dict[str, str] = {}
    if b"ttl" in data or b"updatePeriod" in data:
        with contextlib.suppress(ValueError, etree.LxmlError):
            for element in xml_elements(data, ("ttl", "updatePeriod", "updateFrequency", "item", "entry")):
                name = local(element)
                if name in ("item", "entry"):
                    break
                if local(element.getparent()) == "channel":
                    said.setdefault(name, element.text or "")
    return feed_period(*(said.get(name, "") for name in ("ttl", "updatePeriod", "updateFrequency")))


def _of_xml(data: bytes) -> Iterator[tuple[str, float | None]]:
    for element in xml_elements(data, ("item", "entry")):
        link, times = "", {}
        for child in element:
            name = local(child)
            if name == "link" and child.get("rel", "alternate") == "alternate":
                link = link or child.get("href") or (child.text or "")
            elif name == "guid" and child.get("isPermaLink", "true") == "true" and not link:
                link = child.text or ""
            elif name in _TIMES:
                times[name] = child.text or ""
        if link.strip():
            yield link, next((feed_time(times[name]) for name in _TIMES if name in times), None)


def _of_json(data: bytes) -> Iterator[tuple[str, float | None]]:
    document = json.loads(data.decode("utf-8-sig", "replace"))
    items = document.get("items") if isinstance(document, dict) else None
    for item in items if isinstance(items, list) else ():
        link: Any = item.get("url") if isinstance(item, dict) else None
        if isinstance(link, str) and link:
            claimed = item.get("date_modified") or item.get("date_published") or ""
            yield link, feed_time(claimed) if isinstance(claimed, str) else None
