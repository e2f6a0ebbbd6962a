"""A crawl of an archive: settings become orders, adapters become parts, signals become requests to stop."""

import contextlib
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from types import FrameType

from strandline.archive.disk_space import room_check
from strandline.archive.given_seeds import Notes, keep_given, known_seeds, read_seeds
from strandline.archive.login_store import LoginFile
from strandline.archive.long_run import settle_in
from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Capture
from strandline.core.discovery.scope import ScopeRules
from strandline.core.discovery.traps import TrapLimits
from strandline.core.logins import Cookies, no_cookies
from strandline.core.politeness.delays import MannersSettings
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority, without_keys
from strandline.crawl.agenda import Agenda
from strandline.crawl.browsing import Browsing, LookNotes, NoBrowsing
from strandline.crawl.conduct import Conduct
from strandline.crawl.logged_in import LoggedIn
from strandline.crawl.logged_out import logged_out
from strandline.crawl.loop import Crawl
from strandline.crawl.orders import Limits, Orders
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.scope_widened import reading_anew
from strandline.crawl.site_orders import manners_with_sites, scopes_of, site_headers
from strandline.crawl.skips import SkipNothing, Skips
from strandline.crawl.tally import Tally
from strandline.dom.documents import Documents
from strandline.errors import SettingError, UsageError
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import FetchLimits, FetchOptions, user_agent
from strandline.ports import Clock
from strandline.settings import texts
from strandline.settings.capture import CaptureSettings
from strandline.settings.in_force import aside, in_force, with_seeds
from strandline.settings.schema import FetchSettings, PolitenessSettings, Settings
from strandline.settings.units import seconds
from strandline.store.catalog import SqliteCatalog
from strandline.store.takedowns import erased_stretches
from strandline.version import __version__
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.info import WarcInfo
from strandline.warc.output import default_host
from strandline.warc.writer import WarcWriter, WriterSettings

QUERY = "STRANDLINE_QUERY"
"""Environment variable with the secret arguments, for example `token=abc`."""
_SPOOLED = 256 * 1024
"""Bytes of a body held in memory before a temporary file is used: times the connections, this is what a crawl needs.
Origin: a bound on memory."""


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """What a crawl is started with besides settings."""

    seeds: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    captured: Callable[[Capture], None] = lambda _: None
    progress: Callable[[Tally], None] = lambda _: None
    clock: Clock = field(default_factory=SystemClock)
    """The clock on the wall, unless a site has a time of its own."""
    pace: float = 1.0
    """How much shorter waits are that nobody asked for: less than 1 only for sites on the user's own machine."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A crawl whose every setting was looked at: what is wrong is said before anything is touched."""

    settings: Settings
    orders: Orders
    policy: AddressPolicy
    manners: MannersSettings
    request: CrawlRequest


def prepare_crawl(settings: Settings, request: CrawlRequest) -> Prepared:
    """Check seeds and settings; UsageError or SettingError says what is wrong."""
    settings = in_force(settings)
    keys = secret_keys(settings)
    given = with_seeds(settings, read_seeds(settings.scope.seeds + request.seeds))
    seeds = tuple(dict.fromkeys(without_keys(seed, keys) for seed in given))
    policy = address_policy(settings.fetch)
    try:
        texts.contact(settings.archive.contact)  # it is sent with every request, as part of a header
    except ValueError as problem:
        raise SettingError(f"archive.contact: {problem}") from None
    writer_settings(settings)
    if not settings.archive.contact and not all_allowed(seeds, policy):
        raise SettingError(
            "no contact address: site owners must be able to reach you before the web is crawled; "
            "set archive.contact in strandline.toml or pass --contact https://your.page/"
        )
    site_headers(settings)  # which names of the environment are not there is told now
    orders = replace(orders_of(settings, seeds, request.limits), pace=request.pace)
    manners = replace(manners_with_sites(settings, manners_of(settings.politeness)), pace=request.pace)
    return Prepared(settings, orders, policy, manners, request)


def from_known_seeds(settings: Settings, request: CrawlRequest, catalog: Notes) -> CrawlRequest:
    """A request that says where to start: where nobody names a seed, it is where the archive started before. What was
    named is remembered, without its secrets.
    """
    if request.seeds:
        keys = secret_keys(settings)
        keep_given(catalog, (without_keys(seed, keys) for seed in read_seeds(request.seeds)))
        return request
    seeds = known_seeds(settings, catalog.reading)
    if not seeds:
        raise UsageError(
            "nothing to start from: pass --seeds https://example.org/, or set scope.seeds in strandline.toml"
        )
    return replace(request, seeds=seeds)


