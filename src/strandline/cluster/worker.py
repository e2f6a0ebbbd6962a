"""One worker of a cluster: fetch, WARC to object storage, commit; beside it, study and learn; finish what others left.

A worker holds nothing that matters. Its leases run out by the clock of the database when it dies, its unfinished WARC
file is joined from its parts by any other, and what it had not committed is fetched again. When it is thought dead and
is not (a machine that slept, a network that was cut), its commit is refused, and it starts anew under a new number. So
it does, between two commits, when the cluster's settings have changed (cluster/following.py).
"""

import contextlib
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from strandline.archive.disk_space import room_check
from strandline.cluster.background import BackgroundJob, BackgroundThread, Step
from strandline.cluster.database_clock import DatabaseClock, OnTime
from strandline.cluster.finishing import finish_files
from strandline.cluster.following import CHANGED, Account, Following, follow_job
from strandline.cluster.logins import ClusterLogins, logins_job
from strandline.cluster.shared import Cluster
from strandline.crawl.browsing import LookNotes
from strandline.crawl.conduct import Conduct
from strandline.crawl.logged_in import LoggedIn
from strandline.crawl.loop import Crawl
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.preparing import (
    CrawlRequest,
    Prepared,
    browsing_for,
    fetch_options,
    not_again,
    prepare_crawl,
    stopped_by_signals,
    warc_info,
    with_secrets,
    writer_settings,
)
from strandline.crawl.scope_widened import reading_anew
from strandline.crawl.skips import SkipNothing, Skips
from strandline.crawl.tally import Tally
from strandline.dom.documents import Documents
from strandline.errors import ArchiveBusy, LeaseLost
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import user_agent
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.frontier import LeaseTerms
from strandline.store.postgres.session import Session
from strandline.store.postgres.takedowns import SharedJournal
from strandline.store.postgres.workers import bury, last_ended
from strandline.store.takedowns import erased_by
from strandline.version import __version__
from strandline.warc.objects import Objects
from strandline.warc.objects_writer import ObjectWriter

COMMIT_SECONDS: Final = 5.0
COMMIT_CAPTURES: Final = 256
"""Each commit is an object in the store: larger ones than on a disk of one's own."""
_LOOK: Final = 30.0
_EVERY: Final = 2.0
"""Seconds between two tries to begin while something is being erased. Origin: a guess."""
_APART: Final = 2.0
"""Seconds a machine's clock may be wrong before that is said."""
_HOUR: Final = 3600.0
_LONGEST: Final = 300.0
"""Seconds a host is kept from other workers for politeness, at most: longer waits are written into the catalog."""


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """How one worker runs."""

    crawl: CrawlRequest = field(default_factory=CrawlRequest)
    spool: Path | None = None
    """Folder for the file being written and bodies being received; a temporary one by default."""
    lease: float = 60.0
    """Seconds after which a worker that is not heard of has lost its hosts."""
    patience: float = 120.0
    """Seconds the database or the store may be away."""
    commit_seconds: float = COMMIT_SECONDS
    commit_captures: int = COMMIT_CAPTURES
    hour: float = 0.0
    """Seconds an hour of a watch lasts: pages are visited again as the desks of their sites plan it. 0: one pass."""
    say: Callable[[str], None] = lambda _: None


def run_worker(cluster: Cluster, request: WorkerRequest) -> Tally:
    """Work on the pass under way until nothing waits, a limit is reached or a signal comes."""
    _prepared(cluster, request, request.crawl)  # what is wrong is said before anything is touched
    ClusterLogins(cluster).read()
    objects = Objects(cluster.store, request.patience)
    objects.check()
    with contextlib.ExitStack() as stack:
        if request.spool is None:
            spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strandline-worker-")))
        else:
            spool = request.spool
            spool.mkdir(parents=True, exist_ok=True, mode=0o700)
        stack.enter_context(BackgroundThread(_janitor(cluster, request, spool), request.say))
        following, account, waited = Following(cluster, request.say), Account(request.crawl), False
        _erase_first(cluster, request.say)
        while (rest := account.rest()) is not None:
            try:
                tally = _work(following, _prepared(following.cluster, request, rest), request, (objects, spool))
            except LeaseLost as lost:
                if not request.hour and not pass_under_way(cluster.database):
                    request.say(f"the others have finished meanwhile: {lost}")
                    account.add(Tally(ended="complete"))
                    break
                request.say(f"starting anew: {lost}")
                continue
            except ArchiveBusy as busy:
                if not waited:
                    request.say(f"waiting: {busy}")
                waited = True
                time.sleep(_EVERY)
                _erase_first(cluster, request.say)
                continue
            account.add(tally)
            if tally.ended != CHANGED:
                break
        if request.hour and account.total.ended == "time":
            account.total.ended = "complete"
        return account.total


