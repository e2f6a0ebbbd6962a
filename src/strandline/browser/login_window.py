"""A window in which somebody logs in to a site, and the cookies it ends with.

This is the one browser that connects to the web by itself: a person looks at it, types a password, and nothing it loads
is captured. Its profile is fresh and gone when the window is closed.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from strandline.browser.chromium import ENVIRONMENT, NETWORK, Chromium, ChromiumLost, Means, means
from strandline.browser.pipe import CallFailed, Message, Pipe

_LOOK: Final = 0.5
"""Seconds between two looks at the window. Origin: a guess."""
DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
_SCREEN: Final = ("XAUTHORITY", "XDG_RUNTIME_DIR")
_WINDOW: Final = ("--no-first-run", "--no-default-browser-check", "--remote-debugging-pipe", "--password-store=basic")


def can_show() -> bool:
    """Whether there is a screen, and a browser."""
    return any(os.environ.get(name) for name in DISPLAYS) and bool(means().path)


def cookies_after_login(
    url: str,
    more: tuple[str, ...] = (),
    opened: Callable[[Pipe], None] = lambda _: None,
    how: Means | None = None,
) -> list[dict[str, Any]]:
    """Open a window at an address and wait until it is closed; says the cookies the browser had then. `more` are
    switches of Chromium; `opened` hears of the browser once.
    """
    how = how or means()
    # With the network of this machine, and the user's rights where there is a screen to show it on.
    plain = replace(how, wrapped=tuple(word for word in how.wrapped if word not in NETWORK), apart=False)
    chromium = Chromium(plain, more, switches=_WINDOW, environment=ENVIRONMENT | {*DISPLAYS, *_SCREEN})
    gone = threading.Event()
    pipe = Pipe(chromium.from_browser, chromium.to_browser, lambda _: None, gone.set)
    found: list[dict[str, Any]] = []
    try:
        pipe.call("Target.setDiscoverTargets", seconds=60.0, discover=True)
        pipe.call("Target.createTarget", seconds=60.0, url=url)
        opened(pipe)
        while not gone.is_set() and _windows(pipe):
            found = [_told(cookie) for cookie in pipe.call("Storage.getCookies")["cookies"]]
            time.sleep(_LOOK)
    except (ChromiumLost, CallFailed):
        if not found:
            raise
    finally:
        pipe.end()
        chromium.close()
    return found


def _windows(pipe: Pipe) -> bool:
    with contextlib.suppress(CallFailed):
        targets: list[Message] = pipe.call("Target.getTargets")["targetInfos"]
        return any(one["type"] == "page" for one in targets)
    return False


def _told(cookie: Message) -> dict[str, Any]:
    return {
        "domain": cookie["domain"],
        "name": cookie["name"],
        "value": cookie["value"],
        "path": cookie["path"],
        "secure": cookie["secure"],
        "expires": max(0.0, cookie.get("expires", 0.0)),
        "http_only": cookie["httpOnly"],
    }
