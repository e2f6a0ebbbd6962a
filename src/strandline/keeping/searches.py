"""Searches that are saved, in the settings: a watch tells when their words appear on a page, or vanish from it."""

import json

from strandline.archive.deployment import Place
from strandline.errors import SettingError, UsageError, usage_errors
from strandline.settings.schema import Settings
from strandline.settings.texts import saved


def searches_of(settings: Settings) -> dict[str, str]:
    """Words by the name of the search."""
    return dict(saved(entry) for entry in settings.alerts.searches)


def save_search(place: Place, name: str, words: str) -> None:
    """Save a search, in the place of one of the same name; UsageError says what is wrong with it."""
    with usage_errors():
        named, asked = saved(f"{name}:{words}")
    _write(place, searches_of(place.settings()) | {named: asked})


def forget_search(place: Place, name: str) -> None:
    """Take a search out; UsageError when there is none of this name."""
    known = searches_of(place.settings())
    if name not in known:
        raise UsageError(f"no saved search {name!r}; there are: {', '.join(known) or 'none'}")
    _write(place, {one: words for one, words in known.items() if one != name})


def _write(place: Place, searches: dict[str, str]) -> None:
    entries = [json.dumps(f"{name}: {words}", ensure_ascii=False) for name, words in searches.items()]
    try:
        place.change_settings({"alerts.searches": f"[{', '.join(entries)}]"})
    except SettingError as problem:
        raise UsageError(str(problem).removeprefix("--set: ")) from None