def _erase_first(cluster: Cluster, say: Callable[[str], None]) -> None:
    """Bring what keepers want erased to its end before anything is written; others that write are waited for later."""
    from strandline.cluster.erasing import erasing, erasure_waits  # noqa: PLC0415 - hardly ever needed

    if erasure_waits(cluster):
        with contextlib.suppress(ArchiveBusy), erasing(cluster, say):
            pass


def _prepared(cluster: Cluster, request: WorkerRequest, crawl: CrawlRequest) -> Prepared:
    """What the settings and a request ask for; SettingError when they cannot be followed."""
    prepared = prepare_crawl(cluster.settings, crawl)
    orders = replace(
        prepared.orders,
        commit_seconds=request.commit_seconds,
        commit_captures=request.commit_captures,
        # A pass is not over while a worker that may be dead holds pages: its lease must run out first.
        patience=max(prepared.orders.patience, 2 * request.lease),
    )
    return replace(prepared, orders=orders)


def pass_under_way(database: str) -> bool:
    """Whether there is still something to do in the pass that workers share."""
    with contextlib.closing(Session(database, 10.0)) as session:
        return session.run(
            lambda connection: connection.execute("SELECT FROM passes WHERE ended IS NULL").rowcount > 0, at_once=True
        )


def _work(following: Following, prepared: Prepared, request: WorkerRequest, place: tuple[Objects, Path]) -> Tally:
    """One registration, from the first lease to the last commit."""
    (objects, folder), settings, cluster = place, prepared.settings, following.cluster
    conduct = Conduct(prepared, lambda site: [row.name for row in catalog.reading.hosts(site)])
    manners = conduct.manners

    def polite(authority: str) -> float:
        now = time.monotonic()
        wait = max(0.0, manners.ready_at(authority, now) - now)
        if math.isinf(wait):  # an answer is still awaited, or was given up just now
            wait = prepared.manners.most if prepared.manners.delay is None else prepared.manners.delay
        return min(_LONGEST, wait)

    agent = user_agent(__version__, settings.archive.contact)
    terms = LeaseTerms(request.lease, polite)
    with contextlib.ExitStack() as stack:
        catalog = stack.enter_context(
            contextlib.closing(PostgresCatalog(cluster.database, terms, patience=request.patience))
        )
        asking = stack.enter_context(contextlib.closing(Session(cluster.database, request.patience)))
        clock = DatabaseClock(asking)
        apart = _tell_wrong_clock(clock, request.say)
        spool = stack.enter_context(tempfile.TemporaryDirectory(prefix="bodies-", dir=folder))
        shelf = ClusterLogins(cluster)
        sealed = shelf.sealed()
        known = shelf.opened(sealed)
        logged_in = LoggedIn(lambda: known, clock.now, partial(shelf.logged_out, conduct.gate, clock.now))
        options = fetch_options(settings, prepared.policy, agent, Path(spool))
        options = replace(options, site_headers=conduct.fields, logins=logged_in.fields)
        fetcher = stack.enter_context(
            contextlib.closing(HttpFetcher(with_secrets(options, prepared.orders.scope.seeds)))
        )
        naming = writer_settings(settings)
        naming = replace(naming, host=f"{naming.host}-w{catalog.worker}")
        # What is in the store is whole without it: a file that was not finished is joined from its parts.
        own = folder / f"w{catalog.worker}"
        stack.callback(shutil.rmtree, own, ignore_errors=True)
        store = stack.enter_context(ObjectWriter(objects, own, warc_info(settings, agent), clock, naming))
        parts = Parts(
            OnTime(fetcher, clock),
            store,
            catalog,
            Documents(),
            clock,
            manners,
            room_check(settings.keep.disk_reserve, (folder,)),
            _skips(cluster, request, stack),
            stack.enter_context(browsing_for(settings.capture, fetcher.wake, _notes(catalog), logged_in.cookies)),
            conduct.gate,
            logged_in,
        )

        def other_logins() -> None:
            request.say("other logins from now on")
            crawl.end(CHANGED)

        def progress(tally: Tally) -> None:
            nonlocal apart
            if clock.age > _LOOK:
                apart = _tell_wrong_clock(clock, request.say, apart)
            prepared.request.progress(tally)

        watch = None
        if request.hour:
            from strandline.cluster.watching import watching  # noqa: PLC0415 - planning is slow to load

            watch = watching(cluster, catalog, clock, (request.hour, request.say))
        with contextlib.ExitStack() as beside:
            for job in _jobs(cluster, catalog.worker, request.hour):
                beside.enter_context(BackgroundThread(job, request.say))
            agenda = beside.enter_context(watch) if watch is not None else None
            orders = reading_anew(prepared.orders, catalog, clock.now(), request.lease + prepared.orders.grace)
            orders = not_again(orders, erased_by(SharedJournal(asking).known_acts()))
            crawl = Crawl(parts, orders, Reporter(prepared.request.captured, progress), agenda)
            beside.enter_context(
                BackgroundThread(follow_job(following, lambda: catalog.settings_mark, crawl.end), request.say)
            )
            beside.enter_context(BackgroundThread(logins_job(shelf, sealed, other_logins), request.say))
            beside.enter_context(stopped_by_signals(crawl))
            tally = crawl.run()
        if not request.hour and tally.ended == "complete" and settings.study.workers > 0:
            with stopped_by_signals(crawl):
                _study_rest(cluster, catalog.worker, crawl)
        return tally


