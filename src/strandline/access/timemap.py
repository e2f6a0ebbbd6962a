"""TimeMaps: the mementos of a page, as a list of links (RFC 7089), as JSON and as CDXJ lines, written as read."""

import json
from collections.abc import Iterable, Iterator

from strandline.access.addresses import Base
from strandline.access.cdx import fields_of
from strandline.access.index import CaptureIndex
from strandline.access.memento import key_of
from strandline.access.timestamps import http_date, timestamp
from strandline.core.capture import Capture

TYPES = {
    "link": "application/link-format; charset=utf-8",
    "json": "application/json",
    "cdxj": "text/x-cdxj; charset=utf-8",
}
"""Forms, and the media type of each."""


def timemap(form: str, index: CaptureIndex, url: str, base: Base) -> Iterator[str] | None:
    """The TimeMap of a page in pieces of text; None when it has no mementos."""
    key = key_of(url)
    captures = index.captures(key)
    first = next(captures, None)
    if first is None:
        return None
    newest = index.before(key, float("inf"), 1)
    last = newest[0] if newest else first
    if form == "cdxj":
        return (_cdxj_line(key, capture) for capture in _chain(first, captures))
    if form == "json":
        return _json(_chain(first, captures), url, base, last)
    return _link(_chain(first, captures), url, base, last)


def _chain(first: Capture, rest: Iterator[Capture]) -> Iterator[Capture]:
    """Captures of one second share an address: each timestamp is listed once."""
    seen = timestamp(first.time)
    yield first
    for capture in rest:
        if (digits := timestamp(capture.time)) != seen:
            seen = digits
            yield capture


def _cdxj_line(key: str, capture: Capture) -> str:
    fields = fields_of(key, capture)
    return f"{key} {fields.pop('timestamp')} {json.dumps({k: v for k, v in fields.items() if k != 'urlkey'})}\n"


def _roles(captures: Iterable[Capture], last: Capture) -> Iterator[tuple[str, Capture]]:
    final = timestamp(last.time)
    for number, capture in enumerate(captures):
        words = ["first"] if number == 0 else []
        if timestamp(capture.time) == final:
            words.append("last")
        yield " ".join([*words, "memento"]), capture


def _link(captures: Iterator[Capture], url: str, base: Base, last: Capture) -> Iterator[str]:
    yield f'<{url}>; rel="original"'
    yield f',\n<{base.timegate(url)}>; rel="timegate"'
    for role, capture in _roles(captures, last):
        if role.startswith("first"):
            yield (
                f',\n<{base.timemap(url)}>; rel="self"; type="application/link-format"; '
                f'from="{http_date(capture.time)}"; until="{http_date(last.time)}"'
            )
        yield f',\n<{base.memento(url, capture.time)}>; rel="{role}"; datetime="{http_date(capture.time)}"'
    yield "\n"


def _json(captures: Iterator[Capture], url: str, base: Base, last: Capture) -> Iterator[str]:
    head = {
        "original_uri": url,
        "timegate_uri": base.timegate(url),
        "timemap_uri": {form: base.timemap(url, form) for form in TYPES},
    }
    yield json.dumps(head)[:-1] + ', "mementos": {"list": ['
    first = None
    for number, capture in enumerate(captures):
        first = first or capture
        yield (",\n" if number else "\n") + json.dumps(_entry(capture, url, base))
    ends = {"first": _entry(first or last, url, base), "last": _entry(last, url, base)}
    yield "\n], " + json.dumps(ends)[1:] + "}\n"


def _entry(capture: Capture, url: str, base: Base) -> dict[str, str]:
    return {"datetime": http_date(capture.time), "uri": base.memento(url, capture.time)}
