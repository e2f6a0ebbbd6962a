"""A small archive made up in the catalog alone: captures of all kinds, changes, problems, claims, first sights."""

import random
from contextlib import closing
from dataclasses import replace

from strandline.archive.folder import create
from strandline.core.beliefs.features import PageSummary
from strandline.core.capture import Capture, Kind, Original, Place
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.ports import Found
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedWriter
from strandline.store.reading import Claim
from strandline.store.studies import StudyReading

START = 1_790_000_000.0  # September 2026
DAY = 86_400.0
SITES = ("alpha.example", "beta.example.org", "gamma.test:8080")
QUIET = "/d2/"
"""A directory that never changes."""
STATUS = (200,) * 14 + (304, 304, 404, 410, 301, 500)


def urls(site, pages):
    return [
        f"http://{site}/d{n % 3}/{'index.html' if n % 4 == 0 else f'page{n}-2024.html'}?n={n}" for n in range(pages)
    ]


def captures(rng, pages, count, start=START, file="made-up.warc.gz", offset=0):
    """So many captures in the order they were recorded, mostly in the order of time."""
    found = []
    every = [url for site in SITES for url in urls(site, pages)]
    for number in range(count):
        url = every[number] if number < len(every) else rng.choice(every)  # all are there from the start
        time = start + 60 * DAY * number / count + rng.random() * 5000
        if rng.random() < 0.02:
            time = rng.choice((-5.0, 8e9, found[-1].time if found else time))
        status = 200 if QUIET in url else rng.choice(STATUS)
        letters = "A" if QUIET in url else "ABC"
        kept = Capture(
            url=url,
            time=time,
            status=status,
            mime="text/html",
            digest=f"sha1:{rng.choice(letters)}",
            place=Place(file, offset + number * 100, 90),
            record_id=f"<urn:uuid:{offset}-{number}>",
        )
        if status == 304:
            kept = replace(kept, revisit=True, original=Original(url, time - 1, f"sha1:{rng.choice(letters)}", "r"))
        found.append(kept)
    return found


def study(rng, catalog, up_to, share=0.5):
    """Record what study would find of the captures that were not studied yet, up to a number."""
    reading = StudyReading(catalog._connection, catalog.path)
    begin, pages = reading.progress(), {}
    for one in reading.pending():
        if one.seq <= up_to:
            pages.setdefault(one.page, []).append(one)
    studies = []
    for page, some in pages.items():
        changes, problems = [], []
        for one in some:
            luck = 1.0 if QUIET in one.capture.url else rng.random()
            if luck < share:
                changes.append(
                    Observed(
                        after_seq=max(one.seq - 1, 1),
                        by_seq=one.seq,
                        after=one.capture.time - 50.0,
                        by=one.capture.time,
                        importance=rng.random(),
                        impch=rng.random(),
                        visible=rng.random() < 0.7,
                        held=rng.random() < 0.1,
                        operations=3,
                        blocks=({"path": "html/body", "kind": "update", "why": "new words", "topic": "tide"},),
                    )
                )
            elif luck < share + 0.05:
                problems.append((one.seq, "too deep"))
        studies.append(PageStudy(page, PageState(), tuple(changes), problems=tuple(problems)))
    catalog.studies.record(studies, max(up_to, begin))


def made_up(folder, *, pages=6, count=400, unstudied=20, seed=5):
    """An archive in a new folder; the last captures were not studied."""
    rng = random.Random(seed)
    create(folder, contact="https://library.test/bot")
    with closing(open_catalog(folder)) as catalog:
        behind = f"http://{SITES[0]}/style.css"
        catalog.add([Found(behind, Kind.REQUISITE, "requisite", 0, 1, 0.0, 0.0)])
        catalog.bring([*captures(rng, pages, count), *(replace(one, url=behind) for one in _more(rng, count))])
        study(rng, catalog, count - unstudied)
    with closing(LearnedWriter.open(folder / DATABASE)) as writer:
        numbers = [row.page for site in writer.reading.learned_sites() for row in writer.reading.pages(site)]
        sights = [(n, PageSummary(rng.randrange(9000), 5, 3, 2, 0, n % 2 == 0), "de") for n in numbers if n % 5]
        writer.keep_first_sights(sights)
        claims = []
        for n in numbers:
            for _ in range(rng.randrange(6)):
                time = START + rng.random() * 60 * DAY
                seen = time + (rng.random() - 0.2) * DAY  # some are told of a time still to come
                claims.append(Claim(n, rng.choice(("last-modified", "sitemap", "feed")), time, seen))
        writer.keep_claims(claims, count)
    return folder


def _more(rng, count):
    return captures(rng, 2, 5, file="more.warc.gz", offset=10**6 + count)
