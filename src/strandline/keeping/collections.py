"""Collections: sites and pages that belong together, described for others, put aside and taken up again.

A collection stands in a table `[[collection]]` of the settings, as what is said of a site does: a watch, and the
workers of a cluster, take changes up by themselves, and no `reindex` loses it. What was captured stays.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from strandline.archive.deployment import Place
from strandline.archive.folder import Archive
from strandline.archive.known_collections import known_collection
from strandline.core.keeping.collections import Members
from strandline.errors import UsageError, usage_errors
from strandline.keeping.sites import changed_table, said_more, site_name
from strandline.settings import texts
from strandline.settings.collection_tables import DUBLIN_CORE, CollectionSettings
from strandline.settings.in_force import aside, in_force
from strandline.settings.schema import Settings
from strandline.store.collections import CollectionReading, Holding

COLLECTION_KEYS = tuple(
    key.name for key in dataclasses.fields(CollectionSettings) if key.name not in ("name", "state", "sites", "pages")
)
"""What can be said of a collection."""


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection: what is said of it, and what it holds."""

    settings: CollectionSettings
    members: Members
    holding: Holding

    @property
    def name(self) -> str:
        """Its short name."""
        return self.settings.name

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        said = dataclasses.asdict(self.settings)
        usual = dataclasses.asdict(CollectionSettings())
        described = {key: said[key] for key in DUBLIN_CORE if said[key]}
        treated = {key: said[key] for key in ("budget", "weight", "objective", "hours") if said[key] != usual[key]}
        return {
            "collection": self.name,
            "state": self.settings.state,
            "description": described,
            "settings": treated,
            "sites": list(self.settings.sites),
            "pages": list(self.settings.pages),
            **self.holding._asdict(),
        }


def all_collections(archive: Archive, settings: Settings) -> list[Collection]:
    """The collections of an archive by name, with what each holds; what is taken down is not counted."""
    tables = sorted(settings.collection, key=lambda one: one.name)
    return [_counted(archive, one) for one in tables]


def collection_at(archive: Archive, settings: Settings, name: str) -> Collection:
    """One collection with what it holds; UsageError when there is none of this name."""
    return _counted(archive, known_collection(settings, name))


def _counted(archive: Archive, table: CollectionSettings) -> Collection:
    members = Members(table.sites, table.pages)
    with contextlib.closing(CollectionReading.open(archive.database)) as reading:
        return Collection(table, members, reading.within(members.stretches))


# -- changing what is said ---------------------------------------------------------------------------------------------


def add_collection(place: Place, name: str, values: Mapping[str, object] | None = None) -> CollectionSettings:
    """Make a collection; UsageError when there is one of this name."""

    def change(tables: dict[str, CollectionSettings]) -> CollectionSettings:
        if name in tables:
            raise UsageError(f"there is a collection {name} already; `strandline collection describe` says more of it")
        with usage_errors():
            texts.collection_name(name)
        return with_description(CollectionSettings(name), values or {})

    return _changed(place, change)


def describe_collection(place: Place, name: str, values: Mapping[str, object]) -> CollectionSettings:
    """Say something of a collection: `COLLECTION_KEYS` to values, as TOML or as text; an empty value takes it back."""
    if not values:
        raise UsageError(f"say what to describe: KEY=VALUE with one of {', '.join(COLLECTION_KEYS)}")
    return _changed(place, lambda tables: with_description(_of(tables, name), values))


def assign(place: Place, name: str, members: Iterable[str]) -> CollectionSettings:
    """Let sites (a name without a path) and pages (addresses, `...*` for beginnings) belong to a collection."""
    sites, pages = _sorted_members(members)

    def change(tables: dict[str, CollectionSettings]) -> CollectionSettings:
        one = _of(tables, name)
        return replace(
            one,
            sites=tuple(dict.fromkeys((*one.sites, *sites))),
            pages=tuple(dict.fromkeys((*one.pages, *pages))),
        )

    return _changed(place, change)


def unassign(place: Place, name: str, members: Iterable[str]) -> CollectionSettings:
    """Let sites and pages belong to a collection no more; what was captured stays."""
    sites, pages = _sorted_members(members)

    def change(tables: dict[str, CollectionSettings]) -> CollectionSettings:
        one = _of(tables, name)
        for text in (*sites, *pages):
            if text not in (*one.sites, *one.pages):
                raise UsageError(f"{text} does not belong to {name}")
        return replace(
            one,
            sites=tuple(site for site in one.sites if site not in sites),
            pages=tuple(page for page in one.pages if page not in pages),
        )

    return _changed(place, change)


def move_collection(place: Place, name: str, state: str) -> CollectionSettings:
    """Put a collection aside (`aside`), or take it up again (`active`)."""
    return _changed(place, lambda tables: replace(_of(tables, name), state=state))


def remove_collection(place: Place, name: str) -> CollectionSettings:
    """Forget a collection; its sites, pages, captures, tags and notes stay."""
    gone = CollectionSettings()

    def tables(before: Iterable[CollectionSettings]) -> tuple[CollectionSettings, ...]:
        nonlocal gone
        known = {one.name: one for one in before}
        gone = _of(known, name)
        return tuple(one for one in known.values() if one is not gone)

    place.change_tables("collection", tables)
    return gone


def rename_collection(place: Place, name: str, new: str) -> CollectionSettings:
    """Give a collection another short name."""
    made = CollectionSettings()

    def tables(before: Iterable[CollectionSettings]) -> tuple[CollectionSettings, ...]:
        nonlocal made
        known = {one.name: one for one in before}
        if new in known:
            raise UsageError(f"there is a collection {new} already")
        with usage_errors():
            texts.collection_name(new)
        made = replace(_of(known, name), name=new)
        return tuple(made if one.name == name else one for one in known.values())

    place.change_tables("collection", tables)
    return made


def _of(tables: Mapping[str, CollectionSettings], name: str) -> CollectionSettings:
    if name not in tables:
        raise UsageError(f"no collection {name[:60]!r}; `strandline collection add` makes one")
    return tables[name]


def _changed(place: Place, change: Callable[[dict[str, CollectionSettings]], CollectionSettings]) -> CollectionSettings:
    def check(wanted: tuple[CollectionSettings, ...]) -> None:
        aside(in_force(replace(place.settings(), collection=wanted)))

    return changed_table(place, "collection", change, check)


def with_description(collection: CollectionSettings, values: Mapping[str, object]) -> CollectionSettings:
    """A collection of which more is said; SettingError or UsageError names what is wrong."""
    unknown = [key for key in values if key not in COLLECTION_KEYS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} cannot be said of a collection; there are {', '.join(COLLECTION_KEYS)}")
    return said_more("collection", collection, values)


def _sorted_members(members: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sites and pages apart; UsageError names what is neither."""
    sites: list[str] = []
    pages: list[str] = []
    for text in members:
        with usage_errors(f"{text[:200]}: "):
            if "://" in text:
                texts.member(text.strip())
                pages.append(text.strip())
            else:
                name = site_name(text)
                texts.site_name(name)
                sites.append(name)
    if not sites and not pages:
        raise UsageError("name sites, or pages by their addresses")
    return tuple(sites), tuple(pages)
