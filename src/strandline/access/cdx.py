"""The CDX server API: the index over HTTP, as pywb and Wayback machines offer it.

url        address, or a pattern: `http://example.com/a*` (prefix), `*.example.com` (domain)
matchType  exact, prefix, host, domain
from, to   4 to 17 digits; a short one means the whole of what it names
output     cdxj (the default), json (one object a line), text
fl, fields comma-separated names of fields
filter     may be given several times, see `cdx_filters`
collapse   field, or field:n for its first n characters: of neighbours that agree only the first is kept
sort       reverse, or closest together with closest=<timestamp>
limit      number of lines; a negative number takes the last ones
resumeKey  continue where an answer with showResumeKey=true ended
"""

import base64
import binascii
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from strandline.access.addresses import original
from strandline.access.cdx_filters import Condition, condition
from strandline.access.index import ALWAYS, CaptureIndex, Span
from strandline.access.memento import key_of
from strandline.access.timestamps import last_moment, moment, timestamp
from strandline.core.capture import Capture

TYPES = {"cdxj": "text/x-cdxj", "json": "text/x-ndjson", "text": "text/plain; charset=utf-8"}
MOST = 100_000
"""Lines of one answer; `resumeKey` continues."""

Row = dict[str, str]


def fields_of(key: str, capture: Capture) -> Row:
    """A line of the index by field names, in the order of a CDXJ line."""
    row = {
        "urlkey": key,
        "timestamp": timestamp(capture.time),
        "url": capture.url,
        "mime": "warc/revisit" if capture.revisit else capture.mime or "unk",
        "status": str(capture.status) if capture.status else "-",
        "digest": capture.digest,
        "length": str(capture.place.length),
        "offset": str(capture.place.offset),
        "filename": capture.place.file,
    }
    if capture.redirect:
        row["redirect"] = capture.redirect
    return row


@dataclass(frozen=True, slots=True)
class CdxQuery:
    """A query that was understood."""

    span: Span
    output: str = "cdxj"
    fields: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    collapse: tuple[str, int] | None = None
    backwards: bool = False
    closest: float | None = None
    limit: int = MOST
    show_resume_key: bool = False


def parse_query(pairs: Sequence[tuple[str, str]]) -> CdxQuery:
    """Read the parameters of a request; ValueError names the one that is wrong. Unknown ones are passed over."""
    given = dict(reversed(pairs))
    if not given.get("url"):
        raise ValueError("url is missing")
    output = given.get("output", "cdxj")
    if output not in TYPES:
        raise ValueError(f"output is cdxj, json or text, not {output[:40]!r}")
    start, end = _keys(given["url"], given.get("matchType", ""))
    since, until = ALWAYS
    if digits := given.get("from") or given.get("from_ts"):
        since = moment(digits)
    if digits := given.get("to"):
        until = last_moment(digits)
    wanted = tuple(name for name in (given.get("fields") or given.get("fl") or "").split(",") if name)
    return CdxQuery(
        Span(start, end, since, until, _resume(given.get("resumeKey", ""))),
        output,
        wanted,
        tuple(condition(value) for name, value in pairs if name == "filter"),
        _collapse(given),
        given.get("sort") == "reverse" or given.get("reverse", "").lower() in ("1", "true"),
        moment(given["closest"]) if given.get("closest") else None,
        _limit(given.get("limit", "")),
        given.get("showResumeKey", "").lower() in ("1", "true"),
    )


def _limit(text: str) -> int:
    if not text:
        return MOST
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"limit is a number, not {text[:40]!r}") from None
    return max(-MOST, min(number, MOST))


def _collapse(given: Mapping[str, str]) -> tuple[str, int] | None:
    if given.get("collapseTime"):
        return "timestamp", int(given["collapseTime"])
    name, found, length = given.get("collapse", "").partition(":")
    if found and not length.isdigit():
        raise ValueError(f"collapse is field or field:number, not {given['collapse'][:40]!r}")
    return (name, int(length) if found else 2083) if name else None


def _keys(url: str, match: str) -> tuple[str, str]:
    """The stretch of keys an address and a way to match mean."""
    if not match:
        match = "domain" if url.startswith("*.") else "prefix" if url.endswith("*") else "exact"
        url = url.removeprefix("*.") if match == "domain" else url.removesuffix("*") if match == "prefix" else url
    key = key_of(original(url))
    host = key.partition(")")[0]
    if match == "exact":
        return key, key + "\0"
    if match == "prefix":
        # A path that ends in a slash loses it in the key; what follows it must still begin there.
        start = key + "/" if url.endswith("/") and not key.endswith("/") else key
        return start, start[:-1] + chr(ord(start[-1]) + 1)
    if match == "host":
        return f"{host})/", f"{host})0"
    if match == "domain":
        return f"{host})/", f"{host}-"
    raise ValueError(f"matchType is exact, prefix, host or domain, not {match[:40]!r}")


def rows(index: CaptureIndex, query: CdxQuery) -> Iterator[Row]:
    """Lines that answer a query, in its order and number."""
    found: Iterator[Row] = (fields_of(key, capture) for key, capture in index.scan(query.span))
    found = (row for row in found if all(test(row) for test in query.conditions))
    if query.collapse:
        found = _collapsed(found, *query.collapse)
    if query.closest is not None:
        at = query.closest
        near = sorted(islice(found, MOST), key=lambda row: abs(moment(row["timestamp"]) - at))
        return iter(near[: abs(query.limit)])
    if query.backwards or query.limit < 0:
        kept = deque(found, maxlen=abs(query.limit))
        return iter(kept if not query.backwards else reversed(kept))
    return islice(found, query.limit)


def _collapsed(found: Iterator[Row], name: str, length: int) -> Iterator[Row]:
    before: tuple[str, str] | None = None
    for row in found:
        same = (row["urlkey"], row.get(name, "")[:length])
        if same != before:
            before = same
            yield row


def lines(index: CaptureIndex, query: CdxQuery) -> Iterator[str]:
    """The answer as text, written as it is read."""
    write = _WRITERS[query.output]
    last: Row | None = None
    count = 0
    for last in rows(index, query):
        count += 1
        yield write(last, query.fields)
    if query.show_resume_key and last is not None and count == query.limit:
        yield f"\n{resume_key(last)}\n"


def _cdxj(row: Row, names: tuple[str, ...]) -> str:
    shown = {name: row[name] for name in names or row if name in row and name not in ("urlkey", "timestamp")}
    return f"{row['urlkey']} {row['timestamp']} {json.dumps(shown)}\n"


def _json(row: Row, names: tuple[str, ...]) -> str:
    return json.dumps({name: row[name] for name in names or row if name in row}) + "\n"


def _text(row: Row, names: tuple[str, ...]) -> str:
    return " ".join(row.get(name, "-") or "-" for name in names) + "\n" if names else _cdxj(row, ())


_WRITERS: dict[str, Callable[[Row, tuple[str, ...]], str]] = {"cdxj": _cdxj, "json": _json, "text": _text}


def resume_key(row: Row) -> str:
    """Where an answer ended, in one word."""
    return base64.urlsafe_b64encode(f"{row['urlkey']} {row['timestamp']}".encode()).decode().rstrip("=")


def _resume(text: str) -> tuple[str, float] | None:
    if not text:
        return None
    try:
        key, _, digits = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().rpartition(" ")
        return key, last_moment(digits)
    except (binascii.Error, ValueError):
        raise ValueError("resumeKey is not one of ours") from None
