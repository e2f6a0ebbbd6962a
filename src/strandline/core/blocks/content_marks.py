"""What the names of elements say of their purpose, as sets of groups of words; and the kinds of tags that tell apart.

`roles.hint_of` gives one hint, the one that matters least, and decides alone. Here every group of words is one sign
among many (`content_features`): "related" may be a related article or the relation of a database.
"""

import re
from functools import lru_cache
from typing import Final

_GROUPS: Final = (
    "nav navbar navigation menu megamenu submenu breadcrumb breadcrumbs crumbs pagination pager toolbar tabs tab "
    "skip toc",
    "footer foot copyright legal colophon bottom",
    "header masthead topbar top head hero banner",
    "sidebar side aside widget rail secondary",
    "related recommended recommendations recommendation similar popular trending latest upsell recent more also next "
    "prev previous suggested featured",
    "social share sharing follow facebook twitter instagram",
    "ad ads advert adverts advertisement advertising adslot sponsor sponsored sponsors promo promotion promoted cta",
    "cookie cookies cookieconsent cookiebanner cookiebot cybot consent gdpr ccpa onetrust ot didomi usercentrics "
    "truste notice alert announcement announce",
    "newsletter subscribe signup subscription login signin register search form input modal popup popover overlay "
    "dialog lightbox drawer cart minicart filter filters facet facets sort",
    "comment comments commentlist reply replies discussion respond disqus",
    "meta byline author authors date time timestamp tags tag tagged category categories posted info avatar user "
    "profile username stats count badge label",
    "content contents article post entry story body text main page container wrapper",
    "description desc detail details summary richtext rte wysiwyg markdown prose paragraph copy cooked editor block",
    "item items card cards product products tile tiles result results listing teaser grid row list collection loop",
    "message messages msg thread threads topic posts question answer answers quote signature",
    "hidden hide sr only visually screenreader reader invisible collapse collapsed tooltip accessibility offscreen",
    "caption credit figure image images gallery media video slider carousel slide swiper thumbnail",
    "price prices buy quantity variant variants swatch swatches option options shipping stock add sku",
    "review reviews rating ratings testimonial testimonials stars",
    "title heading headline subtitle lead intro excerpt dek",
    "faq accordion question questions answer feature features benefit benefits spec specs specification specifications",
    "button btn link links action actions icon",
)
GROUPS: Final = len(_GROUPS)
CONCEALED: Final = 1 << 15  # the group of names that say a part is not shown at once
_BITS_OF_WORD: Final[dict[str, int]] = {}
for _place, _names in enumerate(_GROUPS):
    for _name in _names.split():
        _BITS_OF_WORD[_name] = _BITS_OF_WORD.get(_name, 0) | 1 << _place
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

TAG_KINDS: Final = (
    ("p",),
    ("li",),
    ("h1",),
    ("h2", "h3", "h4", "h5", "h6"),
    ("td", "th", "tr", "table", "tbody", "thead", "caption"),
    ("dt", "dd", "dl"),
    ("ul", "ol", "menu", "dir"),
    ("blockquote",),
    ("pre",),
    ("figure", "figcaption"),
    ("article",),
    ("section",),
    ("main",),
    ("nav",),
    ("header",),
    ("footer",),
    ("aside",),
    ("form", "fieldset", "legend", "search"),
    ("select", "option", "optgroup"),
    ("details", "summary"),
    ("div", "center"),
    ("address",),
)
KINDS: Final = len(TAG_KINDS)
KIND_OF_TAG: Final = {tag: place for place, tags in enumerate(TAG_KINDS) for tag in tags}
AROUND_KINDS: Final = sum(1 << KIND_OF_TAG[tag] for tag in ("nav", "footer", "select"))
CONSENT: Final = 1 << 7  # the group of consent and notices, which also names the sections of a policy
CONTENT_KINDS: Final = sum(1 << KIND_OF_TAG[tag] for tag in ("main", "article"))
AROUND_GROUPS: Final = 1 << 0 | 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8 | CONCEALED
"""Tags and groups of names of what stands around a page's content: menus, footers, advertising, consent, forms."""


@lru_cache(maxsize=1 << 14)
def name_marks(names: str) -> int:
    """The groups that words in an element's id and classes belong to, a bit each.

    >>> bin(name_marks("siteNav")), bin(name_marks("entry-content")), name_marks("x9")
    ('0b1', '0b100000000000', 0)
    """
    marks = 0
    for word in _WORD.findall(names):
        marks |= _BITS_OF_WORD.get(word.lower(), 0)
    return marks


PAGE_KINDS: Final = ("article", "product", "forum", "list", "profile", "answers")
_TOLD: Final = re.compile(rb"""og:type["']?\s+content=["']?(?:og:)?(?:(article|blog)|(product))""")
_TYPED: Final = re.compile(
    rb"""@type["']\s*:\s*\[?\s*["'](?:(?:News|Blog|Tech|Scholarly|Medical|Social)?(Article|Posting\b)|(Product)\b"""
    rb"""|(DiscussionForumPosting)|(ItemList|CollectionPage)\b|(ProfilePage|Person)\b|(QAPage|FAQPage)\b)"""
)


def declared_kinds(page: bytes) -> int:
    """What a page says it is, in its description for other sites (Open Graph, schema.org), a bit each.

    >>> declared_kinds(b'<meta property="og:type" content="article">'), declared_kinds(b'{"@type": "Product"}')
    (1, 2)
    """
    told = _TOLD.search(page)
    kinds = told.lastindex or 0 if told else 0
    for match in _TYPED.finditer(page):
        kinds |= 1 << (match.lastindex or 1) - 1
    return kinds
