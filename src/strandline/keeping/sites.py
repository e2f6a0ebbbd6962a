"""Sites in operation: what there is, what each costs and yields, and changing what is said of one while a watch runs.

What is said of a site stands in a table `[[site]]` of the settings; a watch, and the workers of a cluster, take it up
by themselves within a second or a minute. What was captured stays, whatever is said.
"""

import contextlib
import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from strandline.archive.deployment import Place
from strandline.archive.folder import Archive
from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.core.discovery.site_rules import ByHost, covers
from strandline.core.urls import authority
from strandline.core.urls import site as site_of
from strandline.crawl.preparing import CrawlRequest, prepare_crawl
from strandline.crawl.site_orders import rules_of
from strandline.errors import SettingError, UsageError
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.file import table_of
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings
from strandline.store.catalog import DATABASE
from strandline.store.costs import CostReading, SiteWeek

T = TypeVar("T", SiteSettings, CollectionSettings)
KEYS = tuple(key.name for key in dataclasses.fields(SiteSettings) if key.name not in ("name", "state"))
"""What can be set of a site."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site of an archive: what is said of it, what it holds, what it cost and brought."""

    name: str
    settings: SiteSettings
    seeds: tuple[str, ...]
    """Where crawls of it start, wherever they were named."""
    closed: str = ""
    """Why nothing is asked of it now; empty when it may be."""
    pages: int = 0
    captures: int = 0
    first: float | None = None
    last: float | None = None
    weeks: tuple[SiteWeek, ...] = field(default=())
    """Those in which something happened, the present one first."""

    @property
    def state(self) -> str:
        """active, paused, removed; or `parts`: nobody asked for it, it gives parts to pages of others."""
        return self.settings.state if self.settings.state != "active" or self.seeds else "parts"

    def sum(self) -> SiteWeek:
        """All weeks together."""
        figures = zip(*(one[2:] for one in self.weeks), strict=True)
        return SiteWeek(self.name, 0, *(sum(values) for values in figures)) if self.weeks else SiteWeek(self.name, 0)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        told = dataclasses.asdict(self.settings)
        usual = dataclasses.asdict(SiteSettings())
        return {
            "site": self.name,
            "state": self.state,
            "closed": self.closed,
            "seeds": list(self.seeds),
            "settings": {key: told[key] for key in KEYS if told[key] != usual[key]},
            "pages": self.pages,
            "captures": self.captures,
            "first": self.first,
            "last": self.last,
            "weeks": [{**one._asdict(), "site": self.name} for one in self.weeks],
        }


def all_sites(archive: Archive, settings: Settings, now: float, weeks: int = 1, only: str = "") -> list[Site]:
    """The sites of an archive by name, or `only` one; those it was told of and has nothing of yet among them."""
    told = {one.name: one for one in settings.site}
    rules, by_host = rules_of(settings), ByHost(settings.site)
    seeds: dict[str, list[str]] = {}
    for seed in known_seeds(settings, archive.reading):
        own = by_host.of(authority(seed))
        seeds.setdefault(own.name if own else site_of(seed), []).append(seed)
    rows = {row.name: row for row in archive.reading.sites() if only in ("", row.name)}
    with contextlib.closing(CostReading.open(archive.folder / DATABASE)) as costs:
        costed: dict[str, list[SiteWeek]] = {}
        for week in costs.site_weeks(now, weeks, only) if weeks else ():
            costed.setdefault(week.site, []).append(week)
    found = []
    for name in sorted({*rows, *told, *seeds}):
        if only and name != only:
            continue
        row, said = rows.get(name), told.get(name) or by_host.of(name) or SiteSettings(name)
        own = said if said.name == name else replace(said, name=name, seeds=())
        site = Site(name, own, tuple(seeds.get(name, ())), rules.why_not(name, now))
        if row is not None:
            site = replace(site, pages=row.pages, captures=row.captures, first=row.first, last=row.last)
        found.append(replace(site, weeks=tuple(costed.get(name, ()))))
    return found


def site_at(archive: Archive, settings: Settings, name: str, now: float, weeks: int = 4) -> Site:
    """One site by its name, or by an address of it; UsageError when there is none."""
    named = site_name(name)
    found = all_sites(archive, settings, now, weeks, named)
    if not found:
        raise UsageError(f"no site {named} in this archive; `strandline sites` lists those there are")
    return found[0]


def site_name(text: str) -> str:
    """The name of a site that somebody typed: a domain, a host, or an address."""
    text = text.strip()
    if "://" in text:
        return site_of(read_seeds([text])[0])
    return text.lower().rstrip("/")


