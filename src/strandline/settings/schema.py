"""Every setting there is, with its default, its unit and the sentence `init` writes beside it.

One frozen dataclass per section of `strandline.toml`. A flag overrides the file; secrets are in the environment.
"""

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

from strandline.core.quick_dataclass import dataclass
from strandline.settings.capture import CaptureSettings
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.people import PeopleSettings
from strandline.settings.serving import ServeSettings
from strandline.settings.setting import DAY, GIB, HOUR, KIB, MIB, MOMENT, PERIODS, SHARE, SOME, setting
from strandline.settings.site_tables import SiteSettings


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """Who keeps this archive, and what for."""

    contact: str = setting(
        "",
        "Address of a page (or mailto:) where site owners can reach you. It is sent with every request; without it "
        "only loopback sites are crawled.",
        form="contact",
    )
    operator: str = setting("", "Name of the person or institution, written into every WARC file.", form="line")
    description: str = setting("", "What this archive is about, written into every WARC file.", form="line")


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """What belongs to the archive."""

    seeds: tuple[str, ...] = setting((), "Addresses to start from.", form="address")
    scope: str = setting(
        "host",
        "How far from a seed to go: page (only it and its requisites), prefix (same directory), host, or domain "
        "(all hosts of the registered domain).",
        choices=("page", "prefix", "host", "domain"),
    )
    include: tuple[str, ...] = setting(
        (), 'SURT prefixes that are in scope too, for example "org,example,media)/".', form="surt"
    )
    exclude: tuple[str, ...] = setting(
        (), 'SURT prefixes that are never fetched, for example "org,example)/calendar".', form="surt"
    )
    hops: int = setting(20, "Links to follow from a seed at most.")
    requisites: bool = setting(
        True, "Fetch images, styles and scripts a page needs, from any host, so that replay is whole."
    )
    sitemaps: bool = setting(True, "Read sitemaps named by robots.txt, and /sitemap.xml.")
    feeds: bool = setting(True, "Read RSS and Atom feeds that pages name.")
    weights: str = setting(
        "",
        "File with `address<TAB>weight` lines; without it weights are PageRank over the site's own links.",
        form="line",
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Limits of one request."""

    connections: int = setting(25, "Connections open at the same time, over all hosts.", bounds=(1, 10_000))
    connect: float = setting(10.0, "Time to connect.", "duration", bounds=MOMENT)
    first_byte: float = setting(30.0, "Time until the answer starts.", "duration", bounds=MOMENT)
    between_reads: float = setting(20.0, "Longest silence inside an answer.", "duration", bounds=MOMENT)
    total: float = setting(
        300.0,
        "Time for the whole answer; what came by then is kept and marked as truncated.",
        "duration",
        bounds=MOMENT,
    )
    lowest_rate: int = setting(KIB, "Bytes per second below which an answer is given up after 30 s.", "size")
    body: int = setting(GIB, "Largest body kept; longer ones are cut and marked.", "size", bounds=SOME)
    headers: int = setting(256 * KIB, "Largest block of response headers.", "size", bounds=(KIB, math.inf))
    redirects: int = setting(10, "Redirects followed from one address.")
    full_every: int = setting(
        10,
        "After this many conditional requests in a row a page is fetched whole, because servers' validators can lie.",
    )
    allow_address: tuple[str, ...] = setting(
        (),
        'Address blocks that may be connected to although they are private or loopback, for example "127.0.0.1/32".',
        form="block",
    )
    tls: str = setting(
        "verify",
        "verify: a bad certificate is a failure; archive: the page is kept, with a note of what was wrong.",
        choices=("verify", "archive"),
    )
    secret_keys: tuple[str, ...] = setting(
        (),
        'Query keys that are secret, for example "token": taken out of every address, so that they stand in no record, '
        "index or log. What the hosts of the seeds are asked with comes from STRANDLINE_QUERY, for example token=abc.",
        form="query_key",
    )
    proxy: str = setting(
        "",
        "Proxy for all requests, for example http://proxy.example:3128 (password: STRANDLINE_PROXY_PASSWORD).",
        form="proxy",
    )


@dataclass(frozen=True, slots=True)
class PolitenessSettings:
    """What hosts are owed."""

    delay: str = setting(
        "auto",
        'Pause between requests to one host: "auto" (a multiple of its answering time) or a duration such as "2 s".',
        form="delay",
    )
    delay_factor: float = setting(5.0, "With auto: times the duration of the last answer.")
    shortest: float = setting(3.0, "With auto: at least this.", "duration")
    longest: float = setting(30.0, "With auto: at most this.", "duration")
    crawl_delay_cap: float = setting(300.0, "A Crawl-delay in robots.txt is honoured up to this.", "duration")
    connections_per_host: int = setting(1, "Connections to one host at the same time.", bounds=(1, 1_000))
    hanging_per_host: int = setting(
        16, "Answers that hang may be waited for beside the next request to the same host, up to this many."
    )
    robots: str = setting(
        "obey", "obey or ignore robots.txt; ignoring is written into every WARC file.", choices=("obey", "ignore")
    )
    robots_unreachable: str = setting(
        "disallow",
        "While robots.txt cannot be had (5xx, no answer): disallow the whole host as RFC 9309 asks, or allow.",
        choices=("disallow", "allow"),
    )
    retry_after_cap: float = setting(DAY, "Longest wait a host can ask for with Retry-After.", "duration")


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """One pass over what is in scope."""

    revisit: float = setting(0.0, "A new pass leaves out pages fetched less than this ago.", "duration")
    retries: int = setting(5, "Failed visits in a row after which a page waits for the next pass.")
    patience: float = setting(
        10.0, "A pass waits this long for hosts and pages that may be asked again soon, then ends.", "duration"
    )
    path_depth: int = setting(20, "Directories in a path; deeper addresses are taken for a trap.")
    repeated_segments: int = setting(2, "Times a path segment may repeat; more is taken for a trap.")
    query_variants: int = setting(
        40,
        "Queries on one path, or days of a calendar, that name only each other and show nothing new, or that all lead "
        "nowhere: then a trap.",
    )
    similar_pages: int = setting(
        150, "Numbered pages that name only each other and show nothing new, or all lead nowhere: then a trap."
    )
    skip: str = setting(
        "none",
        "What a pass leaves out once `learn` knows a site: none; policy (pages unlikely to have changed, by the site's "
        "own history and by what the pass finds), near (directory rules) or dormant (directories that never changed). "
        "Samples of what is left out are fetched, and what fails is given up.",
        choices=("none", "policy", "near", "dormant"),
    )


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What is fetched when: how much, to which end, by which strategy."""

    budget: str = setting("500/day", "Requests or bytes per hour, day or week: 500/day, 20/hour, 200 MB/day.", "rate")
    unchanged: str = setting(
        "request",
        "What an answer that says nothing changed (304) costs of a budget in requests: a whole request, or only the "
        "share its bytes have of a usual answer.",
        choices=("request", "bytes"),
    )
    least_chance: float = setting(
        0.25,
        "Visits that find something new with at least this chance, and together waste at most four tenths of what "
        "taking turns does, come first. What they leave of an hour's share goes to the other visits of the plan, most "
        "urgent first, then to the pages unseen for longest. 0 makes no difference between them.",
        bounds=SHARE,
    )
    look_after: float = setting(
        HOUR, "Visits with little hope come no sooner than this after the last of a page.", "duration", bounds=MOMENT
    )
    longest_gap: float = setting(
        14 * DAY, "No page stays unseen for longer, as far as the part below allows.", "duration", bounds=MOMENT
    )
    gap_share: float = setting(
        0.05, "Part of the visits that may look at pages unseen for half of the longest gap.", bounds=SHARE
    )
    strategy: str = setting(
        "priced-plan", "How pages are chosen; docs/planning.md lists the strategies.", form="strategy"
    )
    objective: str = setting(
        "middle",
        "What a caught version is worth: pool (its importance, wherever it happens), page (every page should be well "
        "covered), middle (between the two), count (each the same) or content (items replaced on list pages).",
        choices=("pool", "page", "middle", "count", "content"),
    )
    coherence: float = setting(0.0, "0 plans page by page; 1 and more visit the pages of a site together.")
    skip: str = setting(
        "none",
        "What plans leave out as unchanged, but for samples: none, policy, near or dormant, as crawl.skip.",
        choices=("none", "policy", "near", "dormant"),
    )
    site_budgets: tuple[str, ...] = setting(
        (), 'Most requests to a site, for example "example.org 100/day".', form="place_budget"
    )
    host_budgets: tuple[str, ...] = setting(
        (), 'Most requests to a host, for example "www.example.org 20/hour".', form="place_budget"
    )
    campaigns: tuple[str, ...] = setting(
        (),
        "Sites, hosts or address prefixes that matter more for some time, for example "
        '"floods: https://news.example/rhine/ from 2026-03-01 to 2026-03-14 x10".',
        form="campaign",
    )


@dataclass(frozen=True, slots=True)
class KeepSettings:
    """How captures are kept."""

    prefix: str = setting("strandline", "First part of the names of WARC files.", form="prefix")
    file_size: int = setting(10**9, "A WARC file is closed at this size.", "size", bounds=SOME)
    file_age: float = setting(HOUR, "A WARC file is closed at this age.", "duration", bounds=MOMENT)
    digest: str = setting(
        "sha1", "Digest in WARC records: sha1 reads everywhere, sha256 is stronger.", choices=("sha1", "sha256")
    )
    commit_seconds: float = setting(
        1.0, "Captures are made durable and reported in groups, at least this often.", "duration"
    )
    commit_captures: int = setting(64, "Or when this many wait.", bounds=SOME)
    disk_reserve: str = setting(
        "auto", 'Free space that is left alone: "auto" (5 % of the disk, at most 8 GiB) or a size.', form="reserve"
    )
    audit: float = setting(
        90 * DAY,
        "Beside a watch every stored byte is read again and compared within this time; 0 s: only by `verify`.",
        "duration",
    )
    keep_secrets: bool = setting(False, "Keep cookies and authorization, those of logins too, in records.")
    retention: tuple[str, ...] = setting(
        (),
        "Rules by which `strandline retain` keeps less, the first that fits decides, for example "
        '"*: older 1y, keep monthly"; nothing is dropped by itself.',
        form="retention",
    )


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How changes are found and weighed."""

    level: int = setting(2, "Blocks a new page is cut into: 1 few and large, 2, or 3 many and small.", bounds=(1, 3))
    workers: int = setting(
        1, "Processes that study pages beside the crawl; 0 leaves captures to be studied later.", bounds=(0, 1024)
    )
    page_time: float = setting(
        5.0, "Processor time one capture may take; it is left out when it takes more.", "duration", bounds=MOMENT
    )
    page_memory: int = setting(GIB, "Memory the study of one capture may take.", "size", bounds=(MIB, math.inf))
    filter_lists: tuple[str, ...] = setting(
        (),
        "Files with filter lists for advertising (EasyList and its kind); needs the extra strandline[ads].",
        form="line",
    )
    hold: float = setting(
        600.0,
        "A page that suddenly lost or doubled most of its blocks, or is gone, is asked again after this before the "
        "change is believed.",
        "duration",
    )
    double_fetch: float = setting(
        0.0,
        "Fetch a page a second time after this where it is not known yet whether what changed on it differs at every "
        "fetch; a few pages tell it of their site. 0 s: a watch does it after 30 s, a single pass never.",
        "duration",
    )
    render_empty: bool = setting(
        False, "Show pages without text to a browser, their own scripts running; needs the extra strandline[render]."
    )


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """What is learned about how pages change."""

    zone: str = setting(
        "auto", 'Time zone of the sites, for example "Europe/Paris"; auto: guessed site by site.', form="zone"
    )
    country: str = setting(
        "auto",
        "Country whose public holidays count, two letters; auto: guessed with the zone; none: no holidays.",
        form="country",
    )
    sites: tuple[str, ...] = setting(
        (), 'Zone and country of single sites, for example "example.org Asia/Tokyo JP".', form="site_clock"
    )
    cycle: str = setting("day", "What patterns repeat after.", choices=("day", "week", "month"))
    periods: int = setting(
        24, "Parts a cycle is cut into: 24 makes hours of a day; 168 hours of a week.", bounds=(1, PERIODS)
    )
    classes: int = setting(4, "Change classes pages are put into.", bounds=(1, 1_000))
    version: float = setting(
        7 * DAY, "Captures within this time make one version of a site for directory rules.", "duration", bounds=MOMENT
    )
    recall: float = setting(
        0.95, "Directory rules must catch this share of a site's changes on its own history.", bounds=SHARE
    )


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """Who is told of important changes and of alarms."""

    webhooks: tuple[str, ...] = setting(
        (),
        "Addresses that get a POST for each alert. $NAME is taken from the environment; min, site, collection and only "
        'narrow what is sent: "https://hooks.example/$HOOK_TOKEN min=0.5 site=example.org only=changes".',
        form="webhook",
    )
    email: tuple[str, ...] = setting((), 'Who gets them by e-mail: "anna@example.org only=digest".', form="mailbox")
    searches: tuple[str, ...] = setting(
        (), "Searches whose words are told of when they come and go: 'prices: \"new price\" OR sale'.", form="saved"
    )
    min_importance: float = setting(
        0.3, "Changes are told from this importance on, where a target says nothing else.", bounds=SHARE
    )
    smtp: str = setting(
        "",
        "Mail server: smtps://mail.example:465, or smtp://mail.example:587 with STARTTLS (user and password: "
        "STRANDLINE_SMTP_USER, STRANDLINE_SMTP_PASSWORD).",
        form="mail_server",
    )
    sender: str = setting("", "Address that e-mail comes from.", form="sender")
    mail_pause: float = setting(
        600.0, "At most one e-mail to an address in this time; what came meanwhile is in the next one.", "duration"
    )
    allow_address: tuple[str, ...] = setting(
        (), "Private address blocks webhooks may be in, besides those of fetch.allow_address.", form="block"
    )
    queue: int = setting(
        1000, "Alerts that wait for one target at most; beyond, the oldest are dropped and counted.", bounds=SOME
    )
    patience: float = setting(3 * DAY, "An alert that cannot be delivered is given up after this.", "duration")
    link: str = setting(
        "", "Address of the interface, for links in alerts and feeds: https://archive.example/.", form="link"
    )


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A language model of your choice, asked by `strandline ask` and for `questions`; its key: STRANDLINE_MODEL_KEY."""

    address: str = setting(
        "", "Where a model speaks the OpenAI protocol: https://models.example/v1; empty: nothing is sent.", form="link"
    )
    name: str = setting("", "The model that is asked for.", form="line")
    allow: tuple[str, ...] = setting(
        (), 'Sites (registered domains or hosts) whose text may be sent to it; "*" for all.', form="site_or_all"
    )
    questions: tuple[str, ...] = setting(
        (), "Put to what a watch sees change; yes is told: 'prices: Did a price rise? collection=shops'.", form="saved"
    )
    requests: int = setting(100, "Requests a day at most, failed ones too.", bounds=SOME)
    tokens: int = setting(200_000, "Tokens a day at most, as the model counts them.", bounds=SOME)
    timeout: float = setting(60.0, "An answer is waited for so long.", "duration")
    allow_address: tuple[str, ...] = setting(
        (), 'Private address blocks the model may be in: "127.0.0.0/8" for one on this machine.', form="block"
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All sections of strandline.toml, and its tables of sites and collections."""

    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    plan: PlanSettings = field(default_factory=PlanSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)
    study: StudySettings = field(default_factory=StudySettings)
    learn: LearnSettings = field(default_factory=LearnSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    people: PeopleSettings = field(default_factory=PeopleSettings)
    alerts: AlertSettings = field(default_factory=AlertSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    site: tuple[SiteSettings, ...] = ()
    collection: tuple[CollectionSettings, ...] = ()


TABLES: Final[dict[str, type]] = {"site": SiteSettings, "collection": CollectionSettings}
"""Tables of which there may be several, `[[site]]`. Their keys may be left out; `name` tells them apart."""


def sections(settings: Settings) -> Iterator[tuple[str, Any]]:
    """The sections and their names, without the tables."""
    return (
        (part.name, getattr(settings, part.name)) for part in dataclasses.fields(settings) if part.name not in TABLES
    )
