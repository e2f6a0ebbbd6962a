"""Rows of the database as the words of `core.capture` and `ports`, and back."""

from collections.abc import Iterable, Iterator

from strandline.core.capture import Capture, Evidence, Kind, Original, Place, Rendering
from strandline.ports import PLANNED, PageRow

CAPTURE = """pages.url, captures.time, status, mime, digest, files.name, offset, length, revisit, truncated, redirect,
    record_id, entity, original_url, original_time, original_digest, original_record,
    rendered_digest, rendered_at, rendered_length"""
"""Columns `capture` reads, of captures joined with pages and files."""

CAPTURES = "captures JOIN pages USING (page) JOIN files USING (file)"

CONTENT = "coalesce(rendered_digest, original_digest, digest)"
"""What a capture showed, by digest: captures with the same one show the same."""

DEAD_LINK = """evidence = 'absent' AND NOT EXISTS
    (SELECT 1 FROM captures AS answered WHERE answered.page = pages.page AND answered.status < 400
        AND NOT EXISTS (SELECT 1 FROM pages AS target
            WHERE answered.redirect <> '' AND target.url = answered.redirect AND target.evidence = 'absent'))"""
"""An address that is not there, or leads to one that is not, and under which nothing was ever seen: no page, so no
measure counts it."""

ANSWERED_WITH = """CASE WHEN evidence = 'unreachable' THEN
    (SELECT status FROM captures AS answered WHERE answered.page = pages.page
        ORDER BY time DESC, seq DESC LIMIT 1) END"""
"""The last status of a page that could not be had; NULL when it could, or nothing was answered."""

FAILED = """outcome NOT IN ('', 'skipped') AND (attempts > 0 OR outcome NOT IN ('answered', 'truncated'))"""
"""Pages whose last visit failed: it got no whole answer, or one that says to ask again (429, 5xx)."""

COMES_BACK = f"""due < {PLANNED!r} AND kind = 'page' AND visited > 0 AND attempts = 0
    AND (evidence = 'present' OR outcome = 'skipped' AND evidence <> 'absent')"""
"""Pages whose visits are planned from the start of a watch on; retries, and what was not there or was refused, are
not."""

PAGE = "page, url, kind, evidence, since, weight, due, captures, via, detail"
"""Columns `page_row` reads."""

Row = tuple[object, ...]


def count_due(pages: str = "", hosts: str = "") -> str:
    """A query: how many pages and parts are due by a moment (three times) and may be asked for by then. Of a host that
    failed last one: it is tried with it. More conditions may be put to pages and hosts.
    """
    return f"""SELECT coalesce(sum(CASE WHEN failures > 0 THEN 1 ELSE many END), 0) FROM (
        SELECT host, count(*) AS many FROM pages WHERE due <= ? AND not_before <= ? AND state <> 3 {pages}
        GROUP BY host
    ) AS of_host JOIN hosts USING (host) WHERE hosts.not_before <= ? {hosts}"""


LAST_TURNS = 1 << 40
"""Turns from here on are those of hosts that were never heard of, or failed last. Origin: a definition."""
GOES_LAST = "(captures = 0 OR failures > 0)"
"""Whether a host is asked in a new pass when no other may be: hundreds of servers that are gone would hold all
connections while the pages of a site wait. Whoever is asked takes a usual turn again."""


def left_out(last: str, start: str) -> str:
    """Whether a host has pages that the pass begun at `last` did not come to, or that it answered with "too many
    requests" (429); but not where the last pass was for such pages (their others are due right after its start) and got
    none of them.
    """
    of_host = "SELECT 1 FROM pages WHERE pages.host = hosts.host AND"
    return f"""EXISTS ({of_host} due <= {last} AND kind = 'page' AND (attempts = 0 OR {ANSWERED_WITH} = 429))
    AND (NOT EXISTS ({of_host} due = {last} + 0.001) OR EXISTS ({of_host} due > {last} + 0.001 AND due <= {start}))"""


