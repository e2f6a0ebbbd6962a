"""An archive for those who write Python: everything the commands answer, as methods.

archive = strandline.open("./my-archive")
for visit in archive.next(20):
    print(visit.url, visit.urgency, visit.reason)
print(archive.quality(site="example.org").completeness)
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from time import time
from typing import TypedDict, Unpack

from strandline.access.memento import closest
from strandline.access.payload import LostError, Payload, read_payload
from strandline.access.quality import Quality
from strandline.app.model import Asked, ModelAnswer, asked_of
from strandline.app.opening import place_of
from strandline.archive.deployment import Place
from strandline.archive.folder import Archive, create, open_archive, web_address
from strandline.archive.holdings import holdings
from strandline.archive.known_collections import members_of, narrowed
from strandline.archive.known_sites import require_site
from strandline.archive.storage import Storage, storage
from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Capture, Kind
from strandline.core.changes.versions import VersionRecord
from strandline.core.content import charset_of, text_of
from strandline.core.keeping.annotations import Annotation
from strandline.core.keeping.takedowns import Act
from strandline.core.plan.budget import Budget
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.crawl.tally import Tally
from strandline.errors import ArchiveDamaged
from strandline.exchange.deposit import deposit
from strandline.exchange.moving import Brought, export, take_in
from strandline.exchange.moving import Wanted as ExportWanted
from strandline.exchange.rebuilding import Rebuilt, reindex
from strandline.keeping.annotations import (
    AnnotationWish,
    add_note,
    annotations,
    remove_annotation,
    tag,
    tags,
    untag,
)
from strandline.keeping.backup import BackedUp, back_up
from strandline.keeping.collections import (
    Collection,
    add_collection,
    all_collections,
    assign,
    describe_collection,
    move_collection,
    remove_collection,
    rename_collection,
    unassign,
)
from strandline.keeping.erasing import Erasure, erase
from strandline.keeping.logins import forget_login, import_cookies, keep_password
from strandline.keeping.people import People
from strandline.keeping.retention import Preview, apply_retention, preview_retention, rules_of
from strandline.keeping.sites import Site, add_site, all_sites, move_site, set_site
from strandline.keeping.takedowns import Wish, block, lift, taken_down
from strandline.lab.own_history import archive_world
from strandline.lab.simulate.world import World
from strandline.plan.due import Due
from strandline.plan.explaining import Why, why
from strandline.plan.planning import Planning
from strandline.ports import PageRow
from strandline.report.measuring import measured
from strandline.report.replayed import ReplayQuality, mend, replay_quality
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings
from strandline.store.reading import SiteRow
from strandline.store.studies import Change
from strandline.study.comparing import Comparison, compare_versions
from strandline.study.labelling import label
from strandline.study.pending import relearn, study
from strandline.study.searching import BlockLife, Wanted, found_blocks
from strandline.study.surveying import Survey, survey
from strandline.watch.single_pass import crawl


class Where(TypedDict, total=False):
    """Where and when to search."""

    topic: str
    since: float
    until: float
    site: str
    label: str
    collection: str
    tag: str


class OpenedArchive(Archive):
    """An archive that also plans and measures. Times are UTC epoch seconds; `now` is the present unless given."""

    def crawl(self, settings: Settings, request: CrawlRequest) -> Tally:
        """One pass over what is in scope, with settings of its own."""
        return crawl(self, settings, request)

    def collect(self, *seeds: str, limit: int = 0) -> Tally:
        """One pass over what is in scope, as `strandline crawl` makes it; from the known seeds when none are named."""
        return self.crawl(self.settings, CrawlRequest(seeds, Limits(captures=limit)))

    def at(self, url: str, time: float | None = None) -> Capture | None:
        """The capture that replay shows of a page: the closest to a time, or the latest; None when there is none."""
        found = closest(holdings(self).index, web_address(url), time)
        return found.capture if found else None

    def content(self, capture: Capture) -> bytes:
        """What was captured, without its codings; of a revisit, what it refers to. ArchiveDamaged when it is lost."""
        return self._payload(capture).decoded()

    def text(self, capture: Capture) -> str:
        """The same as text, read in the charset browsers would take."""
        payload = self._payload(capture)
        body = payload.decoded()
        return text_of(body, charset_of(payload.head.value("content-type"), body))

    def _payload(self, capture: Capture) -> Payload:
        try:
            return read_payload(holdings(self), capture)
        except LostError as lost:
            raise ArchiveDamaged(str(lost)) from lost

    def changes(
        self,
        site: str = "",
        since: float | None = None,
        min_importance: float = 0.0,
        collection: str = "",
        tag: str = "",
    ) -> Iterator[Change]:
        """Every observed change of the archive, of one of its sites, a collection, or with a tag, in the order they
        were seen.
        """
        require_site(self, site)
        narrow = narrowed(self._place.settings(), collection, tag)
        return self.studies.changes(site, since, min_importance, narrow)

    def sites(self) -> Iterator[SiteRow]:
        """The sites of the archive: name, hosts, pages, captures, first and last capture."""
        return self.reading.sites()

    def site_list(self, weeks: int = 1, now: float | None = None) -> list[Site]:
        """The sites with what is said of each, and what it cost and brought in the last weeks."""
        return all_sites(self, self._place.settings(), time() if now is None else now, weeks)

    def site_look(self, url: str) -> Survey:
        """What is found at an address before it is archived: robots, feeds, sitemaps, reach, what it seems to need."""
        return survey(url, self._place.settings())

    def site_add(self, url: str, **settings: object) -> SiteSettings:
        """Take a site in; a watch that runs starts with it at once. `settings` as in `[[site]]`."""
        return add_site(self._place, url, settings)

    def site_set(self, name: str, **settings: object) -> SiteSettings:
        """Say how a site is treated: `settings` as in `[[site]]`; "" is as for all sites."""
        return set_site(self._place, name, settings, self)

    def site_pause(self, name: str) -> SiteSettings:
        """Ask nothing of a site until it is resumed."""
        return move_site(self._place, name, "paused", self)

    def site_resume(self, name: str) -> SiteSettings:
        """Go on with a site that was paused or removed."""
        return move_site(self._place, name, "active", self)

    def login_cookies(self, url: str, file: Path | str) -> str:
        """Log in to the site of an address with a file of cookies (Netscape's format); says the site."""
        return import_cookies(self, url, Path(file)).site

    def login_password(self, url: str) -> str:
        """Log in to an origin with the name and the password of the environment; says the site."""
        return keep_password(self, url).site

    def login_forget(self, url: str) -> str:
        """Forget the logins of a site."""
        return forget_login(self, url)

    def site_remove(self, name: str) -> SiteSettings:
        """Take a site out; what was captured stays."""
        return move_site(self._place, name, "removed", self)

    def collection_list(self) -> list[Collection]:
        """The collections with what is said of each, and what it holds."""
        return all_collections(self, self._place.settings())

    def collection_add(self, name: str, **description: object) -> CollectionSettings:
        """Make a collection; `description` as in `[[collection]]`."""
        return add_collection(self._place, name, description)

    def collection_describe(self, name: str, **description: object) -> CollectionSettings:
        """Say something of a collection: `description` as in `[[collection]]`; "" takes it back."""
        return describe_collection(self._place, name, description)

    def collection_assign(self, name: str, *members: str) -> CollectionSettings:
        """Let sites and pages (addresses, `...*` for beginnings) belong to a collection."""
        return assign(self._place, name, members)

    def collection_unassign(self, name: str, *members: str) -> CollectionSettings:
        """Let sites and pages belong to a collection no more; what was captured stays."""
        return unassign(self._place, name, members)

    def collection_rename(self, name: str, new: str) -> CollectionSettings:
        """Give a collection another short name."""
        return rename_collection(self._place, name, new)

    def collection_aside(self, name: str) -> CollectionSettings:
        """Put a collection aside: what belongs to no other is not watched any more."""
        return move_collection(self._place, name, "aside")

    def collection_resume(self, name: str) -> CollectionSettings:
        """Take a collection up again."""
        return move_collection(self._place, name, "active")

    def collection_remove(self, name: str) -> CollectionSettings:
        """Forget a collection; its sites, pages, captures, tags and notes stay."""
        return remove_collection(self._place, name)

    def tag(self, url: str, name: str, at: float | None = None, author: str = "") -> Annotation:
        """Give a page, or its capture of a time, a tag."""
        return tag(self, AnnotationWish(url, name, at, author))

    def untag(self, url: str, name: str, at: float | None = None) -> int:
        """Take a tag back; returns how many went."""
        return untag(self, AnnotationWish(url, name, at))

    def note(self, url: str, text: str, at: float | None = None, author: str = "") -> Annotation:
        """Write a note on a page, or on its capture of a time."""
        return add_note(self, AnnotationWish(url, text, at, author))

    def annotations(self, url: str = "", kind: str = "", tag: str = "") -> list[Annotation]:
        """Tags and notes, the newest first: all, those of a page, of a kind, or one tag wherever it is."""
        return annotations(self, url, kind, tag)

    def remove_annotation(self, key: str) -> Annotation:
        """Take a tag or note back by its key."""
        return remove_annotation(self, key)

    def tags(self) -> dict[str, int]:
        """All tags and how often each was given."""
        return dict(tags(self))

    @property
    def people(self) -> People:
        """Who may use the interface, and who did what in it."""
        return People(self)

    @property
    def _place(self) -> Place:
        return place_of(self)

    def pages(self, site: str = "") -> Iterator[PageRow]:
        """The pages of the archive, or of one of its sites, in the order they were found."""
        require_site(self, site)
        return (row for row in self.reading.pages(site) if row.kind is Kind.PAGE)

    def search(self, words: str = "", **where: Unpack[Where]) -> Iterator[BlockLife]:
        """Blocks with these words, best match first, and when each page showed them.

        `topic`, `label`, `site`, `collection` and `tag` narrow it, `since` and `until` say when it was shown.
        """
        require_site(self, where.get("site", ""))
        narrow = narrowed(self._place.settings(), where.pop("collection", ""), where.pop("tag", ""))
        return found_blocks(self, Wanted(words, narrow=narrow, **where))  # type: ignore[misc]

    def label(self, url: str, block: str, name: str) -> None:
        """Call a block of a page something, to find it by; an empty name takes the label back."""
        label(self, url, block, name)

    def versions(self, url: str) -> Iterator[VersionRecord]:
        """The versions of a page in the order they came, each with what it says of itself (`metadata`)."""
        row = self.page(url)
        return self.studies.versions_of(row.url) if row else iter(())

    def ask(
        self, question: str = "", site: str = "", since: float | None = None
    ) -> Iterator[tuple[Change, ModelAnswer]]:
        """Changes, each with what the language model of the settings answers, or how it sums them up; SettingError when
        none is set up.
        """
        require_site(self, site)
        return asked_of(self, Asked(question, site, since=since))

    def compare(self, url: str, start: float = -math.inf, end: float = math.inf) -> Comparison:
        """What changed between the versions of a page shown at two times; without them, the first and the last."""
        return compare_versions(self, url, start, end)[0]

    def next(self, visits: int | Budget | None = None, now: float | None = None) -> list[Due]:
        """The visits of this hour as a watch makes them, in the order of time, each with its reason. Nothing is
        fetched. By default as many as the budget leaves of the hour; else the best so many.
        """
        wanted = visits.visits if isinstance(visits, Budget) else visits
        return self._planning(now).next(wanted)

    def plan(self, hours: float = 24.0, now: float | None = None) -> Iterator[Due]:
        """The visits of the coming hours in the order of time, as if each were made."""
        return self._planning(now).ahead(hours)

    def why(self, url: str, now: float | None = None) -> Why:
        """Every reason for one page: may it be fetched, what was learned of it, when is its turn."""
        return why(self._planning(now), url)

    def quality(
        self, site: str = "", at: float | None = None, now: float | None = None, collection: str = ""
    ) -> Quality:
        """Completeness, coherence, freshness and coverage of the archive, of one of its sites, or of a collection."""
        of = (collection, members_of(self._place.settings(), collection)) if collection else None
        found = measured(self._planning(now), site, at, of)
        return found.sites[0] if found.whole is None else found.whole

    def replay_quality(self, url: str = "", site: str = "", most: int = 0, again: bool = False) -> ReplayQuality:
        """How well a page, the pages of a site or all are shown again, beside what a browser saw live."""
        found = replay_quality(self, web_address(url) if url else "", site, most)
        return mend(self, found) if again else found

    def world(self) -> World:
        """The changes this archive saw, as a world for `strandline.lab.simulate`."""
        return archive_world(self)

    def save(
        self,
        file: str | PathLike[str],
        site: str = "",
        start: float | None = None,
        end: float | None = None,
        collection: str = "",
    ) -> int:
        """Write a standard file (.wacz, .warc.gz, .cdxj, .parquet); returns how many captures are in it."""
        require_site(self, site)
        return self.export(ExportWanted(Path(file), site, start, end, collection))

    def deposit(self, folder: str | PathLike[str], site: str = "", collection: str = "") -> int:
        """Write a bag (BagIt) with a WACZ and its description; returns how many captures are in it."""
        require_site(self, site)
        return deposit(self, ExportWanted(Path(folder), site, collection=collection))

    def export(self, wanted: ExportWanted) -> int:
        """Write a standard file of what is wanted."""
        return export(self, wanted)

    def bring_in(self, source: Path, kind: str = "", addresses: Mapping[str, str] | None = None) -> Brought:
        """Take in what another tool left; `kind` names the tool where a folder does not tell, `addresses` which file
        of a git repository is which page: docs/importing.md.
        """
        return take_in(self, source, kind, addresses)

    def reindex(self) -> Rebuilt:
        """Rebuild the catalog and the CDXJ index from the WARC files alone."""
        return reindex(self)

    def study(self, progress: Callable[[int, int], None] = lambda _done, _pending: None) -> int:
        """Study every capture that is pending; returns how many."""
        return study(self, progress)

    def relearn(self, url: str, level: int = 0) -> None:
        """Study the whole history of a page again; with `level` it is cut into larger or smaller blocks from now on."""
        relearn(self, url, level)

    # What keepers do

    def take_down(self, target: str, reason: str, until: float | None = None, by: str = "") -> Act:
        """Hide an address, a beginning of addresses (`...*`), a `*.domain` or a capture at once; see docs/keeper.md."""
        return block(self, Wish(target, reason, until, by))[0]

    def lift(self, what: int | str, reason: str = "", by: str = "") -> Act:
        """Show again what an act hid: by its number or its target."""
        return lift(self, str(what), reason, by)

    def taken_down(self, history: bool = False) -> list[Act]:
        """What is hidden now; with `history` every act of the journal."""
        return taken_down(self, SystemClock().now(), history)

    def erase(self, *targets: str, reason: str, by: str = "") -> Erasure:
        """Remove things for good: bytes, indexes, histories. ArchiveBusy while somebody writes the archive."""
        return erase(self, [Wish(target, reason, None, by) for target in targets])

    def keep_less(self, *rules: str, apply: bool = False, by: str = "") -> Preview:
        """What rules would drop (those of the settings when none are given); with `apply` it is dropped."""
        preview = preview_retention(self, rules_of(self, rules))
        if apply:
            apply_retention(self, preview, by)
        return preview

    def storage(self) -> Storage:
        """What takes room by site, kind and year, and when the disk is full."""
        return storage(self, SystemClock().now())

    def back_up(self, to: str | PathLike[str]) -> BackedUp:
        """Bring a backup in a folder or an object store up to date."""
        return back_up(self, str(to))

    def _planning(self, now: float | None) -> Planning:
        return Planning(self, SystemClock().now() if now is None else now)


def open_folder(folder: str | PathLike[str]) -> OpenedArchive:
    """The archive in a folder; UsageError when there is none."""
    return _opened(open_archive(Path(folder)))


def create_folder(
    folder: str | PathLike[str], *, contact: str = "", operator: str = "", seeds: Sequence[str] = ()
) -> OpenedArchive:
    """A new archive in a folder that is new or empty; UsageError when it is neither."""
    return _opened(create(Path(folder), contact=contact, operator=operator, seeds=tuple(seeds)))


def _opened(found: Archive) -> OpenedArchive:
    return OpenedArchive(found.folder, found.settings)
