"""Running a crawl from the terminal: flags over settings, progress for people, JSON Lines for programs."""

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Final

from strandline.app.opening import open_archive, opened_or_made
from strandline.archive.folder import Archive
from strandline.archive.given_seeds import read_seeds
from strandline.cli.options import in_unit
from strandline.cli.output import as_json, iso, printable, size, tell
from strandline.core.capture import Capture
from strandline.core.wording import counted
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.crawl.tally import Tally
from strandline.errors import Forced, Interrupted, SettingError, SizeLimit, TimeLimit, Unreachable, UsageError
from strandline.settings.file import NAME, quoted, with_overrides
from strandline.settings.in_force import removed_sites
from strandline.settings.schema import Settings
from strandline.settings.units import octets, seconds
from strandline.watch.single_pass import crawl

_MOST_TOLD: Final = 10
_WRITTEN_OUT: Final = ("archive.contact", "politeness.delay")
"""Flags whose value is a text of some form, as in strandline.toml: a wrong one is a wrong setting."""
_ENDINGS: Final = {"interrupted": Interrupted, "forced": Forced, "time": TimeLimit, "size": SizeLimit}


def crawl_settings(
    settings: Settings, flags: Mapping[str, object], allow_address: list[str] | None, assignments: list[str] | None
) -> Settings:
    """Settings with flags applied: flags win over the file, `--set` over both."""
    given = [(key, f"{key}={_toml(value)}") for key, value in flags.items() if value is not None]
    for key, assignment in given:
        try:
            settings = with_overrides(settings, [assignment])
        except SettingError as problem:
            kind = SettingError if key in _WRITTEN_OUT else UsageError
            raise kind(str(problem).removeprefix("--set: ")) from None
    if allow_address:
        blocks = list(dict.fromkeys([*settings.fetch.allow_address, *allow_address]))
        settings = with_overrides(settings, [f"fetch.allow_address={_toml(blocks)}"], "--allow-address")
    return with_overrides(settings, assignments or [])


def _toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value) if isinstance(value, int | float) else quoted(str(value))


def crawl_limits(captures: int | None, time_limit: str | None, size_limit: str | None) -> Limits:
    """Limits as given by flags."""
    span = _above_zero("--time-limit", time_limit, seconds)
    return Limits(captures or 0, span, int(_above_zero("--size-limit", size_limit, octets)))


def hours_of(text: str) -> float:
    """How long a watch runs, in its own hours; 0 for as long as it is let."""
    return _above_zero("--for", text, seconds) / 3600.0


def _above_zero(flag: str, text: str | None, unit: Callable[[str], float]) -> float:
    if not text:
        return 0.0
    value = in_unit(flag, text, unit)
    if not value:
        raise UsageError(f"{flag} must be above zero; leave it out to go on without a limit")
    return value


def begun(folder: Path, seeds: list[str] | None) -> AbstractContextManager[Archive]:
    """The archive a crawl is to fill. Only a crawl that says where to start makes one: a mistyped name does not."""
    named = read_seeds(seeds or [])
    if not named:
        return nullcontext(open_archive(folder))
    if (folder / NAME).exists():
        removed = removed_sites(open_archive(folder).settings)
        out = next((seed for seed in named if removed(seed)), "")
        if out:
            raise UsageError(f"the site of {out} was removed; `strandline site add {folder} {out}` takes it in again")
    return opened_or_made(folder)


def run_crawl(
    archive: Archive,
    settings: Settings,
    seeds: list[str],
    limits: Limits,
    as_lines: bool,
    quiet: bool,
) -> None:
    """Crawl and report. Exceptions carry the exit code of the way it ended."""
    progress, finish = follow(sys.stderr.isatty() and not quiet)

    request = CrawlRequest(tuple(seeds), limits, heard_captures(as_lines), progress)
    tally = report(lambda: crawl(archive, settings, request), finish, as_lines, quiet)
    lost = tally.seeds_failed | {seed: f"redirected to {target}" for seed, target in tally.seeds_moved.items()}
    if lost and not tally.pages:
        others = f" (and {counted(len(lost) - 1, 'other seed')})" if len(lost) > 1 else ""
        seed, reason = next(iter(lost.items()))
        raise Unreachable(printable(f"no page could be captured: {seed}: {reason}{others}"))


