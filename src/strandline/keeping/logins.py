"""Logging in to sites for an archive: by a file of cookies, by a name and a password, or in a window."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from strandline.archive.folder import Archive, web_address
from strandline.core.logins import Cookie, Logins, Password, cookie_of, host_of, read_cookies
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import origin, site
from strandline.crawl.logged_out import login_shelf
from strandline.errors import SettingError, UsageError

NAME: Final = "STRANDLINE_LOGIN_NAME"
PASSWORD: Final = "STRANDLINE_LOGIN_PASSWORD"
HOW: Final = (
    "log in with a browser of yours, write its cookies of the site to a file (extensions for cookies.txt do) and pass "
    "--cookies FILE, or pass --basic for a site that asks for a name and a password over HTTP"
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A login that was kept: for which site, how many cookies, and whether the site was paused until now."""

    site: str
    cookies: int = 0
    password: bool = False
    resumed: bool = False


def login_sites(archive: Archive) -> list[str]:
    """Sites there is a login for."""
    return login_shelf(archive).read().sites()


def import_cookies(archive: Archive, url: str, file: Path) -> Kept:
    """Keep the cookies of a file that belong to the site of an address; the others are left out."""
    try:
        found = read_cookies(file.read_text("utf-8"))
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is no file of cookies") from None
    except ValueError as problem:
        raise UsageError(f"{file}: {problem}") from None
    return keep_cookies(archive, url, found)


def keep_cookies(archive: Archive, url: str, cookies: Iterable[Cookie]) -> Kept:
    """Keep those of the site of an address."""
    address = _address(url)
    named = site(f"http://{host_of(address)}/")
    own = [one for one in cookies if site(f"http://{one.host}/") == named]
    lasting = [one for one in own if not one.expires or one.expires > time.time()]
    if not lasting:
        raise UsageError(f"there is no cookie of {named}{' that has not expired' if own else ''}")
    shelf = login_shelf(archive)
    shelf.change(lambda known: known.with_cookies(lasting))
    return Kept(site(address), len(lasting), resumed=shelf.resumed(site(address), time.time()))


def keep_password(archive: Archive, url: str) -> Kept:
    """Keep the name and the password of the environment, for the origin of an address."""
    address, name, password = _address(url), os.environ.get(NAME, ""), os.environ.get(PASSWORD, "")
    if not name or not password:
        raise SettingError(f"--basic takes name and password from the environment: set {NAME} and {PASSWORD}")
    if ":" in name or not (name + password).isprintable():
        raise SettingError(f"{NAME} must not have a colon, nor either of the two what cannot be printed")
    shelf = login_shelf(archive)
    shelf.change(lambda known: known.with_password(Password(origin(address), name, password)))
    return Kept(site(address), password=True, resumed=shelf.resumed(site(address), time.time()))


def login_in_window(archive: Archive, url: str) -> Kept:
    """Open a window, wait until it is closed, and keep the cookies of the site; UsageError where there is no screen."""
    from strandline.browser.login_window import can_show, cookies_after_login  # noqa: PLC0415 - for this alone

    address = _address(url)
    if not can_show():
        raise UsageError(f"there is no screen to open a window on, or no Chromium: {HOW}")
    found = [cookie_of(values) for values in cookies_after_login(address)]
    return keep_cookies(archive, address, [one for one in found if one is not None])


def forget_login(archive: Archive, url: str) -> str:
    """Forget the logins of a site; UsageError when there is none."""
    shelf, address = login_shelf(archive), _address(url)

    def left(known: Logins) -> Logins:
        rest = known.without(site(address))
        if rest == known:
            raise UsageError(f"there is no login for {site(address)}")
        return rest

    shelf.change(left)
    return site(address)


def _address(url: str) -> str:
    return web_address(url if "://" in url else f"https://{url}")
