"""A small archive in a folder, studied and learned from, and the same one as a cluster on PostgreSQL and S3.

Tests that ask both take the fixtures `folder` and `cluster` from here; the two are made once in a process.
"""

import atexit
import shutil
import tempfile
import time
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from contracts.stores import found, visited
from servers import object_stores, postgres
from strandline.cluster.archive import ClusterArchive
from strandline.cluster.learning import learn_job
from strandline.cluster.migrating import to_cluster
from strandline.cluster.shared import open_cluster
from strandline.cluster.studying import study_job
from strandline.learn.learning import learn
from strandline.ports import Batch
from strandline.python_archive import create_folder as create
from strandline.store.postgres.desks import learned_until
from strandline.store.postgres.session import Session
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, StillClock, exchange

DAY = 86_400.0
SITES = ("http://news.example", "http://www.shop.example")
VISITS = 6


def body(url, visit):
    """Of four pages, one changes with every visit, one once, two never."""
    news = visit if url.endswith("/0") else int(visit > 2 and url.endswith("/1"))
    text = f"<p>{' '.join(f'word{n}' for n in range(30))}</p>"
    return f"<html><body><h1>About the tide</h1>{text}<p>Edition {news} of the paper has {news * 7} pages</p></body>"


@pytest.fixture(scope="module")
def folder():
    return _in_folder()


@pytest.fixture(scope="module")
def cluster(folder):
    with pytest.MonkeyPatch.context() as patch:
        object_stores.entered(patch)
        with closing(_as_cluster()) as moved:
            yield moved


@cache
def _in_folder():
    """Two sites of four pages, each captured some times, and studied."""
    made = Path(tempfile.mkdtemp(prefix="strandline-two-sites-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    place = made / "archive"
    archive = create(place, contact="https://library.example/bot", seeds=[f"{site}/0" for site in SITES])
    start = time.time() - VISITS * DAY
    urls = [f"{site}/{n}" for site in SITES for n in range(4)]
    with archive.writing("test") as catalog, closing(WarcWriter(place / "archive", ABOUT, StillClock())) as writer:
        catalog.add([found(url, due=0.0) for url in urls])
        pages = {url: catalog.page(url).page for url in urls}
        for visit in range(VISITS):
            batch = []
            for n, url in enumerate(urls):
                kept = exchange(url, body(url, visit).encode(), started=start + visit * DAY + n)
                capture = writer.keep(kept)
                batch.append(visited(pages[url], capture, time=capture.time, due=1e12))
            writer.sync()
            catalog.commit(Batch(batch))
    assert archive.study() == VISITS * len(urls)
    with archive.writing("rate") as catalog:  # of a block that is not there any more: it weighs nothing, and is moved
        catalog.studies.rate(f"{SITES[0]}/1", ["html/body/p"], "matters")
    learn(archive, ())
    return archive


@cache
def _as_cluster():
    """The same, moved, and studied and learned from again, as workers of a watch do it beside their crawls."""
    database = postgres.running().database()
    to_cluster(_in_folder().folder, database, f"{object_stores.running().bucket()}/web", lambda _: None)
    moved = ClusterArchive(open_cluster(database))
    assert moved.studies.waiting() > 0
    with study_job(moved.cluster, 1, 3600.0).opened(lambda: False) as step:
        step()
    with learn_job(moved.cluster, 3600.0).opened(lambda: False) as step, closing(Session(database)) as session:
        step()
        assert learned_until(session) > time.time(), "a lesson comes when there is an hour to learn from"
        session.run(lambda connection: connection.execute("UPDATE site_desks SET planned = 1 WHERE work = 'learn'"))
        step()
        assert learned_until(session) > time.time()
    return moved
