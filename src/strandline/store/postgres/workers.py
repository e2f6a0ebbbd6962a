"""Workers that are gone: declared ended, so that nothing they may still do is recorded."""

from collections.abc import Collection

from strandline.store.postgres.session import Connection, Session


def bury(session: Session, silence: float) -> list[int]:
    """End workers that were silent for so many seconds, and for two of their own leases; 0 ends all. Their commits are
    refused from now on. Returns them.
    """

    def end(connection: Connection) -> list[int]:
        rows = connection.execute(
            """UPDATE workers SET ended = clock_timestamp() WHERE worker IN (
                   SELECT worker FROM workers
                   WHERE ended IS NULL AND seen < statement_timestamp() - interval '1 second'
                       * CASE WHEN %(silence)s > 0 THEN greatest(%(silence)s, 2 * lease) ELSE 0 END
                   ORDER BY worker FOR NO KEY UPDATE SKIP LOCKED) RETURNING worker""",
            {"silence": silence},
        )
        return [int(str(worker)) for (worker,) in rows]

    return session.run(end)


def ended(session: Session, workers: Collection[int]) -> set[int]:
    """Which of these have ended."""

    def ask(connection: Connection) -> set[int]:
        rows = connection.execute(
            "SELECT worker FROM workers WHERE worker = ANY (%s::bigint[]) AND ended IS NOT NULL", (list(workers),)
        )
        return {int(str(worker)) for (worker,) in rows}

    return session.run(ask, at_once=True)


def last_ended(session: Session) -> float:
    """When a worker last ended, as UTC epoch seconds; 0 when none ever did."""

    def ask(connection: Connection) -> float:
        row = connection.execute("SELECT coalesce(extract(epoch FROM max(ended)), 0)::float8 FROM workers").fetchone()
        return float(str(row[0])) if row else 0.0

    return session.run(ask, at_once=True)


def promised(session: Session, file: str) -> int:
    """Where the last record of a WARC file that a commit promised ends; 0 when there is none."""

    def ask(connection: Connection) -> int:
        row = connection.execute(
            """SELECT "offset" + length FROM captures WHERE file = (SELECT file FROM files WHERE name = %s)
               ORDER BY "offset" DESC LIMIT 1""",
            (file,),
        ).fetchone()
        return int(str(row[0])) if row else 0

    return session.run(ask, at_once=True)
