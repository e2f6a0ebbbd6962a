"""Complete pages of many kinds, each in two sites that differ at every look, with what a person would say of each look.

A page is its main part, made of slots; a site is what stands around. Both have slots that differ by themselves: clocks,
counters, tokens, boxes that rotate, banners that come and go.
"""

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import Importance, study
from strandline.dom.html import blocks

TRUTHS = {
    "noise": (0.0, 0.015),
    "slight": (0.0, 0.3),
    "seen": (0.03, 1.0),
    "told": (0.1, 1.0),
    "counts": (0.3, 1.0),
    "decisive": (0.5, 1.0),
}
START = datetime(2026, 3, 2, 8, 11, 23, tzinfo=UTC)
LOCAL = timedelta(hours=1, seconds=-40)  # the zone of the pages, which were made a little before they were captured
STEP = timedelta(days=1, hours=2, minutes=17, seconds=31)
_SLOT = re.compile(r"\{(\w+)\}")
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
}


class Look(NamedTuple):
    """One comparison: where, what was done, what it should be worth and what it was worth."""

    name: str
    done: str
    truth: str
    scored: Importance

    @property
    def right(self) -> bool:
        low, high = TRUTHS[self.truth]
        return low <= self.scored.value and (self.scored.value < high or high == 1.0)


def made_by_itself(look: int, language: str) -> dict[str, str]:
    """What differs at every look, whatever the page says."""
    rng, now = random.Random(look), START + look * STEP
    month = MONTHS[language].split()[now.month - 1]
    dates = {
        "en": f"{now.day} {month} {now.year}",
        "de": f"{now.day}. {month} {now.year}",
        "es": f"{now.day} de {month} de {now.year}",
        "pt": f"{now.day} de {month} de {now.year}",
    }
    reading = random.Random(look // 2)
    return {
        "n": f"{1204 + 37 * look}",
        "c": f"{41 + look}",
        "u": f"{rng.randint(3, 60)}",
        "r": f"{rng.randint(100, 999)}",
        "t": f"{rng.getrandbits(64):016x}",
        "clock": f"{now:%H:%M}",
        "clocks": f"{now:%H:%M:%S}",
        "date": dates.get(language, f"{now.day} {month} {now.year}"),
        "numeric": f"{now:%d.%m.%Y}",
        "short": f"{now:%d.%m.}",
        "slashed": f"{now:%d/%m/%Y}",
        "iso": f"{now:%Y-%m-%d}",
        "stamp": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "warm": f"{reading.uniform(8, 24):.1f}",
        "level": f"{rng.randint(180, 260)}",
        "rate": f"{rng.uniform(1.05, 1.12):.4f}",
        "pct": f"{rng.uniform(-2, 2):+.2f}",
    }


class Site:
    """The frames and the words they are filled with."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.frames: dict[str, str] = data["frames"]
        self.words: dict[str, dict[str, Any]] = data["words"]

    def around(self, frame: str, look: int, language: str) -> dict[str, str]:
        """What fills the slots of a frame."""
        words, rng = self.words[language], random.Random(f"{frame}{look}")
        found = {name: text for name, text in words.items() if isinstance(text, str)}
        for number, text in enumerate(rng.sample(words["teasers"], 4)):
            found[f"teaser{number}"] = text
        found["ad"], found["promo"] = rng.choice(words["ads"]), rng.choice(words["promos"])
        found["banner"] = f"<div class=cookie-banner>{words['cookies']}</div>" if look % 4 == 2 else ""
        found["age"] = rng.choice(words["ages"])
        return found


def filled(template: str, slots: dict[str, str]) -> str:
    """A template with all its slots filled, those in what fills them too."""
    for _ in range(3):
        template = _SLOT.sub(lambda found: slots.get(found[1], found[0]), template)
    return template


class Entries:
    """A list of a page: entries of several fields, of which the first few are shown."""

    def __init__(self, item: str, shown: int, entries: list[str]) -> None:
        self.item, self.shown, self.entries = item, shown, list(entries)

    def do(self, how: str, what: str, look: int) -> None:
        if how == "+":
            self.entries.insert(0, what)
        elif how == "*":
            self.entries.append(what)
        elif how == "-":
            self.entries = [entry for entry in self.entries if not entry.startswith(what)]
        elif how == "~":
            shown = self.entries[: self.shown or None]
            random.Random(look).shuffle(shown)
            self.entries[: len(shown)] = shown
        else:
            number, _, new = what.partition(":")
            self.entries[int(number)] = new

    def html(self, ages: list[str], look: int) -> str:
        shown = self.entries[: self.shown or None]
        found = []
        for number, entry in enumerate(shown):
            rng = random.Random(f"{entry}{look}")
            slots = {f"f{field}": text for field, text in enumerate(entry.split("|"))}
            slots |= {
                "i": str(number + 1),
                "age": rng.choice(ages),
                "k": str(len(entry) + 3 * look),
                "u": str(rng.randint(2, 90)),
            }
            slots["slug"] = re.sub(r"\W+", "-", entry.split("|")[0].lower())
            found.append(filled(self.item, slots))
        return "".join(found)


def looks_of(page: dict[str, Any]) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """What is done to a page before each look, and what a person would say of it."""
    for look in page["looks"]:
        if isinstance(look, int):
            yield from [([], "noise")] * look
        elif isinstance(look[0], list):
            yield [(slot, what) for slot, what in look[:-1]], look[-1]
        else:
            yield [(look[0], look[1])], look[2]


def versions(page: dict[str, Any], frame: str, site: Site) -> Iterator[str]:
    """The page at each look, the first one before anything happened."""
    language, slots = page.get("language", "en"), dict(page.get("slots", {}))
    lists = {name: Entries(*entries) for name, entries in page.get("lists", {}).items()}
    turns, ages = page.get("turns", {}), site.words[language]["ages"]
    for look, (doings, _) in enumerate([([], ""), *looks_of(page)]):
        for slot, what in doings:
            if slot in slots:
                slots[slot] = what
            else:
                lists[slot[1:]].do(slot[0], what, look)
        rng = random.Random(f"{page['kind']}{look}")
        by_turns = {name: rng.choice(texts) for name, texts in turns.items()}
        listed = {name: entries.html(ages, look) for name, entries in lists.items()}
        every = site.around(frame, look, language) | made_by_itself(look, language) | by_turns | listed | slots
        main = filled(page["main"], every)
        whole = filled(site.frames[frame].replace("{main}", main), every | {"title": page["title"], "lang": language})
        head = f"<title>{page['title']}</title>"
        yield f"<!doctype html><html lang={language}><head>{head}</head><body>{whole}</body></html>"


def all_looks(page: dict[str, Any], number: int, site: Site) -> Iterator[Look]:
    """All looks at a page, in both of its sites, or in the one it names."""
    names = list(site.frames)
    for frame in [page["frame"]] if "frame" in page else [names[number % len(names)], names[(number + 4) % len(names)]]:
        trees = [blocks(html.encode(), url="https://made.example/") for html in versions(page, frame, site)]
        noise = NoiseState()
        for look, ((old, new), (doings, truth)) in enumerate(zip(pairwise(trees), looks_of(page), strict=True), 1):
            done = "; ".join(f"{slot} {what}" for slot, what in doings)
            captured = [(START - LOCAL + number * STEP).timestamp() for number in (look - 1, look)]
            delta = compare(old, new, language=page.get("language", "en"), moments=(captured[0], captured[1]))
            yield Look(f"{frame} {look}", done, truth, study(delta, noise))
