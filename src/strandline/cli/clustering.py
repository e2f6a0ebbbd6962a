"""Running a worker from the terminal: the same progress, lines and exit codes as a crawl."""

import sys
from pathlib import Path

from strandline.cli.crawling import crawl_limits, follow, heard_captures, report
from strandline.cli.output import tell
from strandline.cluster.shared import open_cluster
from strandline.cluster.worker import WorkerRequest
from strandline.cluster.worker import run_worker as work
from strandline.crawl.preparing import CrawlRequest
from strandline.errors import UsageError


def run_worker(
    place: tuple[str, str],
    spool: Path | None,
    limits: tuple[int, str, str],
    times: tuple[float, float, float, float],
    as_lines: bool,
    quiet: bool,
) -> None:
    """Work and report. Exceptions carry the exit code of the way it ended.

    `times` are seconds: a lease, between commits, of patience, and of an hour of a watch (0 for one pass).
    """
    lease, commit_seconds, patience, hour = times
    if not 0.0 <= hour <= 3600.0:
        raise UsageError(f"--hour-seconds: an hour lasts at most 3600 seconds, not {hour:g}")
    cluster = open_cluster(*place, upgrade=True)

    progress, finish = follow(sys.stderr.isatty() and not quiet)
    request = WorkerRequest(
        crawl=CrawlRequest((), crawl_limits(*limits), heard_captures(as_lines), progress),
        spool=spool,
        lease=lease,
        patience=patience,
        commit_seconds=commit_seconds,
        hour=hour,
        say=lambda line: tell(f"strandline: {line}"),
    )
    report(lambda: work(cluster, request), finish, as_lines, quiet)


def watch_cluster(
    database: str,
    folder: Path | None,
    own: list[str],
    times: tuple[float, float],
    as_lines: bool,
    quiet: bool,
) -> None:
    """`watch --database`: a worker that watches. `times` are the hours it runs (0: for ever) and seconds of an hour."""
    if not database:
        raise UsageError("an archive folder is missing (or --database, to watch as a worker of a cluster)")
    if folder is not None:
        raise UsageError("give a folder or --database, not both")
    if own:
        raise UsageError(
            f"{own[0]}: all workers follow the cluster's settings; change them with: strandline cluster init"
        )
    hours, length = times[0], times[1] or 3600.0
    limit = f"{hours * length:g}s" if hours else ""
    run_worker(
        (database, ""),
        None,
        (0, limit, ""),
        (60.0, 5.0 * min(1.0, length / 3600.0) + 0.2, 120.0, length),
        as_lines,
        quiet,
    )
