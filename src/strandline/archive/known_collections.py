"""Which collections an archive knows, and what lists are narrowed to by one of them, or by a tag."""

from strandline.core.keeping.annotations import tag_text
from strandline.core.keeping.collections import Members
from strandline.errors import UsageError, usage_errors
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import Settings
from strandline.store.narrowing import EVERYTHING, Narrow


def known_collection(settings: Settings, name: str) -> CollectionSettings:
    """The collection of this name; UsageError, naming some there are, when there is none."""
    known = {one.name: one for one in settings.collection}
    if name not in known:
        there = f"there are {', '.join(sorted(known)[:10])}" if known else "there is none yet"
        raise UsageError(f"no collection {name[:60]!r} in this archive; {there}")
    return known[name]


def members_of(settings: Settings, name: str) -> Members:
    """What belongs to a collection; UsageError when there is none of this name."""
    found = known_collection(settings, name)
    return Members(found.sites, found.pages)


def narrowed(settings: Settings, collection: str = "", tag: str = "") -> Narrow:
    """What a list is narrowed to: to a collection, to what has a tag, to both, or not at all."""
    if not collection and not tag:
        return EVERYTHING
    with usage_errors():
        named = tag_text(tag) if tag else ""
    return Narrow(members_of(settings, collection).stretches if collection else None, named)
