"""What is installed, reachable and configured."""

import importlib.util
import os
import shutil
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote

from strandline.archive.disk_space import about, reserve_of
from strandline.browser.chromium import find_chromium, means
from strandline.core.wording import counted
from strandline.errors import StrandlineError
from strandline.kernels.shipped import standing
from strandline.plan.feed_hubs import told_feeds
from strandline.settings.file import NAME, read_settings
from strandline.settings.schema import Settings
from strandline.store.catalog import DATABASE
from strandline.store.index import KeyReading
from strandline.store.sqlite import outdated
from strandline.version import __version__

_EXTRAS = {
    "render": ("playwright", "pages that only exist in a browser"),
    "study": ("matplotlib", "plots and experiments"),
    "parquet": ("pyarrow", "export to Parquet"),
    "ads": ("adblock", "advertising by filter lists"),
    "login": ("cryptography", "sites behind a login"),
    "people": ("argon2", "accounts with passwords"),
    "oidc": ("joserfc", "signing on with OpenID Connect"),
    "images": ("PIL", "pictures compared by what they show"),
    "cluster": ("psycopg", "more than one machine"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str
    advice: str = ""
    needed: bool = False
    """Whether the archive cannot be used without it."""


def examine(folder: Path | None) -> list[Finding]:
    """Look at the installation and, if given, at an archive."""
    findings = [*_installation(), *_network()]
    if folder is not None:
        findings += _archive(folder)
    return findings


def _installation() -> Iterator[Finding]:
    yield Finding(
        "Strandline", True, f"{__version__} on Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
    )
    for package in ("pycurl", "fastwarc", "selectolax"):
        try:
            yield Finding(package, True, version(package))
        except PackageNotFoundError:
            yield Finding(package, False, "not installed", "install Strandline again", needed=True)
    yield _kernels()
    for extra, (module, purpose) in _EXTRAS.items():
        there = importlib.util.find_spec(module) is not None
        advice = f"only for {purpose}: pip install 'strandline[{extra}]'"
        yield Finding(f"extra {extra}", there, "installed" if there else "not installed", advice)
    yield from _browser()
    limit = _open_files()
    yield Finding("open files", limit >= 256, str(limit), "raise it (ulimit -n 4096) to use many connections")


def browser_found() -> bool:
    """Whether there is a browser to show pages in."""
    return bool(find_chromium())


def _browser() -> Iterator[Finding]:
    """What pages are shown in, and what keeps it from the network."""
    how = means()
    advice = "only for pages that are shown in a browser (capture.browser): install chromium"
    yield Finding("Chromium", bool(how.path), how.path or "not found", advice)
    if not how.path:
        return
    apart = (
        "without any network, in namespaces of its own" if how.apart else "kept from the network by its own settings"
    )
    advice = "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces) and install "
    yield Finding("Chromium's network", how.apart, apart, advice + "util-linux: then it has no network at all")
    advice = "do not run as root without setpriv, and allow user namespaces: Chromium then contains its own pages"
    yield Finding("Chromium's sandbox", how.sandbox, "on" if how.sandbox else "off", advice)


def _kernels() -> Finding:
    """Whether there is machine code, or something to make it with."""
    shipped = standing()
    if shipped.fits:
        return Finding("kernels", True, f"machine code of {shipped.kernels}")
    why = "changed since they were compiled" if shipped.kernels else "no machine code for this Python and architecture"
    if importlib.util.find_spec("numba") is not None:
        return Finding("kernels", True, f"{why}: compiled by numba at their first use")
    return Finding("kernels", False, why, "pip install 'strandline[compile]'", needed=True)


def _open_files() -> int:
    return os.sysconf("SC_OPEN_MAX")


def _network() -> Iterator[Finding]:
    try:
        socket.getaddrinfo("example.org", 443)
        yield Finding("name service", True, "answers")
    except OSError as problem:
        yield Finding("name service", False, str(problem), "no names can be looked up: check the network")


def _archive(folder: Path) -> Iterator[Finding]:
    try:
        settings = read_settings(folder / NAME)
    except StrandlineError as problem:
        yield Finding("settings", False, str(problem), f"correct {NAME}", needed=True)
        return
    there = (folder / NAME).exists()
    yield Finding("archive", there, str(folder), f"make it: strandline init {folder}", needed=True)
    if not there:
        return
    yield _catalog(folder)
    yield from _hubs(folder, settings)
    contact = settings.archive.contact
    yield Finding("contact address", bool(contact), contact or "none", f"set archive.contact in {folder / NAME}")
    writable = os.access(folder, os.W_OK)
    yield Finding("permission", writable, "writable" if writable else "read-only", "reading still works", needed=False)
    free, reserve = shutil.disk_usage(folder).free, reserve_of(settings.keep.disk_reserve, folder)
    advice = f"crawling pauses below the reserve of {about(reserve)}"
    yield Finding("room on disk", free > reserve, f"{about(free)} free", advice)


def _hubs(folder: Path, settings: Settings) -> Iterator[Finding]:
    """Whether the hubs that feeds name tell of news, or could; nothing where no feed names one."""
    with suppress(StrandlineError):  # what is wrong with the catalog is said of the catalog
        if outdated(folder / DATABASE) or not (folder / DATABASE).exists():
            return
        with closing(KeyReading.open(folder / DATABASE)) as reading:
            told = told_feeds(reading, time.time())
        standing = [sentence for sentence in told.values() if sentence.startswith("told by ")]
        if told:
            advice = "let hubs reach the interface (serve.address), or leave it: feeds are polled"
            if settings.serve.address:
                advice = "strandline why DIR FEED tells how each stands; feeds are polled meanwhile"
            found = f"{len(standing)} of {counted(len(told), 'feed')} told by hubs"
            yield Finding("hubs of feeds", len(standing) == len(told), found, advice)


def _catalog(folder: Path) -> Finding:
    """Whether what the archive knows can be read; one of an older format is updated by whoever reads it next."""
    database = folder / DATABASE
    advice = f"rebuild it from the WARC files: strandline reindex {quote(str(folder))}"
    if not database.exists():
        return Finding("catalog", False, "none", advice, needed=True)
    try:
        if outdated(database):
            return Finding("catalog", True, "of an earlier release; brought up to date when it is next used")
        with closing(KeyReading.open(database)) as reading:
            return Finding("catalog", True, counted(reading.count(), "capture"))
    except StrandlineError as problem:
        said = str(problem).removeprefix(f"{database} is ").partition(";")[0]
        return Finding("catalog", False, said, advice, needed=True)
