"""Where sites keep their clocks: as the settings say, else guessed."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from strandline.core.history.zones import guess_zone
from strandline.core.mining.learned import SiteClock
from strandline.errors import SettingError
from strandline.settings.schema import LearnSettings

_NO_HOLIDAYS = "none"
WATCH_CLOCK = SiteClock("UTC", None, "hours of the watch, which are not those of the clock")


def site_clock(site: str, settings: LearnSettings, language: str | None) -> SiteClock:
    """Zone and country of a site; a setting for the site wins over one for all, and that over the guess."""
    for entry in settings.sites:
        words = entry.split()
        if len(words) not in (2, 3):
            raise SettingError(f'learn.sites: {entry!r} is not of the form "example.org Asia/Tokyo JP"')
        if words[0].lower() == site:
            country = _country(words[2]) if len(words) == 3 else None
            return SiteClock(_checked(words[1], "learn.sites"), country, "setting learn.sites")
    guess = guess_zone(site, language)
    zone, country, reason = guess.zone, guess.country, guess.reason
    if settings.zone != "auto":
        zone, reason = _checked(settings.zone, "learn.zone"), "setting learn.zone"
    if settings.country != "auto":
        country = _country(settings.country)
    return SiteClock(zone, country, reason)


def _country(text: str) -> str | None:
    if text.lower() in (_NO_HOLIDAYS, ""):
        return None
    if len(text) != 2 or not text.isalpha():
        raise SettingError(f"learn.country: {text!r} is not two letters, auto or none")
    return text.upper()


def _checked(zone: str, key: str) -> str:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingError(f"{key}: there is no time zone {zone!r}; write it like Europe/Paris") from None
    return zone
