"""The worker's side of study: captures are read back from the archive, decoded, and cut into blocks.

Plain text and PDF files are cut like a page, paragraph by paragraph; JSON, feeds and tables entry by entry; ZIP
files member by member. A page without text can be shown to a browser, if the settings say so.
"""

import resource
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import xxhash

from strandline.access.index import Holdings
from strandline.access.payload import LostError, read_payload, read_rendering
from strandline.archive.holdings import CatalogIndex
from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.roles import AdRule
from strandline.core.blocks.tree import BlockTree
from strandline.core.blocks.word_numbers import ready as ready_to_compare
from strandline.core.capture import Capture
from strandline.core.changes.noise.site_noise import SiteNoise
from strandline.core.changes.observation import PageStudy
from strandline.core.content import charset_of, text_of
from strandline.core.urls import site
from strandline.dom import html
from strandline.dom.advertising import FilterLists
from strandline.dom.data_documents import as_page
from strandline.dom.documents import kind_of
from strandline.dom.metadata import page_metadata
from strandline.dom.pdf_text import is_pdf, pdf_page
from strandline.dom.picture_marks import picture_mark
from strandline.dom.rendered import browser
from strandline.dom.scan import PageTooCostlyError
from strandline.dom.scan import ready as ready_to_cut
from strandline.dom.xhtml import as_html
from strandline.dom.zip_members import is_zip, zip_page
from strandline.settings.schema import StudySettings
from strandline.store.catalog import DATABASE
from strandline.store.studies import StudyReading
from strandline.study.documents import Document, UnreadableError
from strandline.study.page_study import PageWork, StudyRules, study_page
from strandline.study.studying import StudyContext
from strandline.warc.reader import WarcReader

LARGEST: Final = 32 << 20
"""Bytes of a document that are studied; a longer one is known by its digest alone. Origin: a bound on memory."""
_SITES: Final = 200
"""Sites whose noise is kept in mind. Origin: a bound on memory."""
_PLAIN: Final = frozenset({"text/plain", "text/markdown"})


class ArchiveReader:
    """Implements study.page_study.PageReader on an archive folder."""

    def __init__(self, holdings: Holdings, render: bool = False) -> None:
        self._holdings = holdings
        self._render = render

    def read(self, capture: Capture) -> Document:
        """What was captured, as a browser showed it where one did; UnreadableError when it cannot be had."""
        try:
            read = read_payload if capture.rendering is None else read_rendering
            payload = read(self._holdings, capture)
            if payload.length > LARGEST:
                return Document(b"", payload.head.mime, "", text=False)
            data = payload.decoded()
        except LostError as problem:
            raise UnreadableError(str(problem)) from None
        return document(data, payload.head.value("content-type") or capture.mime)

    def visible_hash(self, document: Document) -> int:
        """64 bits over what a reader sees. What scripts will show is only known by what they are."""
        if self._render and self._cut(document, "", PageLevel()).nearly_empty:
            return xxhash.xxh3_64_intdigest(document.data)
        try:
            return html.visible_hash(document.data, charset=document.charset)
        except PageTooCostlyError as problem:
            raise UnreadableError(str(problem)) from None

    def told_beside(self, old: Document, new: Document) -> str:
        """What readers see beside the text that is another now, in words; empty when nothing is."""
        return html.told_beside(old.data, new.data, charsets=(old.charset, new.charset))

    def blocks(self, document: Document, url: str, how: PageLevel) -> BlockTree:
        """The document cut into blocks."""
        tree = self._cut(document, url, how)
        if self._render and tree.nearly_empty:
            return rendered_blocks(document, url, how)
        return tree

    def metadata(self, document: Document, tree: BlockTree) -> dict[str, str | int]:
        """What a version says of itself, and how much there is of it."""
        told: dict[str, str | int] = {"title": tree.title} if tree.title else {}
        sizes = {
            "bytes": len(document.data),
            "blocks": len(tree.blocks),
            "letters": sum(one.weight for one in tree.blocks),
        }
        return told | page_metadata(document.data, document.charset) | sizes

    def _cut(self, document: Document, url: str, how: PageLevel) -> BlockTree:
        try:
            return html.blocks(document.data, charset=document.charset, url=url, level=how.level, scale=how.scale)
        except PageTooCostlyError as problem:
            raise UnreadableError(str(problem)) from None


def document(data: bytes, content_type: str) -> Document:
    """A document of a media type, or what its first bytes show; text, JSON, feeds, tables, PDF and ZIP become pages."""
    mime = content_type.split(";")[0].strip().lower()
    charset = charset_of(content_type, data)
    if mime in _PLAIN:
        paragraphs = text_of(data, charset).replace("\r\n", "\n").split("\n\n")
        made = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs if paragraph.strip())
        return Document(made.encode("utf-8", "replace"), mime, "utf-8", text=True)
    made_page = _made_page(data, mime, charset)
    if made_page is not None:
        return Document(made_page, mime, "utf-8", text=True)
    if kind_of(mime, data) != "html" or len(data) > LARGEST:
        return Document(data, mime, charset, text=False, picture=picture_mark(data, mime))
    return Document(as_html(data, mime), mime, charset, text=True)


def _made_page(data: bytes, mime: str, charset: str) -> bytes | None:
    if is_pdf(data, mime):
        return pdf_page(data)
    return zip_page(data) if is_zip(data, mime) else as_page(data, mime, charset)


def rendered_blocks(document: Document, url: str, how: PageLevel, *, scripts: bool = True) -> BlockTree:
    """The blocks of a document as a browser shows it, without network."""
    with _unlimited(), browser(scripts=scripts) as shown:
        return shown.blocks(text_of(document.data, document.charset), url=url, level=how.level, scale=how.scale)


@contextmanager
def _unlimited() -> Iterator[None]:
    """A browser reserves far more address space than it uses: it does not start under the limit of a worker."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def study_rules(settings: StudySettings) -> StudyRules:
    """How pages are studied, from settings."""
    advertising: Callable[[str], AdRule] = StudyRules().advertising
    if settings.filter_lists:
        advertising = FilterLists(map(Path, settings.filter_lists)).rule
    return StudyRules(settings.level, settings.hold, settings.double_fetch, SitesNoise().of, advertising)


class SitesNoise:
    """What this process knows of the noise of sites, the latest of them."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, SiteNoise] = OrderedDict()

    def of(self, url: str) -> SiteNoise:
        """What is known of the site of a page."""
        name = site(url)
        found = self._sites.setdefault(name, SiteNoise())
        self._sites.move_to_end(name)
        if len(self._sites) > _SITES:
            self._sites.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What a worker has at hand."""

    reader: ArchiveReader
    rules: StudyRules


def prepare(context: StudyContext) -> WorkerState:
    """Open the archive for reading and load what is compiled, before limits are set."""
    ready_to_cut()
    ready_to_compare()
    index = CatalogIndex(StudyReading.open(context.folder / DATABASE, everything=True))
    holdings = Holdings(index, WarcReader(context.folder / "archive"), "")
    return WorkerState(ArchiveReader(holdings, context.settings.render_empty), study_rules(context.settings))


def study(state: WorkerState, work: PageWork, begins: Callable[[int], None]) -> PageStudy:
    """Study one page."""
    return study_page(work, state.reader, state.rules, begins)