def capture(row: Row) -> Capture:
    """A row of the columns CAPTURE."""
    (url, time, status, mime, digest, file, offset, length, revisit, truncated, redirect, record_id, entity) = row[:13]
    return Capture(
        url=str(url),
        time=_real(time),
        status=whole(status),
        mime=str(mime),
        digest=str(digest),
        place=Place(str(file), whole(offset), whole(length)),
        revisit=bool(revisit),
        truncated=str(truncated),
        redirect=str(redirect),
        record_id=str(record_id),
        entity=str(entity),
        original=original(row[13:17]),
        rendering=_rendering(row[17:]),
    )


def original(row: Row) -> Original | None:
    """What a revisit refers to; None for any other capture."""
    url, time, digest, record_id = row
    return None if url is None else Original(str(url), _real(time), str(digest), str(record_id))


def _rendering(row: Row) -> Rendering | None:
    """What a browser made of a capture; None where there is nothing that stands for the page."""
    digest, offset, length = row
    return None if digest is None else Rendering(str(digest), whole(offset), whole(length))


def payload_of(found: Capture) -> Original:
    """The record that holds the payload of a capture: itself, or what it is a revisit of."""
    if found.revisit and found.original is not None:
        return found.original
    return Original(found.url, found.time, found.digest, found.record_id)


def capture_values(found: Capture, page: int, file: int) -> Row:
    """Values for INSERT_CAPTURE."""
    held, shown = found.original, found.rendering
    return (
        page,
        found.time,
        found.status,
        found.mime,
        found.digest,
        file,
        found.place.offset,
        found.place.length,
        found.revisit,
        found.truncated,
        found.redirect,
        found.record_id,
        found.entity,
        held and held.url,
        held and held.time,
        held and held.digest,
        held and held.record_id,
        shown and shown.digest,
        shown and shown.offset,
        shown and shown.length,
    )


READ = "CASE WHEN outcome IN ('answered', 'skipped') AND evidence = 'present' THEN visited ELSE 0.0 END"
"""`ports.Task.read` of a page."""

INSERT_CAPTURE = f"""INSERT OR IGNORE INTO captures
    (page, time, status, mime, digest, file, offset, length, revisit, truncated, redirect, record_id, entity,
     original_url, original_time, original_digest, original_record, rendered_digest, rendered_at, rendered_length)
    VALUES ({", ".join("?" * 20)})"""
"""A record is recorded once, whoever brings it."""


def page_row(row: Row) -> PageRow:
    """A row of the columns PAGE."""
    page, url, kind, evidence, since, weight, due, captures, via, detail = row
    return PageRow(
        page=whole(page),
        url=str(url),
        kind=Kind(str(kind)),
        evidence=Evidence(str(evidence)),
        since=_real(since),
        weight=_real(weight),
        due=_real(due),
        captures=whole(captures),
        via=str(via),
        detail=str(detail),
    )


def first_told(told: Iterable[Row]) -> Iterator[tuple[int, float, float, str]]:
    """Of claims about a last change (page, time, when it was read, source; in this order) those that were first to
    tell of a time. What an older release kept without saying who told it is taken for a sitemap's word.

    >>> list(first_told([(1, 5.0, 6.0, "feed"), (1, 5.0, 9.0, "sitemap"), (1, 8.0, 9.0, "link")]))
    [(1, 5.0, 6.0, 'feed'), (1, 8.0, 9.0, 'sitemap')]
    """
    before: tuple[int, float] | None = None
    for row in told:
        page, time, seen, source = whole(row[0]), _real(row[1]), _real(row[2]), str(row[3])
        if (page, time) != before:
            yield page, time, seen, "sitemap" if source == "link" else source
        before = page, time


def _real(value: object) -> float:
    assert isinstance(value, float)
    return value


def whole(value: object) -> int:
    """A column of whole numbers as what it is."""
    assert isinstance(value, int)
    return value