def run_crawl(
    folder: Path,
    prepared: Prepared,
    catalog: SqliteCatalog,
    agenda: Agenda | None = None,
    room: Callable[[], str] | None = None,
    conduct: Conduct | None = None,
) -> Tally:
    """One pass over what is in scope, or what an agenda says. Whoever opened the catalog for writing closes it.

    `room` says why there is too little room on disk, which ends the run; by default the reserve of the settings does.
    Whoever brings a `conduct` may change it on the way.
    """
    settle_in()
    settings, clock = prepared.settings, prepared.request.clock
    agent = user_agent(__version__, settings.archive.contact)
    with tempfile.TemporaryDirectory(prefix="spool-", dir=folder) as spool:
        conduct = conduct or Conduct(prepared, lambda site: [row.name for row in catalog.reading.hosts(site)])
        options = fetch_options(settings, prepared.policy, agent, Path(spool))
        logged_in = LoggedIn(LoginFile(folder), clock.now, partial(logged_out, folder, conduct.gate, clock.now))
        options = replace(options, now=clock.now, site_headers=conduct.fields, logins=logged_in.fields)
        fetcher = HttpFetcher(with_secrets(options, prepared.orders.scope.seeds))
        index = CdxjIndex(folder / "indexes", folder / "archive")
        store = WarcWriter(folder / "archive", warc_info(settings, agent), clock, writer_settings(settings), index)
        room = room or room_check(settings.keep.disk_reserve, (folder, folder / "archive"))
        skips = _skips(settings, catalog.path, planned=agenda is not None)
        orders = not_again(reading_anew(prepared.orders, catalog, clock.now()), erased_stretches(folder))
        reporter = Reporter(prepared.request.captured, prepared.request.progress)
        with contextlib.ExitStack() as open_parts:
            open_parts.callback(fetcher.close)
            notes = LookNotes(catalog.reading.note, catalog.note)
            browsing = open_parts.enter_context(browsing_for(settings.capture, fetcher.wake, notes, logged_in.cookies))
            shared = (clock, conduct.manners, room, skips, browsing, conduct.gate, logged_in)
            parts = Parts(fetcher, store, catalog, Documents(), *shared)
            crawl = Crawl(parts, orders, reporter, agenda)
            conduct.followed_by(
                lambda orders: crawl.change(
                    not_again(reading_anew(orders, catalog, clock.now()), erased_stretches(folder))
                )
            )
            # Until all is told: a signal that comes late changes nothing any more.
            with stopped_by_signals(crawl):
                try:
                    tally = crawl.run()
                except BaseException:
                    store.leave(catalog.reading.committed)
                    raise
                store.close()
                open_parts.close()
                index.refresh()
                return tally


def not_again(orders: Orders, erased: tuple[tuple[str, str], ...]) -> Orders:
    """Orders that leave alone what was erased from the archive."""
    return replace(orders, scope=replace(orders.scope, erased=erased)) if erased else orders


def _skips(settings: Settings, database: Path, planned: bool) -> Skips:
    """What a pass leaves out, or what the plan of a watch does; where that is nothing, nothing is loaded for it."""
    method = settings.plan.skip if planned else settings.crawl.skip
    if method == "none":
        return SkipNothing()
    from strandline.crawl.skipping import skips_of, watch_skips  # noqa: PLC0415

    return watch_skips(method, database, settings.learn.version) if planned else skips_of(method, database)


def browsing_for(
    settings: CaptureSettings, woken: Callable[[], None], notes: LookNotes, cookies: Cookies = no_cookies
) -> contextlib.AbstractContextManager[Browsing]:
    """What shows pages; where nothing does, nothing is loaded for it."""
    if settings.browser == "never" and not settings.browser_sites:
        return contextlib.nullcontext(NoBrowsing())
    from strandline.crawl.browsers import browsing_of  # noqa: PLC0415

    return browsing_of(settings, woken, notes, cookies)


def warc_info(settings: Settings, agent: str) -> WarcInfo:
    """What every WARC file says about the crawl."""
    return WarcInfo(
        software=f"Strandline/{__version__}",
        user_agent=agent,
        robots=settings.politeness.robots,
        operator=" ".join(filter(None, (settings.archive.operator, settings.archive.contact))),
        is_part_of=settings.archive.description,
    )


