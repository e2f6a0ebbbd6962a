"""Notices, told by their words: boxes that are no part of what a page says, and alarms that matter wherever they stand.

A box about cookies, a newsletter, an application to download, a chat, a survey or a blocker of advertisements comes and
goes inside the main part of many pages. It says nothing of the page, unless the page is about the same: a policy on
cookies. Its buttons and its heading, a few words each, belong to it. A recall, an outage, an order of a court or a leak
of data matters, also in a banner or a window above the page.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import masked
from strandline.core.changes.page.page_kind import LISTED
from strandline.core.changes.words.figures import holds_number
from strandline.core.changes.words.language_rules import folded_words, heads, may_head, may_say, says
from strandline.core.changes.words.small_letters import like_digits

LONGEST: Final = 240
"""Letters of a text of a box, or of an alarm. Origin: a guess."""
BUTTON: Final = 5
"""Words of a button or heading that belongs to a box. Origin: a guess."""
STATE: Final = 48
"""Letters of a state. Origin: a guess."""
SENTENCE: Final = 2
"""Words of a state that ends like a sentence: "Open the valve." is none. Origin: a guess."""
NEAR: Final = 3
"""Texts of a box between a button and what tells that it is one. Origin: a guess."""
TOPICS: Final = {
    "cookies": "a notice about cookies",
    "newsletter": "a box for a newsletter",
    "app": "a box for an application",
    "chat": "a window for a chat",
    "survey": "a box that asks for an opinion",
    "blocker": "a notice about the browser",
}
_HEARD: Final = frozenset(("", "banner", "modal", "popup", "header", "promo"))  # hints of what may hold an alarm
_UNHEARD: Final = frozenset(("nav", "footer", "form"))

_words = lru_cache(maxsize=1 << 8)(folded_words)  # a text that came is asked about several times


def box_of(text: str, language: str = "") -> str:
    """What a text of a box beside the page's own words is about; empty for any other text.

    >>> box_of("We use cookies to give you the best experience."), box_of("A jar of cookies costs four euro.")
    ('cookies', '')
    """
    if len(text) > LONGEST:
        return ""
    words = _words(text)
    if not says("boxes", text, words, language):
        return ""
    return next((topic for topic in TOPICS if says(f"box {topic}", text, words, language)), "")


def boxes(runs: Iterable[Sequence[str]], page: Iterable[str], language: str = "") -> dict[str, str]:
    """Of the texts that came, or left, together: those of boxes, and what the boxes are; `page` is what stayed."""
    found: dict[str, str] = {}
    runs = list(runs)
    together = " ".join([text for run in runs for text in run if len(text) <= LONGEST])
    if not may_say("boxes", folded_words(together), language):  # hardly ever is there one
        return found
    stayed = list(page)
    for run in runs:
        topics = {place: topic for place, text in enumerate(run) if (topic := box_of(text, language))}
        topics = {place: topic for place, topic in topics.items() if not _is_about(topic, stayed, language)}
        for place, topic in topics.items():
            found[run[place]] = TOPICS[topic]
            for near in range(max(0, place - NEAR), min(len(run), place + NEAR + 1)):
                if near not in topics and len(run[near].split()) <= BUTTON and not is_alarm(run[near], language):
                    found.setdefault(run[near], TOPICS[topic])
    return found


def _is_about(topic: str, texts: Iterable[str], language: str) -> bool:
    """Whether what stays on a page is about the same."""
    return any(says(f"about {topic}", text, folded_words(text), language) for text in texts)


def is_alarm(text: str, language: str = "") -> bool:
    """Whether a short text says that something is dangerous, out of order, leaked or before a court.

    >>> is_alarm("Boil water notice: boil all drinking water."), is_alarm("Our kettles boiled over with joy.")
    (True, False)
    """
    return len(text) <= LONGEST and _alarms(like_digits(text), language)


@lru_cache(maxsize=1 << 10)  # a text may be asked about in several places, its numbers say nothing of it
def _alarms(text: str, language: str) -> bool:
    return says("alarms", text, _words(text), language)


def is_grave(text: str, language: str = "") -> bool:
    """Whether a short text is an alarm, or says that something ended: "sold out", "deprecated"."""
    return len(text) <= LONGEST and _is_grave(like_digits(text), language)


@lru_cache(maxsize=1 << 10)
def _is_grave(text: str, language: str) -> bool:
    return says("ended", text, _words(text), language) or _alarms(text, language)


def is_daily(text: str) -> bool:
    """Whether a short text is headed as what is another one every day, whatever the page says.

    >>> is_daily("Quote of the day"), is_daily("Soup of the day: leek")
    (True, False)
    """
    if len(text) > LONGEST or not may_head("daily", text):
        return False
    return heads_daily(masked(text))  # numbers are no words, and others at every look


@lru_cache(maxsize=1 << 10)
def heads_daily(form: str) -> bool:
    """The same of a text that is short, without its numbers."""
    return heads("daily", folded_words(form))


def tells_state(text: str, language: str = "") -> bool:
    """Whether a few words say that something can be had, or not, is open, or closed, or how grave it is.

    >>> tells_state("Closed today"), tells_state("Danger level 3 of 5"), tells_state("Win a trip to Lisbon")
    (True, True, False)
    """
    return len(text) <= STATE and _tells_state(like_digits(text), language)


@lru_cache(maxsize=1 << 10)
def _tells_state(text: str, language: str) -> bool:
    words = _words(text)
    if len(words) > (SENTENCE if text.endswith(".") else BUTTON):
        return False
    return says("states", text, words, language) or (holds_number(text) and says("grades", text, words, language))


def may_alarm(block: PageBlock) -> bool:
    """Whether a part beside the page's own text is one in which alarms are shown: a banner, a window, a header."""
    return block.hint in _HEARD and block.role not in _UNHEARD and block.linked < LISTED
