"""What tests of moving ask of both sides: where to, what is held, what differs."""

import contextlib

import pytest

from journeys import command
from servers import object_stores, postgres
from strandline.archive.folder import open_archive
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.postgres.moved import differences, digests_of_postgres, digests_of_sqlite
from strandline.store.postgres.session import Session


@pytest.fixture
def place(monkeypatch):
    server = object_stores.entered(monkeypatch)
    return postgres.running().database(), f"{server.bucket()}/moved"


def strandline(*words):
    return command.strandline(*words, env=object_stores.running().environment())


def differ(folder, database):
    """Tables that are not the same in a folder and a cluster."""
    with (
        contextlib.closing(sqlite.open_reading(folder / DATABASE)) as connection,
        contextlib.closing(Session(database)) as session,
    ):
        return differences(digests_of_sqlite(connection), digests_of_postgres(session))


def held_by(folder):
    with contextlib.closing(open_archive(folder).everything) as reading:
        return {(one.url, one.place.file, one.place.offset): one for one in reading.all_captures()}