# -- changing what is said ---------------------------------------------------------------------------------------------


def add_site(place: Place, url: str, values: Mapping[str, object] | None = None) -> SiteSettings:
    """Take a site in, starting from an address; one that was removed or paused is active again."""
    seed = read_seeds([url])[0]
    name = site_of(seed)

    def change(tables: dict[str, SiteSettings]) -> SiteSettings:
        covering = ByHost(tables.values()).of(authority(seed))
        known = covering or SiteSettings(name)
        made = with_values(replace(known, state="active"), values or {})
        return made if seed in made.seeds else replace(made, seeds=(*made.seeds, seed))

    return _changed(place, change)


def set_site(place: Place, name: str, values: Mapping[str, object], archive: Archive) -> SiteSettings:
    """Say something of a site: `KEYS` to values, as TOML or as text; an empty value is as for all sites."""
    if not values:
        raise UsageError(f"say what to set: KEY=VALUE with one of {', '.join(KEYS)}")
    named = _known(place, archive, name)
    return _changed(place, lambda tables: with_values(tables.get(named, SiteSettings(named)), values))


def move_site(place: Place, name: str, state: str, archive: Archive) -> SiteSettings:
    """Pause, resume or remove a site (`state`: paused, active, removed); what was captured stays."""
    named = _known(place, archive, name)
    return _changed(place, lambda tables: replace(tables.get(named, SiteSettings(named)), state=state))


def _known(place: Place, archive: Archive, name: str) -> str:
    """A site the archive knows, or a host of one."""
    named, settings = site_name(name), place.settings()
    if any(one.name == named for one in settings.site) or any(
        covers(named, authority(seed)) for seed in known_seeds(settings, archive.reading)
    ):
        return named
    hosts = {row.name for row in archive.reading.hosts(site_of(f"http://{named}/"))}
    if not hosts or (named not in hosts and site_of(f"http://{named}/") != named):
        raise UsageError(f"no site {named} in this archive; `strandline site add` takes one in")
    return named


def _changed(place: Place, change: Callable[[dict[str, SiteSettings]], SiteSettings]) -> SiteSettings:
    def check(wanted: tuple[SiteSettings, ...]) -> None:
        prepare_crawl(replace(place.settings(), site=wanted), CrawlRequest())

    return changed_table(place, "site", change, check)


def with_values(site: SiteSettings, values: Mapping[str, object]) -> SiteSettings:
    """A site of which more is said; SettingError or UsageError names what is wrong."""
    unknown = [key for key in values if key not in KEYS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} cannot be set of a site; there are {', '.join(KEYS)}")
    return said_more("site", site, values)


# -- tables of sites and of collections --------------------------------------------------------------------------------


def changed_table(
    place: Place, kind: str, change: Callable[[dict[str, T]], T], check: Callable[[tuple[T, ...]], object]
) -> T:
    """Change a table of the settings, or add one; `check` tells what could not work before it is written."""
    made: list[T] = []

    def tables(before: tuple[T, ...]) -> tuple[T, ...]:
        known = {one.name: one for one in before}
        made[:] = [change(known)]
        wanted = tuple({**known, made[0].name: made[0]}.values())
        check(wanted)
        return wanted

    place.change_tables(kind, tables)
    return made[0]


def said_more(kind: str, table: T, values: Mapping[str, object]) -> T:
    """A table of which more is said, by keys it has; SettingError names what is wrong."""
    usual = type(table)()
    given = {key: parsed_value(value, getattr(usual, key)) for key, value in values.items()}
    reset = {key: getattr(usual, key) for key, value in given.items() if value is None}
    try:
        read = table_of(kind, {key: value for key, value in given.items() if value is not None})
    except SettingError as problem:
        raise SettingError(f"{kind} {table.name}: {problem}".replace(f"{kind}.", "", 1)) from None
    return replace(table, **reset, **{key: getattr(read, key) for key in given if key not in reset})


def parsed_value(value: object, usual: object) -> object:
    """A value as it was typed: TOML, a bare text, or a list with commas; None for nothing."""
    if not isinstance(value, str):
        return list(value) if isinstance(value, tuple) else value
    text = value.strip()
    if not text:
        return None
    if isinstance(usual, tuple) and not text.startswith("["):
        return [part.strip() for part in text.split(";" if ";" in text else "\n") if part.strip()]
    if isinstance(usual, str) and not text.startswith('"'):
        return text
    with contextlib.suppress(tomllib.TOMLDecodeError):
        return tomllib.loads(f"v = {text}")["v"]
    return text