def _notes(catalog: PostgresCatalog) -> LookNotes:
    """What all workers know of where a browser pays; of a site, the one that holds its hosts writes."""
    return LookNotes(catalog.reading.note, catalog.note)


def _skips(cluster: Cluster, request: WorkerRequest, stack: contextlib.ExitStack) -> Skips:
    """What is left out as unchanged; where that is nothing, nothing is loaded for it."""
    settings, watching = cluster.settings, request.hour > 0
    if (settings.plan.skip if watching else settings.crawl.skip) == "none":
        return SkipNothing()
    from strandline.cluster.skipping import worker_skips  # noqa: PLC0415 - slow to load

    session = stack.enter_context(contextlib.closing(Session(cluster.database, request.patience)))
    return worker_skips(settings, session, watching)


def _jobs(cluster: Cluster, worker: int, watched: float) -> list[BackgroundJob]:
    """What every worker does beside its crawl; `watched` are the seconds of an hour of a watch, 0 for one pass."""
    from strandline.cluster.learning import learn_job  # noqa: PLC0415 - slow to load
    from strandline.cluster.monitor import monitor_job  # noqa: PLC0415
    from strandline.cluster.studying import for_watch, study_job  # noqa: PLC0415

    hour, studied = watched or _HOUR, for_watch(cluster, watched) if watched else cluster
    studies = [study_job(studied, worker, hour)] if cluster.settings.study.workers > 0 else []
    # The monitor begins first and ends last: it decides on what study found at the end.
    return [monitor_job(cluster, worker, hour), learn_job(cluster, hour), *studies]


def _study_rest(cluster: Cluster, worker: int, crawl: Crawl) -> None:
    from strandline.cluster.monitor import monitor_job  # noqa: PLC0415 - slow to load
    from strandline.cluster.studying import study_rest  # noqa: PLC0415

    study_rest(cluster, worker, lambda: crawl.asked_to_stop)
    with monitor_job(cluster, worker, _HOUR).opened(lambda: False) as tell:
        tell()


def _tell_wrong_clock(clock: DatabaseClock, say: Callable[[str], None], told: float = 0.0) -> float:
    """Look at the clock, and say when it is another way apart from this machine's than was told; how far it is."""
    ahead = clock.look()
    if abs(ahead - told) <= _APART:
        return told
    way = "ahead of" if ahead > 0 else "behind"
    say(f"this machine's clock is {abs(ahead):.0f} s {way} the database's; the database's is used")
    return ahead


def _janitor(cluster: Cluster, request: WorkerRequest, folder: Path) -> BackgroundJob:
    """Ends workers that were not heard of for long, and finishes the files they left.

    Everything in the store is listed for that, so it is done once at the start, and then after a worker has ended.
    """

    @contextlib.contextmanager
    def opened(stopped: Callable[[], bool]) -> Iterator[Step]:
        looked = -1.0

        def step() -> None:
            nonlocal looked
            with contextlib.closing(Session(cluster.database, 10.0)) as session:
                bury(session, 2 * request.lease)
                ending = last_ended(session)
                if ending != looked:
                    _, damaged = finish_files(session, Objects(cluster.store, 10.0), folder, stopped)
                    for problem in damaged:
                        request.say(str(problem))
                    looked = ending

        yield step

    return BackgroundJob("janitor", request.lease, opened, "files of ended workers are not finished")