def orders_of(settings: Settings, seeds: tuple[str, ...], limits: Limits) -> Orders:
    """What the crawl is to do, from settings."""
    scope, crawl = settings.scope, settings.crawl
    return Orders(
        scope=ScopeRules(
            seeds,
            scope.scope,
            scope.include,
            scope.exclude,
            scope.hops,
            scope.requisites,
            sites=scopes_of(settings),
            aside=aside(settings),
        ),
        traps=TrapLimits(crawl.path_depth, crawl.repeated_segments, crawl.query_variants, crawl.similar_pages),
        limits=limits,
        connections=settings.fetch.connections,
        redirects=settings.fetch.redirects,
        full_every=settings.fetch.full_every,
        revisit=crawl.revisit,
        retries=crawl.retries,
        patience=crawl.patience,
        longest_wait=settings.politeness.retry_after_cap,
        longest_delay=settings.politeness.crawl_delay_cap,
        obey_robots=settings.politeness.robots == "obey",
        robots_unreachable="allow" if settings.politeness.robots_unreachable == "allow" else "disallow",
        sitemaps=scope.sitemaps,
        feeds=scope.feeds,
        secret_keys=secret_keys(settings),
        commit_seconds=settings.keep.commit_seconds,
        commit_captures=settings.keep.commit_captures,
    )


def address_policy(fetch: FetchSettings) -> AddressPolicy:
    """Which addresses may be connected to."""
    try:
        return AddressPolicy.allowing(fetch.allow_address)
    except ValueError as problem:
        raise SettingError(f"fetch.allow_address: {problem}") from None


def fetch_options(settings: Settings, policy: AddressPolicy, agent: str, spool: Path) -> FetchOptions:
    """Limits and identity of the fetcher."""
    fetch = settings.fetch
    limits = FetchLimits(
        connect=fetch.connect,
        first_byte=fetch.first_byte,
        between_reads=fetch.between_reads,
        total=fetch.total,
        lowest_rate=fetch.lowest_rate,
        body=fetch.body,
        header_block=fetch.headers,
        memory=_SPOOLED,
    )
    return FetchOptions(
        user_agent=agent,
        limits=limits,
        policy=policy,
        connections=fetch.connections,
        tls_verify="archive" if fetch.tls == "archive" else "strict",
        proxy=fetch.proxy,
        spool_folder=spool,
        keep_secrets=settings.keep.keep_secrets,
    )


def secret_keys(settings: Settings) -> frozenset[str]:
    """Query keys that are taken out of addresses: those of the settings, and those the environment has values for."""
    given = {argument.split("=", 1)[0] for argument in os.environ.get(QUERY, "").split("&")}
    return frozenset(name.lower() for name in (*settings.fetch.secret_keys, *given) if name)


def with_secrets(options: FetchOptions, seeds: tuple[str, ...]) -> FetchOptions:
    """Options with what only the environment knows: a proxy's password, and a query for the hosts of the seeds."""
    return replace(
        options,
        proxy_password=os.environ.get("STRANDLINE_PROXY_PASSWORD", ""),
        secret_query=os.environ.get(QUERY, "").strip("?&"),
        secret_places=frozenset(map(authority, seeds)),
    )


def writer_settings(settings: Settings) -> WriterSettings:
    """How WARC files are written; SettingError when they could not be named so."""
    keep = settings.keep
    try:
        texts.prefix(keep.prefix)
    except ValueError as problem:
        raise SettingError(f"keep.prefix: {problem}") from None
    return WriterSettings(
        prefix=keep.prefix,
        host=default_host(),
        rotate_bytes=keep.file_size,
        rotate_seconds=keep.file_age,
        digest="sha256" if keep.digest == "sha256" else "sha1",
        keep_secrets=keep.keep_secrets,
    )


def manners_of(politeness: PolitenessSettings) -> MannersSettings:
    """Delays from settings."""
    delay: float | None = None
    if politeness.delay != "auto":
        try:
            delay = seconds(politeness.delay)
        except ValueError as problem:
            raise SettingError(f"politeness.delay: {problem}") from None
    return MannersSettings(
        delay=delay,
        factor=politeness.delay_factor,
        least=politeness.shortest,
        most=politeness.longest,
        per_host=politeness.connections_per_host,
        hanging=politeness.hanging_per_host,
        longest_wait=politeness.retry_after_cap,
    )


def all_allowed(seeds: tuple[str, ...], policy: AddressPolicy) -> bool:
    """Whether every seed is an address the user has explicitly allowed: his own machine, not the web."""
    for seed in seeds:
        host = authority(seed).rsplit(":", 1)[0].strip("[]")
        numeric = "127.0.0.1" if host == "localhost" else host
        if AddressPolicy().check(numeric, 80) is None or policy.check(numeric, 80) is not None:
            return False
    return True


@contextlib.contextmanager
def stopped_by_signals(crawl: Crawl) -> Iterator[None]:
    """SIGINT and SIGTERM ask the crawl to stop: once to finish, twice to stop now."""

    def ask(_signal: int, _frame: FrameType | None) -> None:
        crawl.stop()

    try:
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: the caller has other means
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
