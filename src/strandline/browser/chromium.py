"""The Chromium of the system: found, started apart from the network, watched, ended with all its processes.

It talks to us on two pipes, so it needs no network at all, and where the system allows it gets none: it runs in a
network namespace without devices. Where that is not allowed, a proxy at a dead port, a resolver that knows no name and
WebRTC without its own sockets keep it from connecting anywhere. Its processes live in a namespace of their own, whose
end is theirs, so nothing is left behind whatever ends us; elsewhere they are a process group that is killed as one.

Its own sandbox is on where the system allows it. Started as root, it gives up the rights of root first: Chromium has
no sandbox for root.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from strandline.browser.profiles import Profile

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLAYWRIGHT: Final = "ms-playwright/chromium-*/chrome-linux*/chrome"
_NOBODY: Final = 65534
NETWORK: Final = ("--net",)
"""What takes the network away from a browser."""
_APART: Final = (*NETWORK, "--pid", "--fork", "--kill-child=KILL", "--mount-proc")
DEAD_PROXY: Final = "http://127.0.0.1:9"
"""The discard port, at which nobody listens."""
ENVIRONMENT: Final = frozenset({"PATH", "LANG", "LC_ALL", "TZ"})
"""What a browser is told of ours."""
_SWITCHES: Final = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--no-pings",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-popup-blocking",  # what a page opens is a link we want to know
    "--metrics-recording-only",
    "--force-color-profile=srgb",
    "--autoplay-policy=no-user-gesture-required",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--proxy-server={DEAD_PROXY}",
    "--proxy-bypass-list=<-loopback>",  # without it the machine's own services would be reached directly
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,"
    "CertificateTransparencyComponentUpdater,AutofillServerCommunication,DnsOverHttps,AsyncDns,PrivacySandboxSettings4,"
    "SpareRendererForSitePerProcess,ServiceWorkerAutoPreload,Prerender2,HttpsUpgrades,HttpsFirstBalancedMode",
)


class ChromiumLost(Exception):  # noqa: N818 - named for what happened
    """The browser did not start, or is gone; the text says why."""


@dataclass(frozen=True, slots=True)
class Means:
    """How a browser can be started on this system."""

    path: str
    """Empty when there is none."""
    wrapped: tuple[str, ...]
    """What its command is put behind."""
    apart: bool
    """Whether it runs without any network, in namespaces of its own."""
    sandbox: bool
    user: int | None = None
    """Whose rights it runs with, when they are not ours."""


def find_chromium() -> str:
    """Where a Chromium is: on the path, or one that Playwright installed; empty when there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), "")
    if found:
        return found
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return str(max(caches.glob(_PLAYWRIGHT), default=""))


@cache
def means() -> Means:
    """How a browser is started here: tried out once, with a command that does nothing."""
    path, unshare, setpriv = find_chromium(), shutil.which("unshare"), shutil.which("setpriv")
    root = os.geteuid() == 0
    lowered: tuple[str, ...] = ()
    if root and setpriv and _works((setpriv, *_lowered(), "true")):
        lowered = (setpriv, *_lowered())
    user = _NOBODY if lowered else None
    if unshare:
        apart = (*lowered, unshare, "--user", "--map-current-user", *_APART)
        if _works((*apart, "true")):
            return Means(path, apart, apart=True, sandbox=not root or bool(lowered), user=user)
        if root and _works((unshare, *_APART, "true")):
            return Means(path, (unshare, *_APART), apart=True, sandbox=False)
    nested = bool(unshare) and _works((*lowered, str(unshare), "--user", "true"))
    return Means(path, lowered if nested else (), apart=False, sandbox=nested and (not root or bool(lowered)),
                 user=user if nested else None)  # fmt: skip


def _lowered() -> tuple[str, ...]:
    return (f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")


def _works(command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class Chromium:
    """One running browser with a fresh profile. `close` ends all its processes and forgets the profile."""

    def __init__(
        self,
        how: Means,
        more: tuple[str, ...] = (),
        switches: tuple[str, ...] = _SWITCHES,
        environment: frozenset[str] = ENVIRONMENT,
    ) -> None:
        if not how.path:
            raise ChromiumLost("no Chromium found: install chromium")
        self._environment = environment
        self._own = Profile()
        self._profile = self._own.folder
        self._over = False
        with contextlib.ExitStack() as ours:
            reads, self.to_browser = os.pipe()
            self.from_browser, writes = os.pipe()
            ours.callback(os.close, reads)
            ours.callback(os.close, writes)
            try:
                if how.user is not None:
                    os.chown(self._profile, how.user, how.user)
                self.pid = self._start(how, (*switches, *more), reads, writes)
            except OSError as problem:
                os.close(self.to_browser)
                os.close(self.from_browser)
                self._own.close()
                raise ChromiumLost(f"Chromium does not start: {problem}") from None

    def _start(self, how: Means, more: tuple[str, ...], reads: int, writes: int) -> int:
        """The process that was started: Chromium itself, or what holds its namespaces."""
        command = [*how.wrapped, how.path, f"--user-data-dir={self._profile}", *more]
        if not how.sandbox:
            command.append("--no-sandbox")
        environment = {key: value for key, value in os.environ.items() if key in self._environment}
        environment |= {"HOME": str(self._profile), "TMPDIR": str(self._profile)}
        # Chromium reads descriptor 3 and writes 4, so ours must be neither before they are put there.
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in (reads, writes)]
        null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        try:
            placed = [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4)]
            return os.posix_spawnp(command[0], command, environment, file_actions=[*null, *placed], setsid=True)
        finally:
            for descriptor in high:
                os.close(descriptor)

    @property
    def running(self) -> bool:
        """Whether it is still there."""
        if not self._over:
            with contextlib.suppress(ChildProcessError):
                self._over = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        return not self._over

    def memory(self) -> int:
        """Bytes its processes hold for themselves; what they share is mostly the program."""
        pages = 0
        for pid in processes_of(self.pid):
            with contextlib.suppress(OSError, ValueError, IndexError):
                resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
                pages += int(resident) - int(shared)
        return pages * os.sysconf("SC_PAGE_SIZE")

    def kill(self) -> None:
        """End all its processes at once."""
        if self._over:
            return
        for pid in reversed(processes_of(self.pid)):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it and forget its profile."""
        self.kill()
        if not self._over:
            self._over = True
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
        for descriptor in (self.to_browser, self.from_browser):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._own.close()


def processes_of(pid: int) -> list[int]:
    """A process and all that descend from it, as far as the system tells."""
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        found.append(parent)
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                with contextlib.suppress(OSError):
                    waiting += map(int, (task / "children").read_text().split())
    return found