def report(run: Callable[[], Tally], finish: Callable[[], None], as_lines: bool, quiet: bool) -> Tally:
    """Run to the end and say what was captured, and how it ended."""
    try:
        tally = run()
    finally:
        finish()
    if as_lines:
        as_json(tally.document())
    if not quiet:
        summary(tally)
    ending(tally)
    return tally


def ending(tally: Tally) -> None:
    """Raise what the way a run ended is told by; nothing when it is complete."""
    if tally.ended in _ENDINGS:
        raise _ENDINGS[tally.ended](f"stopped ({tally.ended}); everything captured is kept, the same command goes on")


def captured_event(capture: Capture) -> dict[str, object]:
    """The promise: this capture is on disk."""
    return {
        "event": "captured",
        "url": capture.url,
        "time": iso(capture.time),
        "status": capture.status,
        "file": capture.place.file,
        "offset": capture.place.offset,
        "length": capture.place.length,
        "digest": capture.digest,
        "revisit": capture.revisit,
    }


def heard_captures(as_lines: bool) -> Callable[[Capture], None]:
    """What is done about each capture: told to programs as a line, or nothing."""
    return (lambda capture: as_json(captured_event(capture))) if as_lines else lambda _: None


def summary(tally: Tally, watched: bool = False) -> None:
    """What was done, for people. Pages of a watch wait for their turn, which nobody has to be told."""
    failures = ", ".join(f"{kind} {count}" for kind, count in tally.failures.most_common())
    tell(
        f"{tally.captured} captured, {tally.unchanged} unchanged, {tally.failed} failed"
        f"{f' ({failures})' if failures else ''}, {tally.skipped} skipped, {size(tally.octets)} received."
    )
    if tally.pages or watched:  # otherwise it is what the run ends with
        for seed, reason in islice(tally.seeds_failed.items(), _MOST_TOLD):
            tell(f"Seed not captured: {seed}: {reason}.")
        if len(tally.seeds_failed) > _MOST_TOLD:
            tell(f"And {counted(len(tally.seeds_failed) - _MOST_TOLD, 'other seed')}.")
    if tally.browsed or tally.browser_failures:
        lost = ", ".join(f"{why} {count}" for why, count in tally.browser_failures.most_common(_MOST_TOLD))
        tell(f"{counted(tally.browsed, 'page')} shown in a browser{f'; not shown: {lost}' if lost else ''}.")
    for kind, count in tally.hollow.most_common():
        tell(f"No content: {kind} ({counted(count, 'page')}); these do not count as captured.")
    for trap, count in tally.traps.most_common(_MOST_TOLD):
        tell(f"Trap avoided: {trap} ({counted(count, 'address', 'addresses')}).")
    for host, until in sorted(tally.hosts_waiting.items()):
        tell(f"{host} is left alone until {iso(until)}: it asked for it, or could not be reached.")
    if tally.waiting and tally.ended == "complete" and not watched:
        tell(f"{counted(tally.waiting, 'address waits', 'addresses wait')} for a later try, in the next crawl.")


def follow(live: bool) -> tuple[Callable[[Tally], None], Callable[[], None]]:
    """A line on the terminal that follows the crawl, and how to end it."""
    return _live() if live else (lambda _: None, lambda: None)


def _live() -> tuple[Callable[[Tally], None], Callable[[], None]]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    live = Live(Text("Starting ..."), console=Console(stderr=True), refresh_per_second=4, transient=True)
    started = time.monotonic()
    live.start()

    def progress(tally: Tally) -> None:
        pages = tally.captured + tally.unchanged
        rate = pages / max(0.1, time.monotonic() - started)
        failures = " ".join(f"{kind}:{count}" for kind, count in tally.failures.most_common(3))
        live.update(
            Text(
                printable(
                    f"{pages} pages  {size(tally.octets)}  {rate:.1f}/s  {tally.waiting} due  "
                    f"{tally.failed} failed {failures}"
                )
            )
        )

    return progress, live.stop
