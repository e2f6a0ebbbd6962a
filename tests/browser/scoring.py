"""Crawls the set of pages that need a browser, and says of each what was captured of what must be."""

import re
import tempfile
from pathlib import Path

import strandline
from servers.script_pages import PAGES
from servers.script_server import serving
from strandline.core.capture import Place
from strandline.core.urls import canonical
from strandline.settings.file import with_overrides
from strandline.warc.reader import WarcReader


def settings_for(archive, mode, *more):
    given = [f'capture.browser="{mode}"', 'fetch.allow_address=["127.0.0.0/8"]', 'politeness.delay="0"']
    patient = 'capture.page_seconds="600 s"'  # the machine may be busy; what is tested is not how fast it is
    return with_overrides(archive.settings, [*given, patient, "study.workers=0", *more])


def crawl_set(folder, base, mode, *more):
    """Crawl the set into an archive."""
    if not folder.exists():
        strandline.create(folder)
    archive = strandline.open(folder)
    return archive.crawl(settings_for(archive, mode, *more), strandline.CrawlRequest((f"{base}/",)))


def documents(folder, captures):
    """What stands for each page: the rendered document where there is one, else the answer."""
    reader, found = WarcReader(folder / "archive"), {}
    for capture in captures:
        made = capture.rendering
        place = capture.place if made is None else Place(capture.place.file, made.offset, made.length)
        text = reader.read(place).body.read().decode("utf-8", "replace")
        found[capture.url] = re.sub(r"(?s)<(script|template)\b.*?</\1>", "", text)
    return found


def missing(name, base, held, shown, linked):
    """What of a page was not captured."""
    wanted = PAGES[name][0]
    page = shown.get(f"{base}/{name}/", "")
    lost = [text for text in wanted.texts if text not in page]
    lost += [url for url in wanted.urls if canonical(f"{base}/{url.partition(' ')[2] or url}") not in held]
    return lost + [link for link in wanted.links if f"{base}/{link}" not in linked]


def scored(folder, base, names):
    """Of each page: how many things are wanted, and which are missing."""
    archive = strandline.open(folder)
    captures = list(archive.reading.all_captures())
    linked = {row.url for row in archive.reading.pages("")}
    held = {capture.url for capture in captures if capture.status < 400}
    shown = documents(folder, captures)
    found = {}
    for name in names:
        wanted = PAGES[name][0]
        found[name] = len(wanted.texts) + len(wanted.urls) + len(wanted.links), missing(name, base, held, shown, linked)
    return found


def score(mode, names, *more):
    with tempfile.TemporaryDirectory() as folder, serving(*names) as (base, _):
        tally = crawl_set(Path(folder) / "a", base, mode, *more)
        print(tally.document())
        return scored(Path(folder) / "a", base, names)
