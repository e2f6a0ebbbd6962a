"""A site that no longer knows us: paused at once and until somebody logs in again, with an alarm that says so."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from pathlib import Path
from typing import Protocol

from strandline.alerts.alarms import LOGGED_OUT, AlarmKeeper
from strandline.archive.events import event
from strandline.archive.folder import Archive
from strandline.archive.login_store import read_logins, write_logins
from strandline.core.logins import Logins
from strandline.crawl.site_orders import Gate
from strandline.errors import StrandlineError
from strandline.settings.edit import change_tables
from strandline.settings.site_tables import SiteSettings
from strandline.store.alarming import AlarmWriter
from strandline.store.catalog import DATABASE


class LoginShelf(Protocol):
    """Where the logins of an archive are kept."""

    def read(self) -> Logins:
        """All of them; SettingError when they cannot be opened."""

    def change(self, change: Callable[[Logins], Logins]) -> None:
        """Keep what follows from them in their place."""

    def resumed(self, site: str, now: float) -> bool:
        """Go on with a site that was paused because it had logged out; says whether one was."""


class FolderLogins:
    """Implements LoginShelf in an archive's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self) -> Logins:
        """All of them."""
        return read_logins(self._folder)

    def change(self, change: Callable[[Logins], Logins]) -> None:
        """Keep what follows from them."""
        write_logins(self._folder, change(read_logins(self._folder)))

    def resumed(self, site: str, now: float) -> bool:
        """Go on with a site."""
        return logged_in_again(self._folder, site, now)


@singledispatch
def login_shelf(archive: Archive) -> LoginShelf:
    """Where the logins of an archive are; those of a cluster are in its database (cluster/logins.py)."""
    return FolderLogins(archive.need_folder("login"))


def said_of(site: str, why: str) -> str:
    """What the alarm says."""
    return f"{site} is paused: it seems to have logged out ({why}); `strandline login` goes on with it"


def logged_out(folder: Path, gate: Gate, now: Callable[[], float], site: str, why: str) -> None:
    """Pause a site, in this run and in the settings, and raise the alarm."""
    gate.pause(site)
    text = said_of(site, why)
    event("logged-out", text, "warning", site=site)
    with contextlib.suppress(StrandlineError):  # settings that cannot be written: this run leaves it alone, too
        change_tables(folder, "site", lambda before: with_state(before, site, "paused"))
    with contextlib.closing(AlarmWriter.open(folder / DATABASE)) as writer:
        AlarmKeeper(writer).raise_alarm(LOGGED_OUT, site, text, now())


def logged_in_again(folder: Path, site: str, now: float) -> bool:
    """Go on with a site that was paused because it had logged out; says whether one was."""
    with contextlib.closing(AlarmWriter.open(folder / DATABASE)) as writer:
        if not any((one.kind, one.subject) == (LOGGED_OUT, site) for one in writer.open_alarms()):
            return False
        AlarmKeeper(writer).clear_alarm(LOGGED_OUT, site, "somebody logged in", now)
    change_tables(folder, "site", lambda before: with_state(before, site, "active"))
    return True


def with_state(before: tuple[SiteSettings, ...], site: str, state: str) -> tuple[SiteSettings, ...]:
    """The tables of sites, with another state of one."""
    known = {one.name: one for one in before}
    return tuple({**known, site: replace(known.get(site, SiteSettings(site)), state=state)}.values())
