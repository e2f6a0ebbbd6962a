"""What each hour of a cluster's watch was meant to do and did: added up, once it is over, from the plans, the purse and
the captures of all workers. Reports and the alarm on the budget read it (store/watching.py, HourRow).
"""

from typing import Final

from strandline.store.postgres.session import Connection
from strandline.store.watching import HourRow

UNANSWERED: Final = "kind = 'page' AND outcome NOT IN ('', 'answered', 'truncated', 'skipped', 'offline')"
"""Pages whose last visit got no whole answer; index `pages_failed` has these words, and so has store/alarming.py."""
_ERRORS: Final = "(status < 200 OR status = 429 OR status >= 500)"
"""Answers that say to ask again, as crawl/visits.py judges them: such a visit failed."""
_NOTE = ("lookout", "hours")
"""Note with the number of the last capture that was looked at."""


def past_hours(connection: Connection, length: float, allowed: float) -> list[HourRow]:
    """Hours that are over and not kept yet; keeps them, in the transaction of the caller.

    `length` are the seconds of an hour, `allowed` is what the budget gives for one.
    """
    hours = connection.execute(
        """SELECT start, taken FROM plan_hours
           WHERE start + %s <= extract(epoch FROM statement_timestamp())::float8
               AND start > coalesce((SELECT max(start) FROM watch_hours), '-infinity'::float8) ORDER BY start""",
        (length,),
    ).fetchall()
    if not hours:
        return []
    kept = connection.execute("SELECT value FROM notes WHERE kind = %s AND key = %s", _NOTE).fetchone()
    behind = int(bytes(kept[0])) if kept else 0  # type: ignore[call-overload]
    row = connection.execute("SELECT coalesce(max(seq), 0) FROM captures").fetchone()
    assert row is not None
    newest = int(str(row[0]))
    found = [
        _hour(connection, (float(str(start)), length), (behind, newest), (allowed, int(str(taken))))
        for start, taken in hours
    ]
    with connection.cursor() as cursor:
        marks = ", ".join(["%s"] * len(HourRow._fields))
        cursor.executemany(f"INSERT INTO watch_hours VALUES ({marks}) ON CONFLICT DO NOTHING".encode(), found)
    # Captures of the hour under way are looked at again with the next one.
    row = connection.execute(
        "SELECT coalesce(min(seq) - 1, %s) FROM captures WHERE seq > %s AND time >= %s",
        (newest, behind, float(str(hours[-1][0])) + length),
    ).fetchone()
    assert row is not None
    connection.execute(
        "INSERT INTO notes VALUES (%s, %s, %s) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
        (*_NOTE, str(row[0]).encode()),
    )
    return found


def _hour(
    connection: Connection, span: tuple[float, float], captures: tuple[int, int], meant: tuple[float, int]
) -> HourRow:
    """One hour: its start and length, the numbers of captures among which its own are, what was allowed and planned."""
    start, length = span
    between = {"start": start, "end": start + length, "behind": captures[0], "newest": captures[1]}
    row = connection.execute(
        f"""SELECT count(*) FILTER (WHERE page AND NOT first), count(*) FILTER (WHERE page AND first),
               count(*) FILTER (WHERE NOT page),
               count(*) FILTER (WHERE page AND NOT first AND status < 400 AND revisit = 0),
               count(*) FILTER (WHERE page AND NOT first AND status < 400 AND revisit <> 0),
               count(*) FILTER (WHERE kind <> 'robots' AND {_ERRORS}), coalesce(sum(length), 0)
           FROM (SELECT kind, kind = 'page' AS page, revisit, length, status,
                   NOT EXISTS (SELECT FROM captures AS old WHERE old.page = captures.page AND old.seq < captures.seq)
                       AS first
               FROM captures JOIN pages USING (page)
               WHERE seq > %(behind)s AND seq <= %(newest)s AND time >= %(start)s AND time < %(end)s
           ) AS made""".encode(),
        between,
    ).fetchone()
    rest = connection.execute(
        f"""SELECT (SELECT coalesce(sum(requests), 0) FROM spending
                   WHERE place = '' AND start >= %(start)s AND start < %(end)s),
               again, unanswered FROM (
               SELECT count(*) AS unanswered, count(*) FILTER (WHERE EXISTS (
                   SELECT FROM captures WHERE captures.page = pages.page)) AS again
               FROM pages WHERE visited >= %(start)s AND visited < %(end)s AND {UNANSWERED}) AS heard""".encode(),
        between,
    ).fetchone()
    assert row is not None and rest is not None
    revisits, firsts, parts, changed, unchanged, errors, octets = (int(str(value)) for value in row)
    requests, again, unanswered = (int(str(value)) for value in rest)
    revisits, firsts = revisits + again, firsts + unanswered - again
    return HourRow(
        hour=int(start // length),
        start=start,
        allowed=meant[0],
        planned=meant[1],
        requests=max(requests, revisits + firsts + parts),
        revisits=revisits,
        firsts=firsts,
        parts=parts,
        changed=changed,
        unchanged=unchanged,
        failed=errors + unanswered,
        octets=octets,
    )
