"""What a block is for: its role, the hint its names give, how much a change in it is likely to matter.

Role comes from the tag or ARIA role, hint from the words in id and class attributes. The automatic block importance is
how likely the text of the block is the page's own content (`content`), where that was judged: learned from pages of
seven kinds. Elsewhere, also in study, it is a hand rule that needs no training:

    f(b) = R[role] * H[hint] * (1 - .85 * linked)

Advertising: paper 001 calls a link or image advertising when its address says so. `is_advertising` is that rule, a
little wider; a filter list the user names can be added by the caller (`AdRule`).
"""

import re
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import Final

from strandline.core.blocks.tree import PageBlock

AdRule = Callable[[str], bool]

ROLE_OF_TAG: Final[dict[str, str]] = {
    "main": "main",
    "header": "header",
    "nav": "nav",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
}
ROLE_OF_ARIA: Final[dict[str, str]] = {
    "main": "main",
    "banner": "header",
    "navigation": "nav",
    "contentinfo": "footer",
    "complementary": "aside",
    "form": "form",
    "search": "form",
}
ROLE_WEIGHT: Final[dict[str, float]] = {
    "main": 1.0,
    "": 0.6,
    "header": 0.25,
    "aside": 0.3,
    "form": 0.3,
    "nav": 0.15,
    "footer": 0.15,
}
"""What a change in a block of each role is likely to matter: R. Origin: a guess."""
_HINT_WORDS: Final[dict[str, str]] = {
    "nav": "nav navbar navigation",
    "menu": "menu megamenu submenu",
    "footer": "footer",
    "breadcrumb": "breadcrumb breadcrumbs",
    "related": "related recommended recommendations",
    "header": "header masthead topbar",
    "sidebar": "sidebar widget",
    "banner": "banner",
    "promo": "promo promotion teaserbox",
    "newsletter": "newsletter subscribe",
    "modal": "modal overlay lightbox dialog alertdialog",
    "popup": "popup popover toast snackbar",
    "cookie": "cookie cookies cookiebot cookieconsent cookiebanner cybot didomi gdpr onetrust usercentrics",
    "consent": "consent",
    "ads": "ad ads advert adverts advertisement advertising adslot sponsor sponsored sponsors",
    "social": "social",
    "share": "share sharing",
    "hidden": "",
}
HINT_WEIGHT: Final[dict[str, float]] = {
    "": 1.0,
    "nav": 0.3,
    "menu": 0.3,
    "footer": 0.3,
    "breadcrumb": 0.4,
    "related": 0.4,
    "header": 0.5,
    "sidebar": 0.5,
    "hidden": 0.5,
    "banner": 0.2,
    "promo": 0.2,
    "newsletter": 0.2,
    "modal": 0.2,
    "popup": 0.2,
    "cookie": 0.1,
    "consent": 0.1,
    "ads": 0.1,
    "social": 0.1,
    "share": 0.1,
}
"""The factor of what its names say: H. Origin: a guess."""
DIALOGS: Final = frozenset({"dialog", "alertdialog"})  # ARIA roles that say as much as a name
BESIDE: Final = frozenset({"cookie", "consent", "ads", "social", "share", "newsletter", "modal", "popup"})
"""Hints of what a page carries besides what it is about: never merged with it, however short."""
AT_LEAST: Final = 0.3
"""Part of the hand rule's factor that is left to a block that is hardly the page's content. Origin: a guess."""
POLICIES: Final = frozenset({"cookie", "consent"})  # hints that a policy's own sections give, too
LONGEST_NAME: Final = 80
"""Letters; a longer id or class is data, no name. Origin: a guess."""
LONGEST_NAMES: Final = 1_000
"""Letters of an element's id, or of its classes, that are read. Origin: a bound on time."""
_HINT_OF_WORD: Final = {word: hint for hint, names in _HINT_WORDS.items() for word in names.split()}
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BY_CHANCE: Final = re.compile(
    r"\d(?:ads?|nav)(?![a-z])|(?:ads?|nav)\d+[a-wyz]|(?:css|jsx|svelte)-(?=\w*\d)\w+", re.IGNORECASE
)
"""Names that generators of style sheets make, in which a word stands by chance (css-ad4711)."""
_CHANGING: Final = re.compile(
    r"\d\D*\d\D*\d"  # three digits: counters, sizes, generated names
    r"|[0-9a-f]{8}"  # eight hexadecimal digits: digests
    r"|:r[0-9a-z]+:"  # identifiers React makes at every rendering
    r"|^[BPS]:[0-9a-f]+$"  # and those of what it streams
    r"|(?<![a-z0-9])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{4,}$",  # a mixed suffix: generated style sheets
    re.IGNORECASE,
)
_STREAMED: Final = re.compile(r"\s*S:[0-9a-f]+\s*\Z")
_OPENED: Final = frozenset(
    ("accordion", "collapse", "collapsed", "collapsible", "expandable", "expander", "disclosure", "spoiler", "faq",
     "answer", "tab", "tabs", "tabpanel")
)  # fmt: skip
_LONGEST_ADDRESS: Final = 2_000
"""Letters of an address that are looked at. Origin: a bound on time."""
_ADVERTISING: Final = re.compile(r"advert|/ads?[/.]|[/.]ads?\d*\.|doubleclick|googlesyndication|sponsor", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def hint_of(names: str) -> str:
    """The hint that words in an element's id and classes give; the one that matters least wins.

    >>> hint_of("siteNav main-menu"), hint_of("cookie-banner"), hint_of("reader loadingAdvice css-ad4711")
    ('nav', 'cookie', '')
    """
    said = _BY_CHANCE.sub(" ", names)
    hints = {_HINT_OF_WORD.get(word.lower(), "") for word in _WORD.findall(said)} - {""}
    return min(hints, key=lambda hint: (HINT_WEIGHT[hint], hint != "nav", hint)) if hints else ""


def is_shown_later(names: str) -> bool:
    """Whether what is hidden is the page's own all the same: streamed to its place by a script, opened by a click.

    >>> is_shown_later("S:1f"), is_shown_later("faq-accordion__panel"), is_shown_later("cart-drawer")
    (True, True, False)
    """
    return _STREAMED.match(names) is not None or not _OPENED.isdisjoint(map(str.lower, _WORD.findall(names)))


def is_stable(token: str) -> bool:
    """False for an id or class that looks generated, or like data, and so says nothing about the place.

    >>> [is_stable(token) for token in ("content", "col-6", "css-1x2b9k", "post-48213", ":r7:", "h2-title")]
    [True, True, False, False, False, True]
    """
    return len(token) <= LONGEST_NAME and _CHANGING.search(token) is None


@lru_cache(maxsize=1 << 14)
def path_step(tag: str, identifier: str, classes: str) -> str:
    """One step of a block's path: the tag with the id and classes that look stable.

    >>> path_step("div", "content", "wide css-1x2b9k")
    'div#content.wide'
    """
    step = tag
    if identifier and is_stable(identifier):
        step += "#" + identifier.replace("/", "")
    return step + "".join("." + token.replace("/", "") for token in classes.split()[:6] if is_stable(token))


def is_advertising(address: str) -> bool:
    """Paper 001's rule: the address of an advertising link or image says that it is one; an inline image has none.

    >>> is_advertising("https://x.org/advertisement/1.png"), is_advertising("https://x.org/loads/2.png")
    (True, False)
    """
    return address[:5] != "data:" and _says_so(address[:_LONGEST_ADDRESS])


@lru_cache(maxsize=1 << 13)
def _says_so(address: str) -> bool:
    return _ADVERTISING.search(address) is not None


def block_role_inside(own: str, above: str) -> str:
    """Role of a part with role `own` inside a part with role `above`: a header inside the main part belongs to it."""
    if own == "header" and above == "main":
        return "main"
    return own or above


def block_factor(block: PageBlock) -> float:
    """f(b) in [0, 1]: how much a change in this block is likely to matter.

    Where its text was judged, how likely it is the page's own content, yet at least a part of what the hand rule says,
    so that a page of a kind nobody learned from is not lost; what its names put beside the page counts little all the
    same. Else the hand rule.
    """
    ruled = _labelled(block.role, block.hint)  # `hand_factor`, which all blocks of a page are asked for
    if block.link_weight:
        ruled *= 1.0 - 0.85 * block.linked
    if block.content < 0.0:
        return ruled
    judged = max(block.content, AT_LEAST * ruled)
    return min(ruled, judged * HINT_WEIGHT[block.hint]) if block.hint in BESIDE else judged


def hand_factor(block: PageBlock, idle: Set[str] = frozenset()) -> float:
    """The hand rule: from the role, the names and the links of a block; `idle` names and roles tell nothing."""
    factor = place_factor(block, idle)
    return factor * (1.0 - 0.85 * block.linked) if block.link_weight else factor


def place_factor(block: PageBlock, idle: Set[str] = frozenset()) -> float:
    """The hand rule without regard to links."""
    if not idle:
        return _labelled(block.role, block.hint)
    return _labelled(*["" if label in idle else label for label in (block.role, block.hint)])


@lru_cache(maxsize=1 << 8)
def _labelled(role: str, hint: str) -> float:
    return ROLE_WEIGHT.get(role, 0.6) * HINT_WEIGHT.get(hint, 1.0)


def block_weights(blocks: Sequence[PageBlock], how: str = "auto") -> list[float]:
    """What each block weighs: by factor and size, by size alone (`area`), or all alike (`uniform`)."""
    if how == "auto":  # at every comparison
        return [block_factor(block) * (block.weight or 1) for block in blocks]
    return [block_weight(block, how) for block in blocks]


def block_weight(block: PageBlock, how: str = "auto") -> float:
    """The same of one block."""
    if how == "auto":
        return block_factor(block) * max(block.weight, 1)
    if how == "uniform":
        return 1.0
    if how == "area":
        return float(max(block.weight, 1))
    raise ValueError(f"block importance is auto, area or uniform, not {how!r}")


def block_importances(blocks: Sequence[PageBlock], how: str = "auto") -> list[float]:
    """Imp(B) of each block, summing to 1 (paper 001); `how` as in `block_weights`."""
    weights = block_weights(blocks, how)
    total = sum(weights)
    return [weight / total for weight in weights] if total else weights
